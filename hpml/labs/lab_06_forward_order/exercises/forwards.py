"""The forwards of lab 06, asked lazily and in a precomputed order."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from hpml.base.errors import describe
from hpml.course.exercises.exercise import Case, Exercise, Forbidden, Misconception, Speed, Wrong
from hpml.course.exercises.outcomes import NoAnswer, Outcome, Raised, Returned
from hpml.course.exercises.same import difference, shown
from hpml.course.small_graphs import chain, ladder
from hpml.labs.lab_06_forward_order.exercises.graphs import (
    NO_LIBRARY,
    TWICE,
    WRITE_IT,
    ask,
    needed,
    output_of,
    parents_of,
    random_ask,
    values_of,
)
from hpml.labs.lab_06_forward_order.harness import KINDS, counting_operations, value_and_executed
from hpml.labs.lab_06_forward_order.references import ordered_forward

__all__ = ["LAZY_FORWARD", "ORDERED_FORWARD"]

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
        ask("a chain of 5", chain(5), "n5", {"x": 7}),
        ask("an input asked for", _TINY, "x", {"x": 3}, kinds=_TINY_KINDS, part="once"),
        ask("only double asked for", _TINY, "double", {"x": 3}, kinds=_TINY_KINDS, part="once"),
        ask("b = a + a", TWICE, "b", {"x": 3}, part="once"),
        ask("12 diamonds", ladder(12), "join12", {"x": 1}, part="once"),
    ]  # fmt: skip
    cases += [random_ask(generator, number) for number in range(1, 9 if more else 3)]
    if more:
        cases.append(ask("1,000 diamonds", ladder(1000), "join1000", {"x": 2}, part="deep"))
    deep = f"a chain of {_DEEP:,}"
    return [*cases, ask(deep, chain(_DEEP), f"n{_DEEP}", {"x": 7}, part="deep")]


def _observed(outcome: Outcome) -> tuple[Any, list[str]] | None:
    """Return value and executed names; None if the call gave neither."""
    if not isinstance(outcome, Returned) or not isinstance(outcome.value, dict):
        return None
    executed = outcome.value.get("executed")
    names = executed if isinstance(executed, list) else []
    return outcome.value.get("value"), [name for name in names if isinstance(name, str)]


def _judge_value(case: Case, outcome: Outcome) -> Wrong | None:
    expected, observed = values_of(case)[output_of(case)], _observed(outcome)
    if observed is None:
        return Wrong(describe(expected, 200), shown(outcome))
    value, _ = observed
    where = difference(expected, value)
    if where is None:
        return None
    why = "" if type(value) is type(expected) else where
    return Wrong(describe(expected, 200), describe(value, 200), why)


def _judge_lazy(case: Case, outcome: Outcome) -> Wrong | None:
    wrong, observed = _judge_value(case, outcome), _observed(outcome)
    if wrong is not None or observed is None:
        return wrong
    often = Counter(observed[1])
    most = max(often, key=lambda name: often[name], default="")
    if often[most] > 1:
        return Wrong("each operation executed once", f"{most!r} executed {often[most]:,} times",
                     "The value is right.")  # fmt: skip
    wanted = needed(case)
    needless = [name for name in often if name not in wanted]
    if needless:
        return Wrong(
            f"only what {output_of(case)!r} needs is executed", f"also {describe(needless)}",
            "The value is right.",
        )  # fmt: skip
    return None


def _too_deep(outcome: Outcome) -> bool:
    return (isinstance(outcome, Raised) and "RecursionError" in outcome.bases) or (
        isinstance(outcome, NoAnswer) and outcome.reason == "ended"
    )


def _recursion(case: Case, outcome: Outcome) -> bool:
    return case.part == "deep" and _too_deep(outcome)


def _no_memory(case: Case, outcome: Outcome) -> bool:
    observed = _observed(outcome)
    if observed is None:
        stopped = isinstance(outcome, Raised) and "executions of operations" in outcome.message
        return stopped or _recursion(case, outcome)
    right = difference(values_of(case)[output_of(case)], observed[0]) is None
    return right and len(observed[1]) > len(set(observed[1]))


def _looks_for_the_output(case: Case, outcome: Outcome) -> bool:
    """Whether the output itself is what could not be found."""
    missing = repr(output_of(case))
    return isinstance(outcome, Raised) and (outcome.type, outcome.message) == ("KeyError", missing)


def _computes_inputs(case: Case, outcome: Outcome) -> bool:
    given = cast("Mapping[str, object]", case.data["inputs"])
    return output_of(case) in given and _looks_for_the_output(case, outcome)


def _executes_everything(case: Case, outcome: Outcome) -> bool:
    if isinstance(outcome, Raised):  # parents that come later in the dictionary
        return outcome.type == "KeyError"
    observed = _observed(outcome)
    return observed is not None and set(observed[1]) > needed(case)


def _fills_inputs(case: Case, outcome: Outcome) -> bool:
    return isinstance(outcome, Returned) and "inputs" in outcome.changed


_LIMIT = ("setrecursionlimit", "stack_size")

LAZY_FORWARD = Exercise(
    lab="06",
    number=2,
    name="lazy_forward",
    statement=(
        "`lazy_forward(parents, operations, inputs, output)` returns the value of `output`, "
        "executes only what is needed, each operation once, in graphs of any depth, and leaves "
        "`inputs` as it was."
    ),
    signature="lazy_forward(parents: dict, operations: dict, inputs: dict, output: str)",
    example="lazy_forward({'x': [], 'n': ['x']}, {'n': abs}, {'x': -3}, 'n')",
    shows="3",
    parts={"right": 1, "once": 1, "deep": 1},
    cases=_lazy_cases,
    judge=_judge_lazy,
    misconceptions=(
        Misconception(
            "fills_inputs",
            "It left values in the caller's `inputs`. The next call finds old values there: begin "
            "with a copy, `dict(inputs)`.",
            _fills_inputs,
        ),
        Misconception(
            "recursion",
            "Each question that waits is a function call that has not returned, and Python allows "
            "only so many of them. Keep those who wait in a list of your own, as in the table of "
            "steps.",
            _recursion,
        ),
        Misconception(
            "no_memory",
            "A value that is known was computed again. Remember it: with each diamond the number "
            "of executions doubles.",
            _no_memory,
        ),
        Misconception(
            "computes_inputs",
            "An input may be asked for, and it has no operation. Look first whether a value is "
            "known; only then at its parents and its operation.",
            _computes_inputs,
        ),
        Misconception(
            "forgets_who_asked",
            "`output` was never executed: whoever lacks something is taken off the list, and "
            "nobody comes back to it when its parents are known. Leave it there, below what it "
            "lacks, until its own value is known.",
            _looks_for_the_output,
        ),
        Misconception(
            "executes_everything",
            "It went through the whole graph, from its first entry on. Begin at `output`: execute "
            "what it needs, and nothing else; nor do parents always stand before children.",
            _executes_everything,
        ),
    ),
    hints=(
        "Keep a list of those who wait, beginning with `output`, and look at its last entry only.",
        "The last entry is known: take it off. It lacks parents: put those on top. It lacks "
        "nothing: execute it.",
        "What is known is a dictionary of this call, which begins as a copy of `inputs`.",
    ),
    forbids=Forbidden(
        modules=NO_LIBRARY,
        names=_LIMIT,
        why=f"{WRITE_IT} Nor may Python's limit of recursion be raised: use a list.",
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
        ask("b = a + a", TWICE, "b", {"x": 3}, order=["a", "b"]),
        ask("a chain of 2,000", deep, "n2000", {"x": 7}, order=list(deep)[1:]),
    ]  # fmt: skip
    return cases + [_random_order(generator, n) for n in range(1, 9 if more else 3)]


def _random_order(generator: random.Random, number: int) -> Case:
    case = random_ask(generator, number)
    parents, inputs = parents_of(case), cast("Mapping[str, int]", case.data["inputs"])
    order: list[str] = []
    while len(order) + len(inputs) < len(parents):
        known = {*inputs, *order}
        free = [name for name in parents if name not in known and known.issuperset(parents[name])]
        order.append(generator.choice(free))
    kinds = cast("Mapping[str, str]", case.data["operations"])
    return ask(case.name, parents, output_of(case), inputs, kinds=kinds, order=order)


def _order(case: Case) -> list[str]:
    return cast("list[str]", case.data["order"])


def _judge_ordered(case: Case, outcome: Outcome) -> Wrong | None:
    wrong, observed = _judge_value(case, outcome), _observed(outcome)
    if wrong is not None or observed is None:
        return wrong
    if _follows(observed[1], _order(case)):
        return None
    text = describe(observed[1], 120)
    return Wrong(f"executed in the order {describe(_order(case), 120)}", text,
                 "The value is right.")  # fmt: skip


def _follows(executed: Sequence[str], order: Sequence[str]) -> bool:
    """Return whether names follow an order, each at most once."""
    places = {name: place for place, name in enumerate(order)}
    found = [places.get(name, -1) for name in executed]
    return found == sorted(set(found)) and -1 not in found


def _last_value(case: Case) -> Any:
    return values_of(case)[_order(case)[-1]]


def _arguments_as_known(case: Case) -> Any:
    """Return what comes of taking arguments in the order in which values became known."""
    kinds = cast("Mapping[str, str]", case.data["operations"])
    values = dict(cast("Mapping[str, Any]", case.data["inputs"]))
    for name in _order(case):
        above = parents_of(case)[name]
        given = [value for known, value in values.items() if known in above]
        values[name] = KINDS[kinds[name]](*given)
    return values[output_of(case)]


def _value_is(compute: Callable[[Case], Any]) -> Callable[[Case, Outcome], bool]:
    def fits(case: Case, outcome: Outcome) -> bool:
        observed = _observed(outcome)
        wrong = observed is not None and _judge_value(case, outcome) is not None
        return wrong and observed is not None and difference(compute(case), observed[0]) is None

    return fits


def _other_order(case: Case, outcome: Outcome) -> bool:
    observed = _observed(outcome)
    right = observed is not None and _judge_value(case, outcome) is None
    return right and observed is not None and not _follows(observed[1], _order(case))


def _speed_case(generator: random.Random) -> Case:
    """Return a few thousand cheap operations, each on values from anywhere before it."""
    names = [f"v{number}" for number in range(3000)]
    generator.shuffle(names)
    parents: dict[str, list[str]] = {"x": []}
    known = ["x"]
    for name in names:
        parents[name] = [known[-1], generator.choice(known)]  # so that every one is needed
        known.append(name)
    case = ask("3,000 operations", parents, names[-1], {"x": generator.randint(1, 9)},
                kinds=dict.fromkeys(names, "subtract"), part="speed", order=names)  # fmt: skip
    return Case(case.name, {**case.data, "uncounted": True}, case.part, case.call)


ORDERED_FORWARD = Exercise(
    lab="06",
    number=3,
    name="ordered_forward",
    statement=(
        "`ordered_forward(order, parents, operations, inputs, output)` executes the operations in "
        "the given order and returns the value of `output`. `order` names every value that is not "
        "an input. Leave `inputs` as it was. One of the points is for speed: thousands of cheap "
        "operations in at most about 1.5 times the time of a plain solution; from 4 times on it "
        "is lost."
    ),
    signature=(
        "ordered_forward(order: list, parents: dict, operations: dict, inputs: dict, output: str)"
    ),
    example="ordered_forward(['n'], {'x': [], 'n': ['x']}, {'n': abs}, {'x': -3}, 'n')",
    shows="3",
    parts={"right": 2},
    cases=_ordered_cases,
    judge=_judge_ordered,
    misconceptions=(
        Misconception(
            "writes_into_inputs",
            "It left values in the caller's `inputs`. The next call finds old values there: begin "
            "with a copy, `dict(inputs)`.",
            _fills_inputs,
        ),
        Misconception(
            "last_value",
            "That is the value of the last operation in the order; `output` says which one is "
            "asked for.",
            _value_is(_last_value),
        ),
        Misconception(
            "arguments_as_known",
            "The arguments came in the order in which the values became known. For `a - b` it "
            "matters: take them in the order of `parents[name]`.",
            _value_is(_arguments_as_known),
        ),
        Misconception(
            "ignores_the_order",
            "The value is right, but the operations were not executed in the given order. Nobody "
            "needs to be asked any more: `order` has settled it.",
            _other_order,
        ),
    ),
    hints=(
        "One loop over `order`, and a dictionary of what is known.",
        "The arguments of an operation are the values of its parents, in their order: "
        "`operation(*values)` hands over the entries of a list one by one.",
        "For speed: `in` and `.index` search a list from its beginning, and the search grows with "
        "the graph. A dictionary finds a name at once.",
    ),
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
