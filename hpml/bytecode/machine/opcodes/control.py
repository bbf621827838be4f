"""Jumps, loops, and the ends of calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.state import Frame, Handler, Return
from hpml.bytecode.own_code import BUILTINS

__builtins__ = BUILTINS

_END = object()


def jump(frame: Frame, instruction: DecodedInstruction) -> None:
    """Go on elsewhere."""
    frame.index = instruction.target


def pop_jump_if(test: Callable[[Any], bool]) -> Handler:
    """Return a handler that pops a value and jumps if it passes `test`."""

    def handler(frame: Frame, instruction: DecodedInstruction) -> None:
        if test(frame.stack.pop()):
            frame.index = instruction.target

    return handler


def jump_or_pop(test: Callable[[Any], bool]) -> Handler:
    """Return a handler that jumps if the top passes `test`, and else drops it (3.11)."""

    def handler(frame: Frame, instruction: DecodedInstruction) -> None:
        if test(frame.stack[-1]):
            frame.index = instruction.target
        else:
            frame.stack.pop()

    return handler


def for_iter(past: int, *, keeps_iterator: bool = False) -> Handler:
    """Return a handler that pushes the next item of the iterator on top.

    After the last item it drops the iterator, unless POP_ITER does (3.14), and goes on `past`
    instructions behind its target: END_FOR there cleans up after inlined generators only.
    """

    def handler(frame: Frame, instruction: DecodedInstruction) -> None:
        value = next(frame.stack[-1], _END)
        if value is not _END:
            frame.stack.append(value)
            return
        if not keeps_iterator:
            frame.stack.pop()
        frame.index = instruction.target + past

    return handler


def end_for_pops_two(frame: Frame, instruction: DecodedInstruction) -> None:
    """Drop the iterator and what is above it (3.12)."""
    frame.stack.pop()
    frame.stack.pop()


def return_value(frame: Frame, instruction: DecodedInstruction) -> Return:
    """Pop the value of the call, and leave the function."""
    return Return(frame.stack.pop())


def return_const(frame: Frame, instruction: DecodedInstruction) -> Return:
    """Leave the function with a constant (3.12)."""
    return Return(instruction.argval)
