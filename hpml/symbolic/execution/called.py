"""The executions that call each layer: lazy, ordered, and generated source."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NamedTuple

from torch import fx, nn

from hpml.symbolic import config
from hpml.symbolic.graph import Graph
from hpml.symbolic.graph.liveness import assign_slots, use_counts

from .source import compile_source, failed_call_in, running_source


class Program(NamedTuple):
    """A graph that is ready to run.

    ``run(model, *inputs)`` takes the layer of each call from ``model._execution_order_layers``. Its
    state is local, so threads can run it at once.
    """

    run: Callable[..., Any]
    source: str  # of `run`
    # From a frame and line of a traceback to the position of the failed call, or None.
    failed_call: Callable[[FrameType, int], int | None]
    # For each line of the source its calls, as first and one past the last; empty if the source is
    # the same for every graph.
    spans: tuple[tuple[int, int], ...] = ()
    # From a model to an inference object with a copy of its weights.
    infer: Callable[[nn.Module], Any] | None = None


def prepare_ordered(graph: Graph, layers: Sequence[nn.Module]) -> Program:
    """Return a program that runs the calls in order."""
    return _interpreting(make_ordered, graph)


def _interpreting(make: Callable[[Graph], Callable[..., Any]], graph: Graph) -> Program:
    run = make(graph)

    def failed_call(frame: FrameType, line: int) -> int | None:
        return frame.f_locals.get("position") if frame.f_code is run.__code__ else None

    return Program(run, inspect.getsource(make), failed_call)


def make_ordered(graph: Graph) -> Callable[..., Any]:
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
                value: Any = values[arguments[0]]
                if isinstance(value, fx.Proxy):  # cannot be unpacked, but indexed
                    value = [operator.getitem(value, n) for n in range(len(results))]
                parts = layers[position](*value)
                for slot, part in zip(results, parts, strict=True):
                    if slot is not None:
                        values[slot] = part
                del value, parts, part
            elif len(arguments) == 1:
                values[results[0]] = layers[position](values[arguments[0]])
            else:
                values[results[0]] = layers[position](*[values[a] for a in arguments])
        if len(outputs) == 1:
            return values[outputs[0]]
        return tuple([values[output] for output in outputs])

    return run


def call_in_order(graph: Graph, layers: Sequence[nn.Module], inputs: Sequence[Any]) -> Any:
    """Run the calls without preparation, for ``torch.compile``, which traces them once."""
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


def prepare_lazy(graph: Graph, layers: Sequence[nn.Module]) -> Program:
    """Return a program that computes each value on demand, starting from the outputs."""
    return _interpreting(make_lazy, graph)


def make_lazy(graph: Graph) -> Callable[..., Any]:
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
                    del values[argument]  # frees its memory
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


def prepare_codegen(graph: Graph, layers: Sequence[nn.Module]) -> Program:
    """Generate and compile the forward of a graph: ``h0 = l[3](h0)``, a line for each call."""
    source = running_source(graph, config.CODEGEN_MIN_LOOP_LENGTH)
    run = compile_source(source)
    failed_call = failed_call_in(run, source, len(graph.calls))
    return Program(run, source.text, failed_call, source.spans)
