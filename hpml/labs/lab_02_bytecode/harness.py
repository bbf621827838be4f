"""The harness of lab 02: the function to rewrite, and calls whose instructions are counted."""

from __future__ import annotations

import dis
from collections.abc import Callable, Mapping
from functools import partial
from types import CodeType
from typing import Any

from hpml.sandbox.instructions import watch_instructions


def given(values: list[int]) -> int:
    """Return the sum of the cubes of the values between 0 and 100; the student rewrites this."""
    total = 0
    for index in range(len(values)):
        if values[index] > 0 and values[index] < 100:
            total = total + values[index] * values[index] * values[index]
        else:
            total = total + 0
    return total


def counted(result: tuple[Any, int, int], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result, its instructions and calls, and the instructions of `given`."""
    value, instructions, calls = result
    _, given_instructions, _ = _count(given, {"values": list(arguments["values"])})
    return {
        "result": value,
        "instructions": instructions,
        "calls": calls,
        "given": given_instructions,
    }


class _Counter:
    def __init__(self) -> None:
        self.instructions = 0
        self.calls = 0
        self._calling: dict[CodeType, frozenset[int]] = {}

    def instruction(self, code: CodeType, offset: int) -> None:
        if code not in self._calling:
            self._calling[code] = frozenset(
                found.offset
                for found in dis.get_instructions(code)
                if found.opname.startswith("CALL") and found.opname != "CALL_INTRINSIC_1"
            )
        self.instructions += 1
        self.calls += offset in self._calling[code]


def _count(function: Callable[..., Any], keywords: dict[str, Any]) -> tuple[Any, int, int]:
    counter = _Counter()
    value = watch_instructions(partial(function, **keywords), counter.instruction)
    return value, counter.instructions, counter.calls


# An observer sees only the result, but instructions are counted while the function runs.
counted.through = _count  # type: ignore[attr-defined]
