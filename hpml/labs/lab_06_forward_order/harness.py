"""Operations for the forwards of lab 06, made from their names, which note that they ran."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

AT_MOST = 200_000
"""Executions of all operations of a call together; then a forward that never ends is stopped."""


def _add(*values: Any) -> Any:
    return sum(values)


def _subtract(first: Any, *others: Any) -> Any:
    return first - sum(others)


KINDS: Mapping[str, Callable[..., Any]] = {
    "next": lambda value: value + 1,
    "double": lambda value: 2 * value,
    "square": lambda value: value * value,
    "negative": lambda value: -value,
    "add": _add,
    "subtract": _subtract,
}
"""What an operation may compute; `add` and `subtract` take any number of values."""


class Operation:
    """One operation of a graph: a function that writes its name down each time it is executed."""

    __slots__ = ("_compute", "executed", "name")

    def __init__(self, name: str, kind: str, executed: list[str]) -> None:
        self.name = name
        self.executed = executed
        self._compute = KINDS[kind]

    def __call__(self, *values: Any) -> Any:
        if len(self.executed) >= AT_MOST:
            raise RuntimeError(f"stopped after {AT_MOST:,} executions of operations")
        self.executed.append(self.name)
        return self._compute(*values)

    def __repr__(self) -> str:
        return f"<operation {self.name}>"


def counting_operations(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a forward: `data` with functions in place of their kinds.

    Args:
        data: the arguments by name; ``operations`` holds the kind of each, one of `KINDS`. With a
            true ``uncounted`` they are bare functions, for measuring.

    >>> given = counting_operations({"operations": {"a": "next"}, "inputs": {"x": 3}})
    >>> given["operations"]["a"](3), given["operations"]["a"].executed
    (4, ['a'])
    """
    given: dict[str, Any] = {
        name: copy.deepcopy(value)
        for name, value in data.items()
        if name not in ("operations", "uncounted")
    }
    kinds: Mapping[str, str] = data["operations"]
    executed: list[str] = []
    if data.get("uncounted"):
        given["operations"] = {name: KINDS[kind] for name, kind in kinds.items()}
    else:
        given["operations"] = {n: Operation(n, kind, executed) for n, kind in kinds.items()}
    return given


def value_and_executed(result: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result, and the names of the operations in the order they were executed."""
    made = arguments["operations"].values()
    executed = next((each.executed for each in made if type(each) is Operation), [])
    return {"value": result, "executed": executed}
