"""The two forwards of lab 06: lazy, and in a precomputed order."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from hpml.base.errors import describe
from hpml.course.labs.lab_06_forward_order.exercises.graphs import (
    NO_LIBRARY,
    TWICE,
    WRITE_IT,
    ask,
    needed,
    random_ask,
    values_of,
)
from hpml.course.labs.lab_06_forward_order.harness import counting_operations, value_and_executed
from hpml.course.labs.lab_06_forward_order.references import ordered_forward
from hpml.course.lesson.exercises.edges import depths
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Speed, Wrong
from hpml.course.lesson.exercises.outcomes import Outcome, Returned, entry, observed, symptom
from hpml.course.lesson.exercises.same import expect
from hpml.course.lesson.small_graphs import chain, ladder

_DEEP = 10_000
_TINY = {"x": [], "double": ["x"], "square": ["x"], "sum": ["double", "square"]}
_SUBTRACT = {"a": [], "b": [], "subtract": ["a", "b"]}
_REVERSED = {"b": [], "a": [], "subtract": ["b", "a"]}
_NOTHING = {"x": [], "nothing": ["x"], "is nothing": ["nothing"]}
# A value that is false or missing in a careless test, asked for by two operations.
_ASKED_TWICE: dict[str, dict[str, list[str]]] = {
    "by two others": {"one": ["it"], "other": ["it"], "both": ["one", "other"]},
    "and through another": {"one": ["it"], "both": ["it", "one"]},
    "through another and directly": {"one": ["it"], "both": ["one", "it"]},
    "twice": {"both": ["it", "it"]},
}
_READERS = {"nothing": "is nothing", "zero": "add", "empty": "length", "unclear": "clear"}


def _asked_twice(part: str, ordered: bool) -> Iterator[Case]:
    """Yield cases with an operation `it` that returns None, 0, [] or a value without a truth."""
    for kind, reader in _READERS.items():
        for how, readers in _ASKED_TWICE.items():
            parents = {"x": [], "it": ["x"], **readers}
            kinds = {"it": kind, **dict.fromkeys(readers, reader)}
            order = ["it", *readers] if ordered else None
            name = f"{kind}, read {how}"
            yield ask(name, parents, "both", {"x": 5}, kinds=kinds, part=part, order=order)


def _of_edges(ordered: bool) -> list[Case]:
    """Return what both forwards have to answer alike."""
    none: dict[str, Any] = {"x": None}
    order = ["subtract"] if ordered else None
    cases = [
        ask("two inputs, b - a", _REVERSED, "subtract", {"a": 2, "b": 10}, order=order),
        ask("an input that is None", {"x": [], "is nothing": ["x"]}, "is nothing", none,
            order=["is nothing"] if ordered else None),
        ask("None asked for", _NOTHING, "nothing", {"x": 1},
            order=["nothing", "is nothing"] if ordered else None),
        ask("an input asked for that is None", _NOTHING, "x", none,
            order=["nothing", "is nothing"] if ordered else None),
        ask("an input that nothing reads", {**_TINY, "y": []}, "sum", {"x": 3, "y": 4},
            order=["double", "square", "sum"] if ordered else None),
    ]  # fmt: skip
    cases += _asked_twice("right" if ordered else "once", ordered)
    return cases


# --- lazy_forward ---


def _lazy_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    few, x, deep = (generator.randint(2, 99) for _ in range(3))
    cases = [
        ask("the tiny graph, x = 3", _TINY, "sum", {"x": 3}),
        ask("the same with x = 4", _TINY, "sum", {"x": 4}),
        ask("two inputs, a - b", _SUBTRACT, "subtract", {"b": 2, "a": 10}),
        ask("a chain of 5", chain(5), "n5", {"x": few}),
        ask("the tiny graph, x = 0", _TINY, "sum", {"x": 0}),
        ask("an operation that returns None", _NOTHING, "is nothing", {"x": x}),
        ask("an input asked for", _TINY, "x", {"x": 3}, part="once"),
        ask("only double asked for", _TINY, "double", {"x": 3}, part="once"),
        ask("b = a + a", TWICE, "b", {"x": 3}, part="once"),
        ask("12 diamonds", ladder(12), "join12", {"x": 1}, part="once"),
        *_of_edges(ordered=False),
        ask("1,000 diamonds", ladder(1000), "join1000", {"x": x}, part="deep"),
        *(
            ask(f"a chain of {depth:,}", chain(depth), f"n{depth}", {"x": deep}, part="deep")
            for depth in depths(generator, _DEEP)
        ),
    ]
    return cases + [random_ask(generator, number) for number in range(1, 9 if more else 3)]


_judge_value = expect(lambda case: values_of(case)[case.data["output"]])


def _judge_lazy(case: Case, outcome: Outcome) -> Wrong | None:
    wrong, found = _judge_value(case, entry(outcome, "value")), observed(outcome)
    if wrong is not None or found is None:
        return wrong
    expected, executed = Counter(needed(case)), Counter(found["executed"])
    if executed == expected:
        return None
    often = ", ".join(f"{name} {count} ×" for name, count in executed.most_common(20))
    wanted = describe(sorted(expected), 200)
    return Wrong(f"executed once: {wanted}", often or "nothing executed", "The value is right.")


def _symptom(case: Case, outcome: Outcome) -> object:
    """Return the value and what was executed, in no order."""
    found = observed(outcome)
    if found is None or not isinstance(outcome, Returned):
        return symptom(case, outcome)
    return [found["value"], sorted(found["executed"]), sorted(outcome.changed)]


_LIMIT = ("setrecursionlimit", "stack_size")

LAZY_FORWARD = Exercise(
    name="lazy_forward",
    minutes=12,
    parts={"right": 1, "once": 1, "deep": 1},
    cases=_lazy_cases,
    judge=_judge_lazy,
    symptom=_symptom,
    forbids=Forbidden(
        modules=NO_LIBRARY,
        names=_LIMIT,
        why=f"{WRITE_IT} Python's recursion limit may not be raised either: use a list.",
    ),
    arguments=counting_operations,
    observe=value_and_executed,
    seconds=10,
)


# --- ordered_forward ---


def _ordered_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    order, another, x = ["double", "square", "sum"], ["square", "double", "sum"], {"x": 3}
    deep = chain(2000)
    cases = [
        ask("the tiny graph, x = 3", _TINY, "sum", x, order=order),
        ask("another order of the same graph", _TINY, "sum", x, order=another),
        ask("the same with x = 4", _TINY, "sum", {"x": 4}, order=order),
        ask("two inputs, a - b", _SUBTRACT, "subtract", {"b": 2, "a": 10}, order=["subtract"]),
        ask("double asked for, sum computed too", _TINY, "double", x, order=order),
        ask("an input asked for", _TINY, "x", x, order=order),
        ask("b = a + a", TWICE, "b", x, order=["a", "b"]),
        ask("a chain of 2,000", deep, "n2000", {"x": 7}, order=list(deep)[1:]),
        ask("no operation", {"x": []}, "x", {"x": 3}, order=[]),
        *_of_edges(ordered=True),
    ]
    return cases + [_random_order(generator, n) for n in range(1, 9 if more else 3)]


def _random_order(generator: random.Random, number: int) -> Case:
    case = random_ask(generator, number)
    parents, inputs = case.data["parents"], case.data["inputs"]
    order: list[str] = []
    while len(order) + len(inputs) < len(parents):
        known = {*inputs, *order}
        free = [name for name in parents if name not in known and known.issuperset(parents[name])]
        order.append(generator.choice(free))
    kinds = case.data["operations"]
    return ask(case.name, parents, case.data["output"], inputs, kinds=kinds, order=order)


def _judge_ordered(case: Case, outcome: Outcome) -> Wrong | None:
    wrong, found = _judge_value(case, entry(outcome, "value")), observed(outcome)
    if wrong is not None or found is None:
        return wrong
    # Executions are not recorded while time is measured.
    order = [] if case.data.get("uncounted") else case.data["order"]
    if found["executed"] == order:
        return None
    executed = describe(found["executed"], 120)
    return Wrong(
        f"executed: {describe(order, 120)}", f"executed: {executed}", "The value is right."
    )


def _speed_case(generator: random.Random) -> Case:
    """Return 1,500 cheap operations, each on the previous value and a random earlier one."""
    names = [f"v{number}" for number in range(1500)]
    generator.shuffle(names)
    parents: dict[str, list[str]] = {"x": []}
    known = ["x"]
    for name in names:
        parents[name] = [known[-1], generator.choice(known)]  # the first makes all of them needed
        known.append(name)
    case = ask(
        "1,500 operations",
        parents,
        names[-1],
        {"x": generator.randint(1, 9)},
        kinds=dict.fromkeys(names, "subtract"),
        part="speed",
        order=names,
    )
    return Case(case.name, {**case.data, "uncounted": True}, case.part, case.call)


ORDERED_FORWARD = Exercise(
    name="ordered_forward",
    minutes=4,
    parts={"right": 2},
    cases=_ordered_cases,
    judge=_judge_ordered,
    symptom=_symptom,
    forbids=Forbidden(modules=NO_LIBRARY, why=WRITE_IT),
    arguments=counting_operations,
    observe=value_and_executed,
    seconds=10,
    speed=Speed(
        points=1,
        reference=ordered_forward,
        inputs=_speed_case,
        full=1.5,
        none=4,
        beside="a plain solution",
    ),
    provided=ordered_forward,
)
