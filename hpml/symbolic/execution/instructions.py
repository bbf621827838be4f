"""How many bytecode instructions a forward is: those in its source, and those that are executed."""

from __future__ import annotations

import dis
from functools import partial
from types import CodeType
from typing import Any

from torch import nn

from hpml.sandbox.instructions import watch_instructions
from hpml.symbolic.errors import GraphError


def written_instructions(source: str) -> int:
    """Return how many bytecode instructions the running Python makes of a function's source.

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


def count_instructions(model: nn.Module, *inputs: Any, inside: bool = False) -> int:
    """Return how many bytecode instructions a forward executes.

    Counted is the second of two forwards: the first one looks at the layers more closely.
    """
    total = 0

    def report(code: CodeType, offset: int) -> None:
        nonlocal total
        total += 1

    model(*inputs)
    within = None if inside else _is_execution
    watch_instructions(partial(model, *inputs), report, within)
    if not total:
        raise GraphError(
            "count_instructions expects a forward to execute instructions, and of this "
            f"{model.execution} one Python reported none; what else watches this process, "
            "such as a debugger, may be in the way: end it, or restart the kernel."
        )
    return total


def _is_execution(code: CodeType) -> bool:
    file_name = code.co_filename.replace("\\", "/")
    return file_name.startswith("<hpml.symbolic forward") or "hpml/symbolic/execution/" in file_name
