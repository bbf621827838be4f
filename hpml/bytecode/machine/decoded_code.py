"""A decoded code object: instructions with their handlers, and targets as indices."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from hpml.bytecode.disassembly.versions import ExceptionEntry


@dataclass(slots=True, eq=False)  # not frozen: that would triple the time to decode a function
class DecodedInstruction:
    """One instruction with its handler; every step that executes it shares this object.

    `argval` and `argrepr` are the meaning of the argument as a value and as text. `target` and
    `guard_target` are indices of instructions (-1 for none). `caller` is the code that makes a
    native call in place of the instruction; None before the first.
    """

    handler: Callable[[Any, DecodedInstruction], Any] = field(repr=False)
    code: CodeType = field(repr=False)
    offset: int
    line: int | None
    opname: str
    arg: Any
    argval: Any
    argrepr: str
    target: int
    guard: ExceptionEntry | None
    guard_target: int
    caller: CodeType | None = field(default=None, repr=False)

    @property
    def file(self) -> str:
        return self.code.co_filename

    @property
    def source(self) -> str:
        """The source line, without its indentation."""
        return linecache.getline(self.file, self.line).strip() if self.line else ""

    def __str__(self) -> str:
        return f"{self.opname} {self.argrepr or ('' if self.arg is None else self.arg)}".rstrip()


@dataclass(frozen=True, slots=True, eq=False)
class DecodedCode:
    """The instructions of a code object."""

    code: CodeType
    instructions: tuple[DecodedInstruction, ...]
    number_at: dict[int, int]
    slot_names: tuple[str, ...]
    cell_names: frozenset[str]
