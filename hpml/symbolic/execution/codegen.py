"""Generated code: the forward that one would write by hand, written by a program.

Looking up a list, a slot and a tuple for every call costs more than the call of a small layer
spends in Python. Written out as source, ``h0 = l[3](h0)``, all of that is decided when the source
is compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType

from torch import nn

from hpml.symbolic import config
from hpml.symbolic.graph import Graph

from .program import Program, always_called
from .source import compile_source, running_source


def prepare(graph: Graph, layers: Sequence[nn.Module]) -> Program:
    """Generate and compile the forward of a graph."""
    source = running_source(graph, config.CODEGEN_MIN_LOOP_LENGTH)
    run = compile_source(source)

    def failed_call(frame: FrameType, line: int) -> int | None:
        if frame.f_code is not run.__code__:
            return None
        start, end = source.spans[line - 1]
        if end - start > 1:
            layer = frame.f_locals.get("layer")
            among = frame.f_locals["l"]
            start = next((i for i in range(start, end) if among[i] is layer), start)
        return start if start < len(graph.calls) else None

    return Program(run, source.text, failed_call, always_called("codegen"), source.spans)
