"""Ordered execution: the forward order is known, so nobody need ask.

What is computed once, when the model is made: for each call the slots its arguments lie in and the
slot its result goes to. A slot is used again when its value is dead, so that no more memory is
alive than in a forward written by hand. What is left for each forward is one loop.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from torch import nn

from hpml.symbolic.graph import Graph
from hpml.symbolic.graph.liveness import assign_slots

from .program import Program, always_called, position_in


def prepare(graph: Graph, layers: Sequence[nn.Module]) -> Program:
    """Make a program that runs the calls in their order."""
    run = make_run(graph)
    return Program(run, inspect.getsource(make_run), position_in(run), always_called("ordered"))


def make_run(graph: Graph) -> Callable[..., Any]:
    """Return the function that runs the graph in order."""
    slots = assign_slots(graph)
    size = max(slots, default=-1) + 1
    steps: list[tuple[int, tuple[int, ...], tuple[Any, ...], bool]] = [
        (
            position,
            tuple([slots[argument] for argument in call.arguments]),
            tuple([None if result is None else slots[result] for result in call.results]),
            call.unpacks,
        )
        for position, call in enumerate(graph.calls)
    ]
    outputs = [slots[output] for output in graph.outputs]
    input_count = len(graph.inputs)

    def run(self: Any, *inputs: Any) -> Any:
        layers = self._execution_order_layers
        if len(inputs) != input_count:
            raise TypeError(f"expected {input_count} inputs, received {len(inputs)}")
        values: list[Any] = [*inputs, *[None] * (size - input_count)]
        for position, arguments, results, unpacks in steps:
            if unpacks:
                parts = layers[position](*values[arguments[0]])
                for slot, part in zip(results, parts, strict=True):
                    if slot is not None:
                        values[slot] = part
                del parts, part
            elif len(arguments) == 1:
                values[results[0]] = layers[position](values[arguments[0]])
            else:
                values[results[0]] = layers[position](*[values[a] for a in arguments])
        if len(outputs) == 1:
            return values[outputs[0]]
        return tuple([values[output] for output in outputs])

    return run


def call_in_order(graph: Graph, layers: Sequence[nn.Module], inputs: Sequence[Any]) -> Any:
    """Run the calls with nothing prepared: for a compiler, which reads them once and keeps them."""
    values = dict(zip(graph.inputs, inputs, strict=True))
    for call, layer in zip(graph.calls, layers, strict=True):
        arguments = [values[argument] for argument in call.arguments]
        if call.unpacks:
            for result, part in zip(call.results, layer(*arguments[0]), strict=True):
                if result is not None:
                    values[result] = part
        else:
            values[call.results[0]] = layer(*arguments)  # type: ignore[index]
    outputs = [values[output] for output in graph.outputs]
    return outputs[0] if len(outputs) == 1 else tuple(outputs)
