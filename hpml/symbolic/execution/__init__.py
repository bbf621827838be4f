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
program looks up the model's layers in each run. `ALL` lists the executions by name; CUDA graphs
have no name, because they are recorded from the program of another execution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from torch import nn

from hpml.symbolic.graph import Graph

from . import inlined, kernel
from .called import Program, prepare_codegen, prepare_lazy, prepare_ordered

__all__ = ["ALL", "BY_NAME", "DEFAULT", "EXECUTIONS", "KERNEL", "Execution", "Program"]


class Execution(NamedTuple):
    """One way to run a symbolic model, ``SymbolicModel(..., execution=name)``.

    `prepare` makes its program. `any_graph` tells if it runs every graph, `separate_operators` if
    it runs operators one by one, which timing and CUDA graphs need.
    """

    name: str
    prepare: Callable[[Graph, Sequence[nn.Module]], Program]
    any_graph: bool = True
    separate_operators: bool = True


KERNEL = Execution("numba", kernel.prepare, any_graph=False, separate_operators=False)

ALL = (
    Execution("lazy", prepare_lazy),
    Execution("ordered", prepare_ordered),
    Execution("codegen", prepare_codegen),
    Execution("inlined", inlined.prepare),
    KERNEL,
)
"""From the slowest to the fastest."""

BY_NAME = {execution.name: execution for execution in ALL}

EXECUTIONS: tuple[str, ...] = tuple(execution.name for execution in ALL if execution.any_graph)
"""Names of the executions that run every graph."""

DEFAULT = "inlined"
