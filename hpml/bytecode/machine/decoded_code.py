"""A code object made ready to run: each instruction with its handler, its targets as numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any

from hpml.bytecode.disassembly.versions import ExceptionEntry


@dataclass(slots=True, eq=False)  # not frozen: that would triple the time to decode a function
class DecodedInstruction:
    """One instruction, ready to be executed; nothing changes it.

    Attributes:
        handler: what executes it.
        offset: where it stands in the code object, in bytes.
        line: its line of the source, or None.
        opname: the name of its opcode.
        arg: its argument as a number; 0 if it takes none.
        argval: what `dis` resolved the argument to: a constant, a name, an offset.
        argrepr: the same as short text.
        has_arg: whether it takes an argument.
        target: the number of the instruction it may jump to; -1 if it cannot jump.
        guard: the row of the exception table that guards it, or None.
        guard_target: the number of the instruction where the handler begins.
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
