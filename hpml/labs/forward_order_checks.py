"""What the checks of lab 06 say in the notebook: help while writing, not the grade.

Each check tries a function on a few graphs and says in words what went wrong, by the mistakes that
are really made: a shared value computed again and again, a graph too deep for recursion, the
caller's dictionary filled with values. A check never raises; an unfinished function is not done
yet.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hpml.base import Table, describe
from hpml.labs.errors import LabError
from hpml.labs.small_graphs import Parents, chain, counting_operations, ladder

__all__ = ["check_count_calls", "check_lazy_forward", "check_ordered_forward"]

NOT_DONE = "Not done yet: it returns nothing so far."
RIGHT = "Right."

_TINY: Parents = {"x": [], "double": ["x"], "square": ["x"], "sum": ["double", "square"]}
_TINY_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "double": lambda value: 2 * value,
    "square": lambda value: value * value,
    "sum": lambda left, right: left + right,
}


def check_count_calls(function: Callable[..., Any]) -> Table:
    """Check ``count_calls(parents, output, remember) -> int``.

    >>> def stub(parents, output, remember): ...
    >>> set(check_count_calls(stub).column("what the check says")) == {NOT_DONE}
    True
    """
    cases = (
        ("a chain of 5, without memory", chain(5), "n5", False, 5),
        ("the same, with memory", chain(5), "n5", True, 5),
        ("two diamonds, without memory", ladder(2), "join2", False, 9),
        ("two diamonds, with memory", ladder(2), "join2", True, 6),
        ("two diamonds, only the first one asked for", ladder(2), "join1", False, 3),
        ("b = a + a", {"x": [], "a": ["x"], "b": ["a", "a"]}, "b", False, 3),
        ("an input asked for", chain(5), "x", False, 0),
        ("20 diamonds, without memory", ladder(20), "join20", False, 3_145_725),
    )

    def judge(parents: Parents, output: str, remember: bool, expected: int) -> str:
        found = function(copy.deepcopy(parents), output, remember)
        if found is None:
            return NOT_DONE
        if found == expected and type(found) is int:
            return RIGHT
        return _wrong(found, expected) + _counting_hint(found, expected, parents, output)

    return _report(
        [(name, lambda args=args: judge(*args)) for name, *args in cases]  # type: ignore[misc]
    )


def check_lazy_forward(function: Callable[..., Any]) -> Table:
    """Check ``lazy_forward(parents, operations, inputs, output)``.

    >>> def recursive(parents, operations, inputs, output):
    ...     if output in inputs:
    ...         return inputs[output]
    ...     values = [recursive(parents, operations, inputs, name) for name in parents[output]]
    ...     return operations[output](*values)
    >>> said = check_lazy_forward(recursive).column("what the check says")
    >>> said[0], said[3].split(":")[0], said[4].split(":")[0]
    ('Right.', 'Not there yet', 'Not there yet')
    """

    def tiny() -> str:
        return _compare(_run(function, _TINY, _TINY_OPERATIONS, {"x": 3}, "sum"), 15)

    def only_needed() -> str:
        operations, executed = counting_operations(_TINY)
        found = _run(function, _TINY, operations, {"x": 3}, "double")
        if found is not None and executed["square"]:
            return "Not there yet: it executed square, which double does not need."
        return _compare(found, 3)

    def an_input() -> str:
        return _compare(_run(function, _TINY, _TINY_OPERATIONS, {"x": 3}, "x"), 3)

    def shared() -> str:
        parents = ladder(12)
        operations, executed = counting_operations(parents, at_most=1000)
        try:
            found = _run(function, parents, operations, {"x": 1}, "join12")
        except LabError:
            often = executed.most_common(1)[0]
            return (
                f"Not there yet: {often[0]} was executed {often[1]} times before the check "
                "stopped it. A value that is known need not be computed again: remember it."
            )
        return _compare(found, 2**12)

    def deep() -> str:
        parents = chain(20_000)
        operations, _ = counting_operations(parents)
        try:
            return _compare(_run(function, parents, operations, {"x": 7}, "n20000"), 7)
        except RecursionError:
            return (
                "Not there yet: RecursionError. Keep who is waiting in a list of your own, as in "
                "the table of steps."
            )

    def again() -> str:
        _run(function, _TINY, _TINY_OPERATIONS, {"x": 3}, "sum")
        return _compare(_run(function, _TINY, _TINY_OPERATIONS, {"x": 4}, "sum"), 24)

    return _report(
        [
            ("the tiny graph, x = 3", tiny),
            ("only double asked for", only_needed),
            ("an input asked for", an_input),
            ("12 diamonds", shared),
            ("a chain of 20,000", deep),
            ("a second call, x = 4", again),
        ]
    )


def check_ordered_forward(function: Callable[..., Any]) -> Table:
    """Check ``ordered_forward(order, parents, operations, inputs, output)``.

    >>> def right(order, parents, operations, inputs, output):
    ...     values = dict(inputs)
    ...     for name in order:
    ...         values[name] = operations[name](*[values[parent] for parent in parents[name]])
    ...     return values[output]
    >>> set(check_ordered_forward(right).column("what the check says"))
    {'Right.'}
    """
    order = ["double", "square", "sum"]

    def run(order: Sequence[str], value: int, output: str) -> Any:
        return _run(function, _TINY, _TINY_OPERATIONS, {"x": value}, output, order)

    def difference() -> str:
        parents = {"a": [], "b": [], "difference": ["a", "b"]}
        operations = {"difference": lambda left, right: left - right}
        given = {"b": 2, "a": 10}
        return _compare(_run(function, parents, operations, given, "difference", parents_order), 8)

    parents_order = ["difference"]

    def middle() -> str:
        found = run(order, 3, "double")
        if found == 15:
            return "Not there yet: got 15, the last value; `output` says which one is asked for."
        return _compare(found, 6)

    def deep() -> str:
        parents = chain(20_000)
        operations, _ = counting_operations(parents)
        names = [name for name in parents if name != "x"]
        return _compare(_run(function, parents, operations, {"x": 7}, "n20000", names), 7)

    return _report(
        [
            ("the tiny graph, x = 3", lambda: _compare(run(order, 3, "sum"), 15)),
            (
                "another order of the same graph",
                lambda: _compare(run(["square", "double", "sum"], 3, "sum"), 15),
            ),
            ("two inputs, a - b", difference),
            ("double asked for, sum computed too", middle),
            ("a chain of 20,000", deep),
            ("a second call, x = 4", lambda: _compare(run(order, 4, "sum"), 24)),
        ]
    )


def _run(
    function: Callable[..., Any],
    parents: Parents,
    operations: Mapping[str, Callable[..., Any]],
    inputs: dict[str, Any],
    output: str,
    order: Sequence[str] | None = None,
) -> Any:
    """Call the student's function, and see that it leaves what it was given alone."""
    given = dict(inputs)
    first = () if order is None else (list(order),)
    found = function(*first, parents, operations, given, output)
    if found is not None and given != inputs:
        new = [name for name in given if name not in inputs]
        raise LabError(
            f"it left {describe(new)} in the caller's `inputs`. The next call finds old values "
            "there: begin with a copy, `dict(inputs)`"
        )
    return found


def _compare(found: Any, expected: Any) -> str:
    if found is None:
        return NOT_DONE
    return RIGHT if found == expected else _wrong(found, expected)


def _wrong(found: Any, expected: Any) -> str:
    return f"Not there yet: got {describe(found)}, expected {describe(expected)}."


def _counting_hint(found: Any, expected: int, parents: Parents, output: str) -> str:
    if found == _questions(parents, output):
        return " You counted the questions; inputs are asked for too, but nothing is executed."
    if found == sum(1 for name in parents if parents[name]) != expected:
        return " That is every operation of the graph once. Which are executed, and how often?"
    return ""


def _questions(parents: Parents, output: str) -> int:
    """Return how often anything is asked for without memory, the inputs included."""
    asked: dict[str, int] = {}
    for name, above in parents.items():
        asked[name] = 1 + sum(asked[parent] for parent in above)
    return asked[output]


def _report(cases: Sequence[tuple[str, Callable[[], str]]]) -> Table:
    rows = []
    for name, judge in cases:
        try:
            said = judge()
        except Exception as error:  # noqa: BLE001 - whatever the student's function raises
            kind = "" if isinstance(error, LabError) else f"it raised {type(error).__name__}: "
            said = f"Not there yet: {kind}{error}"
        rows.append([name, said])
    if all(said == NOT_DONE for _, said in rows):
        rows = [[f"all {len(rows)} cases", NOT_DONE]]
    return Table(["case", "what the check says"], rows)
