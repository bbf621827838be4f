"""Generated code: the forward that one would write by hand, written by a program.

Looking up a list, a slot and a tuple for every call costs more than the call of a small layer
spends in Python. Written out as source, ``h0 = l[3](h0)``, all of that is decided when the source
is compiled.
"""

from __future__ import annotations

from types import FrameType

from hpml.symbolic import config
from hpml.symbolic.graph import Graph
from hpml.symbolic.source import compile_source, running_source

from .program import Program


def prepare(graph: Graph) -> Program:
    """Generate and compile the forward of a graph."""
    source = running_source(graph, config.CODEGEN_MIN_LOOP_LENGTH)

    def failed_call(frame: FrameType, line: int) -> int | None:
        start, end = source.spans[line - 1]
        if end - start > 1:
            layer = frame.f_locals.get("layer")
            layers = frame.f_locals["l"]
            start = next((i for i in range(start, end) if layers[i] is layer), start)
        return start if start < len(graph.calls) else None

    return Program(compile_source(source), source.text, failed_call)
