"""Jumps and returns."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.state import Frame, Handler, Return

TESTS: dict[str, Callable[[Any], bool]] = {
    "TRUE": bool,
    "FALSE": operator.not_,
    "NONE": lambda value: value is None,
    "NOT_NONE": lambda value: value is not None,
}
"""Tests of conditional jumps, by the ends of their names."""


def jump(frame: Frame, instruction: DecodedInstruction) -> None:
    """Jump."""
    frame.index = instruction.target


def pop_jump_if(test: Callable[[Any], bool]) -> Handler:
    """Return a handler that pops a value and jumps if it passes `test`."""

    def handler(frame: Frame, instruction: DecodedInstruction) -> None:
        if test(frame.stack.pop()):
            frame.index = instruction.target

    return handler


def jump_or_pop(test: Callable[[Any], bool]) -> Handler:
    """Return a handler that jumps if the top passes `test`, or else drops it (3.11)."""

    def handler(frame: Frame, instruction: DecodedInstruction) -> None:
        if test(frame.stack[-1]):
            frame.index = instruction.target
        else:
            frame.stack.pop()

    return handler


def return_value(frame: Frame, instruction: DecodedInstruction) -> Return:
    """Pop the value of the call and return it."""
    return Return(frame.stack.pop())


def return_const(frame: Frame, instruction: DecodedInstruction) -> Return:
    """Return a constant (3.12)."""
    return Return(instruction.argval)
