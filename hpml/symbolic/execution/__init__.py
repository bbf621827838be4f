"""The executions of a graph, which compute the same result unless layers draw random numbers.

==================  ==============================================================================
``"lazy"``          each value first computes its parents, starting from the outputs
``"ordered"``       a loop over the calls in topological order
``"codegen"``       generated source that calls each layer
``"inlined"``       generated source that contains the layers' computations, guarded
``"numba"``         one compiled kernel for a graph of small layers, without gradients
CUDA graphs         the kernels of any but ``"numba"``, recorded once and replayed by the GPU
==================  ==============================================================================

An execution makes a :class:`Program` from a :class:`~hpml.symbolic.graph.Graph` and its layers. The
program looks up the model's layers in each run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torch import nn

from hpml.symbolic.graph import Graph

from . import inlined, kernel
from .called import Program, prepare_codegen, prepare_lazy, prepare_ordered

PREPARE: dict[str, Callable[[Graph, Sequence[nn.Module]], Program]] = {
    "lazy": prepare_lazy,
    "ordered": prepare_ordered,
    "codegen": prepare_codegen,
    "inlined": inlined.prepare,
    "numba": kernel.prepare,
}

__all__ = ["PREPARE", "Program"]
