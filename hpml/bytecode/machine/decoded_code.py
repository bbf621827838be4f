"""A code object made ready to run: each instruction with its handler, its targets as numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any

from hpml.bytecode.disassembly.versions import ExceptionEntry
from hpml.bytecode.own_code import BUILTINS

__builtins__ = BUILTINS


@dataclass(slots=True, eq=False)  # not frozen: that would triple the time to decode a function
class DecodedInstruction:
    """One instruction, ready to be executed.

    `argval` and `argrepr` are what `dis` resolved the argument to, as a value and as text. `target`
    and `guard_target` are numbers of instructions: where it may jump to (-1 if it cannot jump),
    and where an exception leads.
    """

    handler: Callable[[Any, DecodedInstruction], Any]
    offset: int
    line: int | None
    opname: str
    arg: int
    argval: Any
    argrepr: str
    has_arg: bool
    target: int
    guard: ExceptionEntry | None
    guard_target: int


@dataclass(frozen=True, slots=True, eq=False)
class DecodedCode:
    """The instructions of a code object."""

    code: CodeType
    instructions: tuple[DecodedInstruction, ...]
    number_at: dict[int, int]
    slot_names: tuple[str, ...]
    cell_names: frozenset[str]
