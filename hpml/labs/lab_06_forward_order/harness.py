"""Operations for the forwards of lab 06, made from their names, which note that they ran."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hpml.sandbox.harness import by_name

AT_MOST = 50_000
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
    "nothing": lambda value: None,
    "is nothing": lambda value: int(value is None),
    "add": _add,
    "subtract": _subtract,
}
"""What an operation may compute; `add` and `subtract` take any number of values."""


_kinds: dict[int, str] = {}
_executed: list[str] = []
# What the operations of the last call compute, and what was executed of them: beside the
# operations, not on them, for they are in the student's hands.


class Operation:
    """One operation of a graph: a function of which it is written down each time it is executed."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *values: Any) -> Any:
        if len(_executed) >= AT_MOST:
            raise RuntimeError(f"stopped after {AT_MOST:,} executions of operations")
        _executed.append(self.name)
        return KINDS[_kinds[id(self)]](*values)

    def __repr__(self) -> str:
        return f"<operation {self.name}>"


def counting_operations(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a forward: `data` with functions in place of their kinds."""
    kinds: Mapping[str, str] = data["operations"]
    _executed.clear()
    _kinds.clear()
    # In the order of the function's parameters.
    given = by_name(data)
    if given.pop("uncounted", False):
        given["operations"] = {name: KINDS[kind] for name, kind in kinds.items()}
        return given
    given["operations"] = {name: Operation(name) for name in kinds}
    _kinds.update((id(each), kinds[name]) for name, each in given["operations"].items())
    return given


def value_and_executed(result: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result, and the names of the operations in the order they were executed."""
    return {"value": result, "executed": list(_executed)}
