"""The executions of a symbolic model: the one list of their names, in the order of the labs."""

from __future__ import annotations

from typing import NamedTuple


class Execution(NamedTuple):
    """One way to run a symbolic model.

    Attributes:
        name: what ``SymbolicModel(..., execution=name)`` takes.
        any_graph: whether it runs every graph; else building refuses what it cannot run.
        separate_operators: whether operators run one by one, so that each can be timed and CUDA
            graphs can record them.
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
"""Names that ``SymbolicModel(..., execution=...)`` takes for every graph; ``"numba"`` for some."""

DEFAULT = "inlined"
KERNEL = "numba"
