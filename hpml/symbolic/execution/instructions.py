"""How many bytecode instructions a forward is: those in its source, and those that are executed."""

from __future__ import annotations

import dis
import sys
from types import CodeType, FrameType
from typing import Any

from torch import nn


def written_instructions(source: str) -> int:
    """Return how many bytecode instructions the running Python makes of a function's source.

    Args:
        source: of one function, as in ``model.source``. Where the function only makes another one,
            as for the executions that generate nothing, those of the inner function count.

    >>> short = "def forward(self, h): return h"
    >>> long = "def forward(self, h): return self.layer(h)"
    >>> written_instructions(short) < written_instructions(long)
    True
    """
    code = _first_function(compile(source, "<counted>", "exec"))
    inner = [code for code in _functions_in(code) if code.co_name == "run"]
    return sum(1 for _ in dis.get_instructions(inner[0] if inner else code))


def _first_function(code: CodeType) -> CodeType:
    return _functions_in(code)[0]


def _functions_in(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def count_instructions(model: nn.Module, *inputs: Any, inside: bool = False) -> int:
    """Return how many bytecode instructions a forward executes.

    Args:
        model: what is run.
        *inputs: what it is given.
        inside: count those inside the layers too, that is all of Python. Without it, only those of
            the execution itself: of the generated function, or of the library's function that
            walks the graph.

    Counted is the second of two forwards: the first one looks at the layers more closely.
    """
    model(*inputs)
    counter = _Counter(inside)
    before = sys.gettrace()
    sys.settrace(counter)
    try:
        model(*inputs)
    finally:
        sys.settrace(before)
    return counter.total


class _Counter:
    """A trace function that counts instructions; as one must, it returns what traces on: itself."""

    def __init__(self, inside: bool) -> None:
        self.inside = inside
        self.total = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> _Counter | None:
        if event == "call":
            if not (self.inside or _is_execution(frame.f_code.co_filename)):
                return None
            frame.f_trace_opcodes = True
        elif event == "opcode":
            self.total += 1
        return self


def _is_execution(file_name: str) -> bool:
    generated = file_name.startswith("<hpml.symbolic forward")
    return generated or "hpml/symbolic/execution/" in file_name.replace("\\", "/")
