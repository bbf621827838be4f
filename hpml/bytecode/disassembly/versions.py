"""Hide the differences between `dis` of CPython 3.11 to 3.15."""

from __future__ import annotations

import dis
import sys
from dataclasses import dataclass
from types import CodeType
from typing import Any

SUPPORTED = ("3.11", "3.12", "3.13", "3.14", "3.15")
"""The versions of CPython that this package knows."""

NO_FALL_THROUGH = frozenset(
    {
        "RETURN_VALUE",
        "RETURN_CONST",
        "RAISE_VARARGS",
        "RERAISE",
        "JUMP_FORWARD",
        "JUMP_BACKWARD",
        "JUMP_BACKWARD_NO_INTERRUPT",
        "INTERPRETER_EXIT",
    }
)
"""Instructions after which execution never continues with the next one."""

JUMPS = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)
"""The opcodes that may jump."""

_LONGEST = 80
"""Most characters of an argument's text."""


@dataclass(frozen=True, slots=True)
class ExceptionEntry:
    """One row of a code object's exception table: offsets from `start` to before `end`.

    The stack is cut to height `depth`; then the offset of the raising instruction (if `lasti`) and
    the exception are pushed.
    """

    start: int
    end: int
    target: int
    depth: int
    lasti: bool


def python_version() -> str:
    """Return the version of the running Python, such as ``"3.12"``."""
    return ".".join(map(str, sys.version_info[:2]))


def exception_entries(code: CodeType) -> tuple[ExceptionEntry, ...]:
    """Return the exception table of `code`."""
    found = getattr(dis.Bytecode(code), "exception_entries", ())
    return tuple(ExceptionEntry(e.start, e.end, e.target, e.depth, e.lasti) for e in found)


def instructions_of(code: CodeType) -> list[dis.Instruction]:
    """Return the instructions of `code` as `dis` lists them."""
    return list(dis.get_instructions(code))


def argument_text(step: dis.Instruction) -> str:
    """Return the meaning of the argument, as text that is the same on every version."""
    if step.opcode in JUMPS:  # 3.13 writes "L1", earlier versions the offset
        return f"to {step.argval}"
    # The repr of a code object contains its address and path.
    if isinstance(step.argval, CodeType):
        return f"<code {step.argval.co_name}>"
    return step.argrepr if len(step.argrepr) <= _LONGEST else f"{step.argrepr[: _LONGEST - 3]}..."


def span(step: Any) -> tuple[int | None, int | None, int | None, int | None]:
    """Return first line, last line, first column and last column (in bytes of UTF-8)."""
    return tuple(step.positions) if step.positions else (None, None, None, None)


def stack_effect(step: Any, *, jump: bool) -> int | None:
    """Return the change of the stack's height by `step`; None if `dis` does not know it."""
    if step.opname == "RETURN_VALUE":
        return -1  # 3.14 includes the push onto the caller's stack
    try:
        return dis.stack_effect(step.opcode, step.arg, jump=jump)
    except ValueError:
        return None
