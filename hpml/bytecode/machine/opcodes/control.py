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


def jump_if_true_or_pop(frame: Frame, instruction: DecodedInstruction) -> None:
    """Jump if the top is true, and else drop it (3.11)."""
    if frame.stack[-1]:
        frame.index = instruction.target
    else:
        frame.stack.pop()


def jump_if_false_or_pop(frame: Frame, instruction: DecodedInstruction) -> None:
    """Jump if the top is false, and else drop it (3.11)."""
    if frame.stack[-1]:
        frame.stack.pop()
    else:
        frame.index = instruction.target


def for_iter(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push the next item of the iterator on top; after the last, drop the iterator and jump."""
    value = next(frame.stack[-1], _END)
    if value is not _END:
        frame.stack.append(value)
        return
    frame.stack.pop()
    frame.index = instruction.target


def for_iter_past_end_for(frame: Frame, instruction: DecodedInstruction) -> None:
    """Do as FOR_ITER, but jump past END_FOR, which cleans up after inlined generators (3.12)."""
    for_iter(frame, instruction)
    if frame.index == instruction.target:
        frame.index += 1


def for_iter_past_pop_top(frame: Frame, instruction: DecodedInstruction) -> None:
    """Do as FOR_ITER, but jump past END_FOR and POP_TOP (3.13)."""
    for_iter(frame, instruction)
    if frame.index == instruction.target:
        frame.index += 2


def for_iter_keeping_iterator(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push the next item; after the last jump past END_FOR, to where POP_ITER is (3.14)."""
    value = next(frame.stack[-1], _END)
    if value is _END:
        frame.index = instruction.target + 1
    else:
        frame.stack.append(value)


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
