"""Count the bytecode instructions of a forward, without those of its layers."""

from __future__ import annotations

import dis
from types import CodeType


def written_instructions(source: str) -> int:
    """Return the number of bytecode instructions of a function's source in this Python version.

    >>> short = "def forward(self, h): return h"
    >>> long = "def forward(self, h): return self.layer(h)"
    >>> written_instructions(short) < written_instructions(long)
    True
    """
    code = _functions_in(compile(source, "<counted>", "exec"))[0]
    inner = [code for code in _functions_in(code) if code.co_name == "run"]
    return sum(1 for _ in dis.get_instructions(inner[0] if inner else code))


def _functions_in(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def is_execution(code: CodeType) -> bool:
    """Return whether `code` belongs to a forward and not to the layers that it calls."""
    file_name = code.co_filename.replace("\\", "/")
    return file_name.startswith("<hpml.symbolic forward") or "hpml/symbolic/execution/" in file_name
