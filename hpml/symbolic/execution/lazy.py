"""Lazy execution: a value is computed when a child asks for it.

Written down naively this is six recursive lines, which meet Python's recursion limit in a deep
model, and compute a shared value once for each path to it. So the callbacks wait on a list of our
own, and results are remembered until the call returns. Nothing is stored on the graph.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from torch import nn

from hpml.symbolic.errors import GraphWarning
from hpml.symbolic.graph import Graph
from hpml.symbolic.graph.liveness import use_counts

from .program import Program, always_called, position_in
from .side_effects import first_difference, lazy_order


def prepare(graph: Graph, layers: Sequence[nn.Module]) -> Program:
    """Make a program that asks from the outputs upwards."""
    differing = first_difference(lazy_order(graph), layers, graph)
    if differing is not None:
        earlier, later = (graph.calls[position].name for position in differing)
        warnings.warn(
            f"execution 'lazy' computes {later} before {earlier}, the others compute it after: "
            "random numbers, values that a layer changes in place, running statistics, and the "
            "last bit of gradients that are sums of three or more can differ; where that matters "
            "use execution='ordered'",
            GraphWarning,
            stacklevel=4,
        )
    run = make_run(graph)
    return Program(run, inspect.getsource(make_run), position_in(run), always_called("lazy"))


def make_run(graph: Graph) -> Callable[..., Any]:
    """Return the function that runs the graph lazily."""
    calls, outputs = graph.calls, graph.outputs
    maker = {result: i for i, call in enumerate(calls) for result in call.results}
    uses = use_counts(graph)

    def run(self: Any, *inputs: Any) -> Any:
        layers = self._execution_order_layers
        values = dict(zip(graph.inputs, inputs, strict=True))
        remaining = list(uses)
        waiting = list(reversed(outputs))
        while waiting:
            value = waiting[-1]
            if value in values:
                waiting.pop()
                continue
            position = maker[value]
            call = calls[position]
            missing = [argument for argument in call.arguments if argument not in values]
            if missing:
                waiting.extend(reversed(missing))
                continue
            arguments = [values[argument] for argument in call.arguments]
            for argument in call.arguments:
                remaining[argument] -= 1
                if not remaining[argument]:
                    del values[argument]  # nobody asks for it again
            if call.unpacks:
                results = layers[position](*arguments.pop())
                for result, part in zip(call.results, results, strict=True):
                    if result is not None:
                        values[result] = part
                del results, part
            else:
                values[value] = layers[position](*arguments)
        if len(outputs) == 1:
            return values[outputs[0]]
        return tuple([values[output] for output in outputs])

    return run
