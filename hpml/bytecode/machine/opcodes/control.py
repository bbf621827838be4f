"""Jumps, loops and returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.state import Frame, Handler, Return
from hpml.bytecode.own_code import BUILTINS

__builtins__ = BUILTINS

_END = object()


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


def for_iter(skip: int, *, keeps_iterator: bool = False) -> Handler:
    """Return a handler that pushes the next item, or jumps `skip` instructions past the target."""

    def handler(frame: Frame, instruction: DecodedInstruction) -> None:
        value = next(frame.stack[-1], _END)
        if value is not _END:
            frame.stack.append(value)
            return
        if not keeps_iterator:  # POP_ITER drops it (3.14)
            frame.stack.pop()
        # The END_FOR at the target cleans up after inlined generators only.
        frame.index = instruction.target + skip

    return handler


def end_for_pops_two(frame: Frame, instruction: DecodedInstruction) -> None:
    """Drop the iterator and the value above it (3.12)."""
    frame.stack.pop()
    frame.stack.pop()


def return_value(frame: Frame, instruction: DecodedInstruction) -> Return:
    """Pop the value of the call and return it."""
    return Return(frame.stack.pop())


def return_const(frame: Frame, instruction: DecodedInstruction) -> Return:
    """Return a constant (3.12)."""
    return Return(instruction.argval)
