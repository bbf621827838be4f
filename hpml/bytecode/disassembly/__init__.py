"""Readable bytecode: from a function (`subject`) to a table (`listing`), and ``.pyc`` files."""

from __future__ import annotations

from hpml.bytecode.disassembly.listing import (
    Block,
    Disassembly,
    Instruction,
    Listing,
    disassemble,
)
from hpml.bytecode.disassembly.pyc import pyc_of
from hpml.bytecode.disassembly.versions import ExceptionEntry

__all__ = [
    "Block",
    "Disassembly",
    "ExceptionEntry",
    "Instruction",
    "Listing",
    "disassemble",
    "pyc_of",
]
