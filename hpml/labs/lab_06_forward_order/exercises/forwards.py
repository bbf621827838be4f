"""The two forwards of lab 06: lazy, and in a precomputed order."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from hpml.base.errors import describe
from hpml.course.exercises.exercise import Case, Exercise, Forbidden, Speed, Wrong
from hpml.course.exercises.outcomes import Outcome, Raised, Returned, observed, symptom
from hpml.course.exercises.same import difference, shown
from hpml.course.small_graphs import chain, ladder
from hpml.labs.lab_06_forward_order.exercises.graphs import (
    NO_LIBRARY,
    TWICE,
    WRITE_IT,
    ask,
    needed,
    random_ask,
    values_of,
)
from hpml.labs.lab_06_forward_order.harness import counting_operations, value_and_executed
from hpml.labs.lab_06_forward_order.references import ordered_forward

_DEEP = 10_000
_TINY = {"x": [], "double": ["x"], "square": ["x"], "sum": ["double", "square"]}
_TINY_KINDS = {"double": "double", "square": "square", "sum": "add"}


# --- lazy_forward ---


def _lazy_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    difference_ = {"a": [], "b": [], "difference": ["a", "b"]}
    cases = [
        ask("the tiny graph, x = 3", _TINY, "sum", {"x": 3}, kinds=_TINY_KINDS),
        ask("the same with x = 4", _TINY, "sum", {"x": 4}, kinds=_TINY_KINDS),
        ask(
            "two inputs, a - b", difference_, "difference", {"b": 2, "a": 10},
            kinds={"difference": "subtract"},
        ),
        ask("a chain of 5", chain(5), "n5", {"x": generator.randint(2, 99)}),
        ask("the tiny graph, x = 0", _TINY, "sum", {"x": 0}, kinds=_TINY_KINDS),
        ask(
            "an operation that returns None", {"x": [], "log": ["x"], "seen": ["log"]}, "seen",
            {"x": generator.randint(2, 99)}, kinds={"log": "nothing", "seen": "is nothing"},
        ),
        ask("an input asked for", _TINY, "x", {"x": 3}, kinds=_TINY_KINDS, part="once"),
        ask("only double asked for", _TINY, "double", {"x": 3}, kinds=_TINY_KINDS, part="once"),
        ask("b = a + a", TWICE, "b", {"x": 3}, part="once"),
        ask("12 diamonds", ladder(12), "join12", {"x": 1}, part="once"),
    ]  # fmt: skip
    cases += [random_ask(generator, number) for number in range(1, 9 if more else 3)]
    if more:
        length, x = generator.randint(3, 9), generator.randint(5, 99)
        cases.append(ask("a drawn chain", chain(length), f"n{length}", {"x": x}))
        cases.append(ask("the tiny graph, x drawn", _TINY, "sum", {"x": x}, kinds=_TINY_KINDS))
        x = generator.randint(2, 99)
        cases.append(ask("1,000 diamonds", ladder(1000), "join1000", {"x": x}, part="deep"))
    deep = f"a chain of {_DEEP:,}"
    x = generator.randint(2, 99)
    return [*cases, ask(deep, chain(_DEEP), f"n{_DEEP}", {"x": x}, part="deep")]


def _judge_value(case: Case, outcome: Outcome) -> Wrong | None:
    expected, found = values_of(case)[case.data["output"]], observed(outcome)
    if found is None:
        return Wrong(describe(expected, 200), shown(outcome))
    value = found["value"]
    where = difference(expected, value)
    if where is None:
        return None
    why = "" if type(value) is type(expected) else where
    return Wrong(describe(expected, 200), describe(value, 200), why)


def _judge_lazy(case: Case, outcome: Outcome) -> Wrong | None:
    wrong, found = _judge_value(case, outcome), observed(outcome)
    if wrong is not None or found is None:
        return wrong
    counts = Counter(found["executed"])
    most = max(counts, key=lambda name: counts[name], default="")
    if counts[most] > 1:
        return Wrong("each operation executed once", f"{most!r} executed {counts[most]:,} times",
                     "The value is right.")  # fmt: skip
    wanted = needed(case)
    needless = [name for name in counts if name not in wanted]
    if needless:
        return Wrong(
            f"only what {case.data['output']!r} needs is executed", f"also {describe(needless)}",
            "The value is right.",
        )  # fmt: skip
    return _never_executed(wanted, found["executed"])


def _never_executed(wanted: set[str], executed: Sequence[str]) -> Wrong | None:
    """Return why a right value is wrong: some wanted operations were not executed."""
    missing = sorted(wanted - set(executed))
    if not missing:
        return None
    return Wrong(
        f"{len(wanted)} operations executed", f"{describe(missing, 120)} never",
        "The value is right, but these operations were not executed.",
    )  # fmt: skip


def _symptom(case: Case, outcome: Outcome) -> object:
    """Return the value and the faults of the executions, whose order may differ."""
    found = observed(outcome)
    if found is not None and isinstance(outcome, Returned):
        value, executed = found["value"], found["executed"]
        again = len(executed) > len(set(executed))
        if "order" in case.data:
            follows = _follows(executed, case.data["order"])
            left_out = follows and len(executed) < len(case.data["order"])
            return [value, follows, left_out, sorted(outcome.changed)]
        return [value, again, bool(set(executed) - needed(case)), sorted(outcome.changed)]
    if isinstance(outcome, Raised) and outcome.type == "KeyError":
        return ["KeyError", outcome.message == repr(case.data["output"])]
    return symptom(case, outcome)


_LIMIT = ("setrecursionlimit", "stack_size")

LAZY_FORWARD = Exercise(
    name="lazy_forward",
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
    order = ["double", "square", "sum"]
    difference_ = {"a": [], "b": [], "difference": ["a", "b"]}
    deep = chain(2000)
    cases = [
        ask("the tiny graph, x = 3", _TINY, "sum", {"x": 3}, kinds=_TINY_KINDS, order=order),
        ask(
            "another order of the same graph", _TINY, "sum", {"x": 3}, kinds=_TINY_KINDS,
            order=["square", "double", "sum"],
        ),
        ask("the same with x = 4", _TINY, "sum", {"x": 4}, kinds=_TINY_KINDS, order=order),
        ask(
            "two inputs, a - b", difference_, "difference", {"b": 2, "a": 10},
            kinds={"difference": "subtract"}, order=["difference"],
        ),
        ask(
            "double asked for, sum computed too", _TINY, "double", {"x": 3}, kinds=_TINY_KINDS,
            order=order,
        ),
        ask("an input asked for", _TINY, "x", {"x": 3}, kinds=_TINY_KINDS, order=order),
        ask("b = a + a", TWICE, "b", {"x": 3}, order=["a", "b"]),
        ask("a chain of 2,000", deep, "n2000", {"x": 7}, order=list(deep)[1:]),
    ]  # fmt: skip
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
    wrong, found = _judge_value(case, outcome), observed(outcome)
    if wrong is not None or found is None:
        return wrong
    order, executed = case.data["order"], found["executed"]
    if _follows(executed, order):
        # Executions are not recorded while time is measured.
        wanted = set() if case.data.get("uncounted") else set(order)
        return _never_executed(wanted, executed)
    text = describe(executed, 120)
    return Wrong(f"executed in the order {describe(order, 120)}", text,
                 "The value is right.")  # fmt: skip


def _follows(executed: Sequence[str], order: Sequence[str]) -> bool:
    """Return whether the executed names follow an order, each at most once."""
    places = {name: place for place, name in enumerate(order)}
    found = [places.get(name, -1) for name in executed]
    return found == sorted(set(found)) and -1 not in found


def _speed_case(generator: random.Random) -> Case:
    """Return 1,500 cheap operations, each on the previous value and a random earlier one."""
    names = [f"v{number}" for number in range(1500)]
    generator.shuffle(names)
    parents: dict[str, list[str]] = {"x": []}
    known = ["x"]
    for name in names:
        parents[name] = [known[-1], generator.choice(known)]  # the first makes all of them needed
        known.append(name)
    case = ask("1,500 operations", parents, names[-1], {"x": generator.randint(1, 9)},
                kinds=dict.fromkeys(names, "subtract"), part="speed", order=names)  # fmt: skip
    return Case(case.name, {**case.data, "uncounted": True}, case.part, case.call)


ORDERED_FORWARD = Exercise(
    name="ordered_forward",
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
    ),
)
