"""Where `dis` of CPython 3.11 to 3.14 differ, and nowhere else.

3.13 calls a jump's target ``L1``, before it was an offset. Line numbers are taken from the
positions (PEP 657), alike on all.
"""

from __future__ import annotations

import dis
import sys
from dataclasses import dataclass
from types import CodeType
from typing import Any

from hpml.bytecode.own_code import BUILTINS, with_own_builtins

__builtins__ = BUILTINS

LEAVES = frozenset(
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
"""Instructions after which the next one is not reached by going on."""

_dis: Any = with_own_builtins("dis")
"""For what is called while a program runs."""

JUMPS = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)
"""The opcodes that may jump."""


_LONGEST = 80
"""The most characters that stand for a constant."""


@dataclass(frozen=True, slots=True)
class ExceptionEntry:
    """One row of a code object's exception table.

    Attributes:
        start: offset of the first instruction that it guards.
        end: offset behind the last one.
        target: where an exception in between leads.
        depth: how high the stack is left before the exception is pushed.
        lasti: whether the offset of the instruction that raised is pushed first.
    """

    start: int
    end: int
    target: int
    depth: int
    lasti: bool


def python_version() -> str:
    """Return the version of Python whose opcodes are in use, such as ``"3.12"``."""
    return ".".join(map(str, sys.version_info[:2]))


def exception_entries(code: CodeType) -> tuple[ExceptionEntry, ...]:
    """Return the exception table: which instructions are guarded, and where they lead."""
    found = getattr(_dis.Bytecode(code), "exception_entries", ())
    return tuple(ExceptionEntry(e.start, e.end, e.target, e.depth, e.lasti) for e in found)


def listed(code: CodeType) -> list[dis.Instruction]:
    """Return the instructions that `dis` lists."""
    return list(_dis.get_instructions(code))


def stands_for(step: dis.Instruction) -> str:
    """Return what the argument stands for, as text that is the same on every version."""
    if step.opcode in JUMPS:
        return f"to {step.argval}"
    # A code object's repr has its address and the path of its file, which say nothing here.
    if isinstance(step.argval, CodeType):
        return f"<code {step.argval.co_name}>"
    return step.argrepr if len(step.argrepr) <= _LONGEST else f"{step.argrepr[: _LONGEST - 3]}..."


def span(step: Any) -> tuple[int | None, int | None, int | None, int | None]:
    """Return first line, last line, first column, last column; columns in bytes of UTF-8."""
    return tuple(step.positions) if step.positions else (None, None, None, None)


def stack_effect(step: Any, *, jump: bool) -> int | None:
    """Return by how much the stack is higher after `step`; None where `dis` cannot say."""
    if step.opname == "RETURN_VALUE":
        return -1  # 3.14 counts the caller's stack, on which the value goes
    try:
        return dis.stack_effect(step.opcode, step.arg, jump=jump)
    except ValueError:
        return None
