"""Lazy execution: a value is computed when a child asks for it.

Written down naively this is six recursive lines, which meet Python's recursion limit in a deep
model, and compute a shared value once for each path to it. So the callbacks wait on a list of our
own, and results are remembered until the call returns. Nothing is stored on the graph.

The order differs from that of the other executions, and so do random numbers that layers draw, and
the last bit of gradients that are sums of three or more. A layer that works in place waits for the
calls that read its argument before.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from torch import nn

from hpml.symbolic.graph import Call, Graph
from hpml.symbolic.graph.liveness import use_counts

from .program import Program, always_called, position_in


def prepare(graph: Graph, layers: Sequence[nn.Module]) -> Program:
    """Make a program that asks from the outputs upwards."""
    run = make_run(graph)
    return Program(run, inspect.getsource(make_run), position_in(run), always_called("lazy"))


def lazy_order(graph: Graph) -> list[int]:
    """Return the positions of the calls in the order in which this execution makes them."""
    order: list[int] = []

    def noting(position: int, call: Call) -> Callable[..., Any]:
        def layer(*values: Any) -> Any:
            order.append(position)
            return [()] * len(call.results) if call.unpacks else ()

        return layer

    layers = [noting(position, call) for position, call in enumerate(graph.calls)]
    make_run(graph)(SimpleNamespace(_execution_order_layers=layers), *[()] * len(graph.inputs))
    return order


def make_run(graph: Graph) -> Callable[..., Any]:
    """Return the function that runs the graph lazily."""
    calls, outputs = graph.calls, graph.outputs
    maker = {result: i for i, call in enumerate(calls) for result in call.results}
    result_of = [next(r for r in call.results if r is not None) for call in calls]
    uses = use_counts(graph)

    def run(self: Any, *inputs: Any) -> Any:
        layers = self._execution_order_layers
        values = dict(zip(graph.inputs, inputs, strict=True))
        remaining = list(uses)
        waiting, done = list(reversed(outputs)), set()
        while waiting:
            value = waiting[-1]
            if value in values or maker[value] in done:
                waiting.pop()
                continue
            position = maker[value]
            call = calls[position]
            missing = [argument for argument in call.arguments if argument not in values]
            missing += [result_of[earlier] for earlier in call.after if earlier not in done]
            if missing:
                waiting.extend(reversed(missing))
                continue
            done.add(position)
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
