"""The harness of lab 02: whether a list is new, and calls whose instructions are counted."""

from __future__ import annotations

import dis
from collections.abc import Callable, Mapping
from functools import partial
from types import CodeType
from typing import Any

from hpml.bytecode.watching import watch_instructions
from hpml.course.sandbox.harness import called_through


def result_and_new(result: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result, and whether it is another list than the caller's."""
    return {"result": result, "new": result is not arguments["values"]}


# The instructions of a comprehension, which from Python 3.12 on is no call.
_OF_A_COMPREHENSION = ("LIST_APPEND", "SET_ADD", "MAP_ADD")


def given(values: list[int]) -> int:
    """Return the sum of the cubes of the values between 0 and 100; the student rewrites this."""
    total = 0
    for index in range(len(values)):
        if values[index] > 0 and values[index] < 100:
            total = total + values[index] * values[index] * values[index]
        else:
            total = total + 0
    return total


def _count(function: Callable[..., Any], keywords: dict[str, Any]) -> tuple[Any, int, int]:
    instructions, calls = 0, 0
    calling: dict[CodeType, frozenset[int]] = {}

    def count(code: CodeType, offset: int) -> None:
        nonlocal instructions, calls
        if code not in calling:
            calling[code] = frozenset(
                found.offset
                for found in dis.get_instructions(code)
                if (found.opname.startswith("CALL") and found.opname != "CALL_INTRINSIC_1")
                or found.opname in _OF_A_COMPREHENSION
            )
        instructions += 1
        calls += offset in calling[code]

    value = watch_instructions(partial(function, **keywords), count)
    return value, instructions, calls


# An observer sees only the result, but instructions are counted while the function runs.
@called_through(_count)
def counted(result: tuple[Any, int, int], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result, its instructions, its calls and comprehensions, and what `given` needs."""
    value, instructions, calls = result
    _, needed, _ = _count(given, {"values": list(arguments["values"])})
    return {"result": value, "instructions": instructions, "calls": calls, "given": needed}
