"""How a graph is run: one file a strategy, all with the same result.

==================  ==============================================================================
``"lazy"``          each value calls its parents back, from the outputs upwards
``"ordered"``       one loop over a forward order that was computed before
``"codegen"``       generated source: the layers' calls written out, as if by hand
CUDA graphs         the kernels of any of these recorded once, replayed by the GPU
==================  ==============================================================================

A strategy sees a :class:`~hpml.symbolic.graph.Graph` and gives a :class:`Program`. The layers come
from the model that runs it, so that one program serves every copy of a model.
"""

from __future__ import annotations

from collections.abc import Callable

from hpml.symbolic.graph import Graph

from . import codegen, lazy, ordered
from .program import Program

PREPARE: dict[str, Callable[[Graph], Program]] = {
    "lazy": lazy.prepare,
    "ordered": ordered.prepare,
    "codegen": codegen.prepare,
}

EXECUTIONS: tuple[str, ...] = tuple(PREPARE)
"""The names that ``SymbolicModel(..., execution=...)`` takes."""

__all__ = ["EXECUTIONS", "PREPARE", "Program"]
