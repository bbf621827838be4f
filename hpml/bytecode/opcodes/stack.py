"""Constants, copies and swaps: instructions that only move values on the stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpml.bytecode.frame import NULL

if TYPE_CHECKING:
    from hpml.bytecode.frame import Frame
    from hpml.bytecode.program import Operation


def nop(frame: Frame, operation: Operation) -> None:
    """Do nothing: NOP, RESUME, EXTENDED_ARG, PRECALL."""


def load_const(frame: Frame, operation: Operation) -> None:
    """Push a constant."""
    frame.stack.append(operation.argval)


def pop_top(frame: Frame, operation: Operation) -> None:
    """Drop the top of the stack."""
    frame.stack.pop()


def push_null(frame: Frame, operation: Operation) -> None:
    """Push the marker of a call without ``self``."""
    frame.stack.append(NULL)


def copy(frame: Frame, operation: Operation) -> None:
    """Push the value that lies `arg` deep; 1 is the top."""
    frame.stack.append(frame.stack[-operation.arg])


def swap(frame: Frame, operation: Operation) -> None:
    """Exchange the top with the value that lies `arg` deep."""
    stack = frame.stack
    between = [stack.pop() for _ in range(operation.arg)]
    stack.append(between[0])
    stack.extend(reversed(between[1:-1]))
    stack.append(between[-1])
