"""The list of a symbolic model's executions, in the order of the labs."""

from __future__ import annotations

from typing import NamedTuple


class Execution(NamedTuple):
    """One way to run a symbolic model.

    Attributes:
        name: value of ``SymbolicModel(..., execution=name)``.
        any_graph: whether it runs every graph; otherwise building may raise.
        separate_operators: whether operators run one by one; timing them and CUDA graphs need it.
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
