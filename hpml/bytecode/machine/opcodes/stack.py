"""Constants, copies and swaps."""

from __future__ import annotations

from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.state import Frame, Handler


def nop(frame: Frame, instruction: DecodedInstruction) -> None:
    """Do nothing: NOP, RESUME, EXTENDED_ARG, PRECALL, NOT_TAKEN."""


def load_const(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push a constant, or the argument itself (LOAD_SMALL_INT)."""
    frame.stack.append(instruction.argval)


COMMON = (
    *(AssertionError, NotImplementedError, tuple, all, any),
    *(list, set, None, "", True, False, -1),  # since 3.15
)
"""The values of LOAD_COMMON_CONSTANT, by number."""


def load_common_constant(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push a builtin, even if the program redefines its name (3.14), or a constant (3.15)."""
    frame.stack.append(COMMON[instruction.arg])


def pop_top(frame: Frame, instruction: DecodedInstruction) -> None:
    """Drop the top of the stack."""
    frame.stack.pop()


def push(value: Any) -> Handler:
    """Return a handler that pushes `value`."""

    def handler(frame: Frame, instruction: DecodedInstruction) -> None:
        frame.stack.append(value)

    return handler


def copy(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push the value `arg` deep in the stack; 1 is the top."""
    frame.stack.append(frame.stack[-instruction.arg])


def swap(frame: Frame, instruction: DecodedInstruction) -> None:
    """Exchange the top with the value `arg` deep in the stack."""
    stack = frame.stack
    between = [stack.pop() for _ in range(instruction.arg)]
    stack.append(between[0])
    stack.extend(reversed(between[1:-1]))
    stack.append(between[-1])
