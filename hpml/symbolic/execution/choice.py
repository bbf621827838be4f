"""Which execution a model gets, from what its maker asked for."""

from __future__ import annotations

from typing import Any

from hpml.base.executions import BY_NAME, DEFAULT
from hpml.symbolic import config
from hpml.symbolic.errors import ArgumentError
from hpml.symbolic.execution import PREPARE, cuda_graph


def choose_execution(execution: str | None, codegen: bool | None, cuda_graphs: bool) -> str:
    """Return the name of the execution, from the two ways to ask for one."""
    if execution is not None and codegen is not None:
        raise ArgumentError(
            f"expected execution or enable_forward_codegen, received both ({execution!r} and "
            f"{codegen!r}): enable_forward_codegen=True is execution='codegen', False is 'ordered'"
        )
    if execution is not None:
        check_execution(execution)
    if cuda_graphs:
        cuda_graph.check_available()
        if execution is not None and not BY_NAME[execution].separate_operators:
            raise ArgumentError(
                "enable_cuda_graphs expected an execution of PyTorch's kernels, received "
                f"execution={execution!r}, which runs on the CPU: leave one of the two out"
            )
    if execution is not None:
        return execution
    if codegen is not None:
        return "codegen" if codegen else "ordered"
    return DEFAULT if config.CODEGEN_BY_DEFAULT else "ordered"


def check_execution(name: Any) -> None:
    """Refuse what is no name of an execution."""
    if name not in PREPARE:
        raise ArgumentError(
            f"execution expected one of {', '.join(map(repr, PREPARE))}, received {name!r}"
        )
