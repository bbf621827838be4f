"""The list of a symbolic model's executions, from the slowest to the fastest."""

from __future__ import annotations

from typing import NamedTuple


class Execution(NamedTuple):
    """One way to run a symbolic model, ``SymbolicModel(..., execution=name)``.

    `any_graph` tells if it runs every graph, `separate_operators` if it runs operators one by one,
    which timing and CUDA graphs need.
    """

    name: str
    any_graph: bool = True
    separate_operators: bool = True


ALL = (
    Execution("lazy"),
    Execution("ordered"),
    Execution("codegen"),
    Execution("inlined"),
    Execution("numba", any_graph=False, separate_operators=False),
)

BY_NAME = {execution.name: execution for execution in ALL}

EXECUTIONS: tuple[str, ...] = tuple(execution.name for execution in ALL if execution.any_graph)
"""Names of the executions that run every graph."""

DEFAULT = "inlined"
KERNEL = "numba"
