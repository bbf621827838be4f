"""The harness of lab 06: operations that record their executions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from hpml.course.sandbox.harness import by_name

AT_MOST = 50_000
"""The largest total number of executions in a call, which stops a forward that never ends."""


class _Unclear:
    """A value that cannot be compared and has no truth value, as a tensor of several numbers."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise ValueError("this value cannot be compared; ask whether its name is known")

    def __bool__(self) -> bool:
        raise ValueError("this value is neither true nor false; ask whether its name is known")


KINDS: Mapping[str, Callable[..., Any]] = {
    "next": lambda value: value + 1,
    "double": lambda value: 2 * value,
    "square": lambda value: value * value,
    "negative": lambda value: -value,
    "nothing": lambda value: None,
    "is nothing": lambda *values: sum(value is None for value in values),
    "zero": lambda value: 0,
    "unclear": lambda value: _Unclear(),
    "clear": lambda *values: sum(v if type(v) is int else 10 for v in values),
    "empty": lambda value: [],
    "length": lambda *values: sum(v if type(v) is int else len(v) for v in values),
    "add": lambda *values: sum(values),
    "subtract": lambda first, *others: first - sum(others),
}
"""The possible operations; `add` and `subtract` take any number of values."""


# Of the last call; not attributes of the operations, which the student's code can change.
_kinds: dict[int, str] = {}
_executed: list[str] = []


class Operation:
    """An operation of a graph, which records its executions."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *values: Any) -> Any:
        if len(_executed) >= AT_MOST:
            raise RuntimeError(f"stopped after {AT_MOST:,} executions of operations")
        _executed.append(self.name)
        return KINDS[_kinds[id(self)]](*values)


def counting_operations(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a forward: `data` with a function for each kind of operation."""
    kinds: Mapping[str, str] = data["operations"]
    sys.setrecursionlimit(1000)  # Python's own; another cell may have raised it
    _executed.clear()
    _kinds.clear()
    arguments = by_name(data)  # in the order of the function's parameters
    if arguments.pop("uncounted", False):
        arguments["operations"] = {name: KINDS[kind] for name, kind in kinds.items()}
        return arguments
    arguments["operations"] = {name: Operation(name) for name in kinds}
    _kinds.update((id(each), kinds[name]) for name, each in arguments["operations"].items())
    return arguments


def value_and_executed(result: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result, and the names of the executed operations in order."""
    return {"value": result, "executed": list(_executed)}
