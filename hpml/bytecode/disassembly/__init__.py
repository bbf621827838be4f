"""Readable bytecode: from the requested function (`subject`) to a table (`listing`).

Where the versions of `dis` differ is in `versions`; `stages` shows the way from source text.
"""

from __future__ import annotations

from hpml.bytecode.disassembly.listing import (
    Block,
    Disassembly,
    Instruction,
    Listing,
    disassemble,
)
from hpml.bytecode.disassembly.stages import stages
from hpml.bytecode.disassembly.versions import ExceptionEntry

__all__ = [
    "Block",
    "Disassembly",
    "ExceptionEntry",
    "Instruction",
    "Listing",
    "disassemble",
    "stages",
]
