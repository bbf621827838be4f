"""A loop over a recurrent model: its graph, and what its operators take."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from hpml.base.operator_times import OTHER
from hpml.base.page import Page
from hpml.course.model_graphs import parents_of
from hpml.course.small_graphs import draw_dataflow
from hpml.profiling import operator_timing

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel


def draw_loop(model: SymbolicModel, invariant: Collection[str], steps: int) -> Page:
    """Draw the graph with how often each layer runs in a loop of so many steps."""
    parents = parents_of(model)
    executed = {name: 1 if name in invariant else steps for name in parents}
    return draw_dataflow(parents, executed, title=f"{steps} steps of the loop")


def operator_seconds(model: SymbolicModel, *inputs: Any, runs: int = 40) -> dict[str, float]:
    """Return the seconds of each layer of a model, the median over runs; "total" is the whole."""
    import torch

    with torch.no_grad(), operator_timing(model) as timing:
        for _ in range(runs + 5):
            model(*inputs)
    times: dict[str, list[float]] = {"total": []}
    for run in timing.runs[5:]:
        times["total"].append(1e-9 * run.total)
        for label, (start, end) in zip(run.labels, itertools.pairwise(run.stamps), strict=True):
            if label.node:
                last = times.setdefault(label.node, [])
                last.append(0.0)
            if label is not OTHER and label.operator != "[Guard]":
                last[-1] += 1e-9 * (end - start)  # letting its arguments go belongs to it
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def loop(step: Callable[[Any], Any], state: Any, steps: int) -> Any:
    """Call a step again and again, each time with what it returned, without gradients."""
    import torch

    with torch.no_grad():
        for _ in range(steps):
            state = step(state)
    return state
