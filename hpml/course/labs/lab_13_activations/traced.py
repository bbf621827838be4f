"""The operations of an activation, and the peak memory of its tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from hpml.base import Table, format_bytes
from hpml.benchmark import Comparison
from hpml.course.labs.lab_13_activations.networks import both_passes
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.tensor_memory import allocated, most
from hpml.profiling import saved_tensors, work_of

Operation = tuple[str, str, list[str | float]]

_NAMES = {
    "add": "add", "sub": "add", "mul": "mul", "truediv": "mul", "clamp": "clamp", "lt": "less",
    "gt": "less", "where": "where", "relu": "relu", "hardswish": "hardswish", "exp": "exp",
}  # fmt: skip


def operations_of(activation: Callable[[Any], Any]) -> list[Operation]:
    """Return an activation's operations as (result, operation, operands); the input is ``"x"``."""
    import torch

    found: list[Operation] = []
    for node in torch.fx.symbolic_trace(lambda x: activation(x)).graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        name = node.target if isinstance(node.target, str) else node.target.__name__
        operands = [getattr(each, "name", each) for each in (*node.args, *node.kwargs.values())]
        if name not in _NAMES:
            known = ", ".join(sorted(_NAMES))
            raise LabError(
                object=node.name,
                expected=f"one of {known}",
                received=f"{name}, which has no rule",
                remedy="Write the activation with these operations.",
            )
        if node.target is operator.truediv and isinstance(operands[1], str):
            found.append((f"one_over_{operands[1]}", "reciprocal", [operands[1]]))
            operands = [f"one_over_{operands[1]}", operands[0]]
        used = operands[:1] if name in ("relu", "hardswish", "exp") else operands
        found.append((node.name, _NAMES[name], used))
    return found


def peak_of_tensors(run: Callable[[], object]) -> int:
    """Return the peak of additional bytes in CPU tensors during a call of `run`."""
    return most(allocated(run))


def costs(
    raced: Comparison,
    ways: Mapping[str, Callable[[Any], Any]],
    x: Any,
    above: Any,
) -> Table:
    """Return the raced times, the operators and the memory of activations, in both passes."""
    runs = {name: both_passes(way, x, above) for name, way in ways.items()}
    rows = [
        [
            name,
            "baseline" if name == raced.baseline else str(raced.ratio(name)),
            len(work_of(runs[name]).operations),
            saved_tensors(way, x).total,
            peak_of_tensors(runs[name]),
        ]
        for name, way in ways.items()
    ]
    columns = ["activation", f"time / {raced.baseline}", "operators", "kept", "peak"]
    return Table(columns, rows, formats=dict.fromkeys(columns[3:], format_bytes))
