"""Numba execution: one compiled kernel for a whole graph of small layers, for inference on a CPU.

For a layer of four values, calling an operator from Python takes a hundred times as long as the
arithmetic. The kernel is a compiled loop over a table of steps, with one array of weights and one
of values. It supports linear layers, elementwise functions and changes of shape; a graph with other
calls is refused when the model is made.

Each forward checks with the guard that the layers are unchanged, and reads their weights again. A
`CompiledInference` has a copy of the weights and no layers.

Results agree with PyTorch's to 1e-6 relative in float64 and 1e-5 in float32.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from hpml.base.errors import describe
from hpml.symbolic import torch_private
from hpml.symbolic.errors import ArgumentError
from hpml.symbolic.execution.called import Program, call_in_order
from hpml.symbolic.execution.guard import Guard
from hpml.symbolic.execution.inline_expressions import Expression, expression_of
from hpml.symbolic.graph import Graph
from hpml.symbolic.graph.data import Call
from hpml.symbolic.graph.liveness import assign_slots

from .code import NUMBERS, Step, compile_kernel, kernel_source
from .memory import PLAIN, Weights, no_gradient
from .operations import ALTERNATIVES, Operand, Refused, reads_batch_size, settings_of, step_of


class CompiledInference:
    """A graph compiled for inference: call it with the model's inputs.

    It has a copy of the weights, so later changes of the model do not affect it. It has no hooks,
    training mode or gradients.
    """

    def __init__(
        self, compute: Callable[[Any, Sequence[Any]], Any], weights: Any, graph: Graph
    ) -> None:
        self._compute, self._weights, self._graph = compute, weights, graph

    def __call__(self, *inputs: Any) -> Any:
        return self._graph.named(self._compute(self._weights, inputs))


def prepare(graph: Graph, layers: Sequence[nn.Module]) -> Program:
    """Choose the steps for a graph's calls and generate their kernel, or raise ArgumentError."""
    steps = _steps(graph, layers)
    slots = assign_slots(graph, in_place=False)
    shapes = {number: _sample(graph, number) for number in (*graph.inputs, *graph.outputs)}
    width = max(_size(graph, number) for number in range(len(graph.values)))
    kinds = sorted({step.kind for _, step in steps})  # sorted, so similar models share a kernel
    source = kernel_source(kinds)
    compiled = compile_kernel(source)
    weights = Weights(steps, layers)
    table = _table(steps, kinds, [slot * width for slot in slots], weights)
    guard = Guard([_guarded(*pair) for pair in zip(graph.calls, layers, strict=True)], layers)
    inputs = [(slots[value] * width, shapes[value]) for value in graph.inputs]
    outputs = [(slots[value] * width, shapes[value]) for value in graph.outputs]
    total = (max(slots) + 1) * width

    def read(layers: Sequence[nn.Module], dtype: Any) -> Any:
        parameters = guard.parameters(layers)
        if parameters is None:
            raise ArgumentError(
                object="layers of the compiled kernel",
                expected="those with which the model was made, in evaluation mode and without "
                "hooks",
                received="some that differ",
                remedy="Call model.eval(), remove hooks, restore methods and settings that were "
                "replaced, or choose another execution, model.execution = 'inlined'.",
            )
        packed = weights.read(parameters, dtype)
        if packed is None:
            raise ArgumentError(
                object="inputs and weights of the compiled kernel",
                expected="the parameters with which the model was made, as plain tensors on the "
                "CPU, and one dtype, float32 or float64",
                received=f"an input of {dtype} and other weights",
                remedy="Convert the input with x.float() or the model with model.float(), restore "
                "parameters that were replaced, or choose model.execution = 'inlined'.",
            )
        return packed

    def infer(model: Any) -> CompiledInference:
        tensors = itertools.chain(model.parameters(), model.buffers())
        kind = next((tensor.dtype for tensor in tensors if tensor.is_floating_point()), None)
        dtype = str(kind).removeprefix("torch.") if kind else _kind_of_inputs(graph)
        with torch.no_grad():
            return CompiledInference(compute, read(model._execution_order_layers, dtype), graph)

    def run(self: Any, *arguments: Any) -> Any:
        layers = self._execution_order_layers
        # torch.compile cannot trace the kernel, so it gets the plain calls.
        if torch.compiler.is_compiling():
            return call_in_order(graph, layers, arguments)
        if _operators_are_watched():
            raise ArgumentError(
                object="call with execution='numba'",
                expected="one outside of tracers, modes and transforms, which do not see its "
                "operators",
                received="one inside",
                remedy="Choose model.execution = 'inlined'.",
            )
        return compute(read(layers, _array(arguments[0]).dtype), arguments)

    def compute(packed: Any, arguments: Sequence[Any]) -> Any:
        if len(arguments) != len(inputs):
            raise ArgumentError(
                object="inputs of the compiled kernel",
                expected=str(len(inputs)),
                received=str(len(arguments)),
                remedy="Pass one value for each input of the model.",
            )
        arrays = [_array(value) for value in arguments]
        batch = arrays[0].shape[0] if arrays[0].ndim else 1
        values = np.empty(total * batch, packed.dtype)
        for value, array, (offset, shape) in zip(arguments, arrays, inputs, strict=True):
            if array.shape != (batch, *shape) or array.dtype != packed.dtype:
                raise _unexpected(
                    f"an input of shape {(batch, *shape)} and {packed.dtype}, as in the model, its "
                    "weights and its other inputs",
                    value,
                )
            values[offset * batch : offset * batch + array.size] = array.reshape(-1)
        compiled(np.uintp(batch), table, packed, values)
        results = []
        for offset, shape in outputs:
            result = values[offset * batch :][: batch * math.prod(shape)]
            results.append(torch.from_numpy(result.reshape(batch, *shape).copy()))
        return results[0] if len(results) == 1 else tuple(results)

    return Program(run, source, lambda frame, line: None, infer=infer)


def _array(value: Any) -> Any:
    """Return a plain CPU tensor as an array, or raise ArgumentError or GradientError."""
    # A tracer would record the result as a constant.
    if type(value) not in PLAIN or torch_private.is_tracing():
        raise _unexpected(_TENSORS, value)
    if value.requires_grad and torch.is_grad_enabled():
        raise no_gradient()
    try:
        return value.detach().numpy()
    except (TypeError, RuntimeError) as error:
        raise _unexpected(_TENSORS, value) from error


_TENSORS = "tensors of float32 or float64 on the CPU"


def _unexpected(expected: str, value: Any) -> ArgumentError:
    received = f"a {type(value).__name__}"
    if isinstance(value, torch.Tensor):
        received += f" of shape {tuple(value.shape)}, {value.dtype}, on {value.device}"
    return ArgumentError(
        object="input with execution='numba'",
        expected=expected,
        received=received,
        remedy="Convert it, or choose model.execution = 'inlined'.",
    )


def _operators_are_watched() -> bool:
    """Return whether a tracer, mode or transform observes or changes operators."""
    return bool(
        torch_private.is_tracing()
        or torch_private.functorch_level() is not None
        or torch_private.forward_level() >= 0
        or torch_private.function_modes()
        or torch_private.dispatch_modes()
        or torch.is_autocast_enabled("cpu")
    )


def _steps(graph: Graph, layers: Sequence[nn.Module]) -> list[tuple[int, Step]]:
    """Return the steps, each with the position of its call."""
    for number in graph.inputs:
        value = graph.values[number]
        if value.kind not in ("float32", "float64") or value.kind != _kind_of_inputs(graph):
            raise ArgumentError(
                object="inputs with execution='numba'",
                expected="float32, or float64, for all",
                received=f"{value.text()} of {value.kind}",
                remedy=ALTERNATIVES,
            )
    steps: list[tuple[int, Step]] = []
    input_memory = set(graph.inputs)  # and values that share memory with them
    for position, (call, layer) in enumerate(zip(graph.calls, layers, strict=True)):
        (result, *others), effects = call.results, call.effects
        if reads_batch_size(layer):
            continue
        try:
            if call.unpacks or others or result is None:
                raise Refused("the kernel supports calls with one result only")
            if graph.values[result].kind != _kind_of_inputs(graph):
                raise Refused("the kernel supports results of the dtype of the inputs only")
            if effects is not None and call.arguments[effects.argument] in input_memory:
                input_memory.add(result)
                if effects.changed:
                    raise Refused("it changes an input in place")
            operands = [
                Operand(value, _sample(graph, value)) if graph.values[value].shape else None
                for value in call.arguments
            ]
            step = step_of(layer, Operand(result, _sample(graph, result)), operands)
        except Refused as reason:
            raise ArgumentError(
                object="calls with execution='numba'",
                expected="calls that its kernel supports",
                received=f"{call.name}, {describe(layer, 200)}: {reason.received}",
                remedy=ALTERNATIVES,
            ) from None
        steps.append((position, step))
    return steps


def _sample(graph: Graph, value: int) -> tuple[int, ...]:
    """Return the shape of one sample, without the batch dimension."""
    first, *sample = graph.values[value].shape or (0,)
    if first is not None or None in sample:
        raise Refused("the kernel supports tensors with the batch as first dimension only")
    return tuple(sample)  # type: ignore[arg-type]


def _kind_of_inputs(graph: Graph) -> str:
    return graph.values[graph.inputs[0]].kind


def _size(graph: Graph, value: int) -> int:
    return math.prod([size or 0 for size in (graph.values[value].shape or ())[1:]])


def _guarded(call: Call, layer: nn.Module) -> Expression | None:
    """Return the inlined expression of a layer, with all settings fixed, for the guard to check."""
    expression = expression_of(layer, len(call.arguments))
    if expression is None:
        return None
    return expression._replace(fixed=(*expression.fixed, *settings_of(layer)))


def _table(
    steps: Sequence[tuple[int, Step]],
    kinds: Sequence[str],
    offsets: Sequence[int],
    weights: Weights,
) -> Any:
    """Return one row for each step: its kind, its offsets, and its numbers."""
    number_of = {kind: number for number, kind in enumerate(kinds)}
    table = np.zeros((len(steps), 5 + NUMBERS), np.uintp)
    for row, (_, step), constants in zip(table, steps, weights.offsets, strict=True):
        arguments = [offsets[value] for value in step.arguments]
        head = (number_of[step.kind], offsets[step.result], *arguments)
        row[: len(head)] = head
        row[4] = constants
        row[5 : 5 + len(step.numbers)] = step.numbers
    return table
