"""Jumps, loops, and the ends of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpml.bytecode.frame import Return

if TYPE_CHECKING:
    from hpml.bytecode.frame import Frame
    from hpml.bytecode.program import Operation

_END = object()


def jump(frame: Frame, operation: Operation) -> None:
    """Go on elsewhere."""
    frame.index = operation.target


def pop_jump_if_true(frame: Frame, operation: Operation) -> None:
    """Pop a value; jump if it is true."""
    if frame.stack.pop():
        frame.index = operation.target


def pop_jump_if_false(frame: Frame, operation: Operation) -> None:
    """Pop a value; jump if it is false."""
    if not frame.stack.pop():
        frame.index = operation.target


def pop_jump_if_none(frame: Frame, operation: Operation) -> None:
    """Pop a value; jump if it is None."""
    if frame.stack.pop() is None:
        frame.index = operation.target


def pop_jump_if_not_none(frame: Frame, operation: Operation) -> None:
    """Pop a value; jump if it is not None."""
    if frame.stack.pop() is not None:
        frame.index = operation.target


def jump_if_true_or_pop(frame: Frame, operation: Operation) -> None:
    """Jump if the top is true, and else drop it (3.11)."""
    if frame.stack[-1]:
        frame.index = operation.target
    else:
        frame.stack.pop()


def jump_if_false_or_pop(frame: Frame, operation: Operation) -> None:
    """Jump if the top is false, and else drop it (3.11)."""
    if frame.stack[-1]:
        frame.stack.pop()
    else:
        frame.index = operation.target


def get_iter(frame: Frame, operation: Operation) -> None:
    """Replace the top by an iterator over it."""
    frame.stack.append(iter(frame.stack.pop()))


def for_iter(frame: Frame, operation: Operation) -> None:
    """Push the next item of the iterator on top; after the last, drop the iterator and jump."""
    value = next(frame.stack[-1], _END)
    if value is not _END:
        frame.stack.append(value)
        return
    frame.stack.pop()
    frame.index = operation.target


def for_iter_past_end_for(frame: Frame, operation: Operation) -> None:
    """Do as FOR_ITER, but jump past END_FOR, which cleans up after inlined generators (3.12)."""
    for_iter(frame, operation)
    if frame.index == operation.target:
        frame.index += 1


def for_iter_past_pop_top(frame: Frame, operation: Operation) -> None:
    """Do as FOR_ITER, but jump past END_FOR and POP_TOP (3.13)."""
    for_iter(frame, operation)
    if frame.index == operation.target:
        frame.index += 2


def end_for_pops_two(frame: Frame, operation: Operation) -> None:
    """Drop the iterator and what is above it (3.12)."""
    frame.stack.pop()
    frame.stack.pop()


def return_value(frame: Frame, operation: Operation) -> Return:
    """Pop the value of the call, and leave the function."""
    return Return(frame.stack.pop())


def return_const(frame: Frame, operation: Operation) -> Return:
    """Leave the function with a constant (3.12)."""
    return Return(operation.argval)
