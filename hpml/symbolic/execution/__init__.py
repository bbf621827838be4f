"""How a graph is run: one file a strategy, all with the same result.

==================  ==============================================================================
``"lazy"``          each value calls its parents back, from the outputs upwards
``"ordered"``       one loop over a forward order that was computed before
``"codegen"``       generated source: the layers' calls written out, as if by hand
``"inlined"``       generated source: what the layers compute written out, where that is safe
``"numba"``         one compiled kernel for a whole graph of small layers, without gradients
CUDA graphs         the kernels of any of these recorded once, replayed by the GPU
==================  ==============================================================================

A strategy sees a :class:`~hpml.symbolic.graph.Graph` and its layers, never a
symbolic handle, and gives a :class:`Program`. When it runs, it takes the layers from the model.
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
