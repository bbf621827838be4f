"""Generated code: the forward that one would write by hand, written by a program.

Looking up a list, a slot and a tuple for every call costs more than the call of a small layer
spends in Python. Written out as source, ``h0 = l[3](h0)``, all of that is decided when the source
is compiled.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import nn

from hpml.symbolic import config
from hpml.symbolic.graph import Graph

from .program import Program, always_called
from .source import compile_source, failed_call_in, running_source


def prepare(graph: Graph, layers: Sequence[nn.Module]) -> Program:
    """Generate and compile the forward of a graph."""
    source = running_source(graph, config.CODEGEN_MIN_LOOP_LENGTH)
    run = compile_source(source)
    failed_call = failed_call_in(run, source, len(graph.calls))
    return Program(run, source.text, failed_call, always_called("codegen"), source.spans)
