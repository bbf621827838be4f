"""Numba execution: one compiled kernel for a whole graph of small layers, for inference on a CPU.

Of a layer with four values Python takes a hundred times as long to call an operator as the
processor to compute it. Here nothing of Python is left between the inputs and the outputs: a table
of steps, one array of weights, one of values, and a loop that Numba compiled. What a graph holds
that the kernel does not know is refused when the model is made.

The layers stay what the model consists of. Each forward asks the guard whether they are what the
kernel was written for, and reads their weights again; else they are called. An object of
`CompiledInference` has weights of its own instead, and no layers.

The kernel knows linear layers, elementwise functions and changes of shape. Results agree with
PyTorch's to 1e-6 relative in float64 and 1e-5 in float32.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.autograd import forward_ad

from hpml.symbolic.building.node import layer_text
from hpml.symbolic.errors import ArgumentError, GradientError
from hpml.symbolic.execution.called import Program, call_in_order, prepare_ordered
from hpml.symbolic.execution.guard import Guard
from hpml.symbolic.execution.inline_expressions import Expression, expression_of
from hpml.symbolic.graph import Graph
from hpml.symbolic.graph.data import Call
from hpml.symbolic.graph.liveness import assign_slots

from .code import NUMBERS, Step, compile_kernel, kernel_source
from .memory import NO_GRADIENT, PLAIN, Weights
from .operations import Operand, Refused, reads_batch_size, settings_of, step_of


class CompiledInference:
    """A graph compiled for inference: call it with the model's inputs.

    It has a copy of the weights as they were: nothing that is done to the model reaches it. There
    are no hooks, no training mode and no gradients.
    """

    def __init__(
        self, compute: Callable[[Any, Sequence[Any]], Any], weights: Any, graph: Graph
    ) -> None:
        self._compute, self._weights, self._graph = compute, weights, graph

    def __call__(self, *inputs: Any) -> Any:
        return self._graph.named(self._compute(self._weights, inputs))


def compiled_inference(model: Any, program: Program) -> CompiledInference:
    """Return the compiled kernel of a model with its weights as they are now."""
    tensors = itertools.chain(model.parameters(), model.buffers())
    kind = next((tensor.dtype for tensor in tensors if tensor.is_floating_point()), None)
    dtype = str(kind).removeprefix("torch.") if kind else _kind_of_inputs(model.graph)
    assert program.infer is not None  # what this module prepares has it
    with torch.no_grad():
        made = program.infer(model._execution_order_layers, dtype)
    if made is None:
        raise ArgumentError(
            "compiled_inference expected layers that the kernel can stand for, with weights of "
            f"float32 or float64, received {dtype} and some that have to be called at present: "
            "call model.eval(), remove hooks, and restore methods and settings that were replaced"
        )
    return made  # type: ignore[no-any-return]


def prepare(graph: Graph, layers: Sequence[nn.Module]) -> Program:
    """Choose the steps of a graph's calls, and make ready to compile them.

    Raises:
        ArgumentError: the kernel cannot take a value or a call.
    """
    steps = _steps(graph, layers)
    slots = assign_slots(graph, in_place=False)
    shapes = {number: _sample(graph, number) for number in (*graph.inputs, *graph.outputs)}
    width = max(_size(graph, number) for number in range(len(graph.values)))
    kinds = sorted({step.kind for _, step in steps})  # so that like models share a kernel
    source = kernel_source(kinds)
    compiled = compile_kernel(source)
    weights = Weights(steps, layers)
    table = _table(steps, kinds, [slot * width for slot in slots], weights)
    guard = Guard([_guarded(*pair) for pair in zip(graph.calls, layers, strict=True)], layers)
    inputs = [(slots[value] * width, shapes[value]) for value in graph.inputs]
    outputs = [(slots[value] * width, shapes[value]) for value in graph.outputs]
    total = (max(slots) + 1) * width

    @functools.cache
    def in_order() -> Program:
        return prepare_ordered(graph, ())

    def infer(layers: Sequence[nn.Module], dtype: Any) -> CompiledInference | None:
        parameters = guard.parameters(layers)
        packed = None if parameters is None else weights.read(parameters, dtype)
        return None if packed is None else CompiledInference(compute, packed, graph)

    def run(self: Any, *given: Any) -> Any:
        layers = self._execution_order_layers
        # A compiler gets the plain calls: it cannot see through the kernel.
        if torch.compiler.is_compiling():
            return call_in_order(graph, layers, given)
        parameters = None if _operators_are_watched(given) else guard.parameters(layers)
        packed = None
        if parameters is not None:
            packed = weights.read(parameters, _array(given[0]).dtype)
        if packed is None:
            return in_order().run(self, *given)
        return compute(packed, given)

    def compute(packed: Any, given: Sequence[Any]) -> Any:
        if len(given) != len(inputs):
            raise ArgumentError(f"expected {len(inputs)} input(s), received {len(given)}")
        arrays = [_array(value) for value in given]
        batch = arrays[0].shape[0] if arrays[0].ndim else 1
        values = np.empty(total * batch, packed.dtype)
        for value, array, (place, shape) in zip(given, arrays, inputs, strict=True):
            if array.shape != (batch, *shape) or array.dtype != packed.dtype:
                raise _unexpected(
                    f"an input of shape {(batch, *shape)} and {packed.dtype}, as the model was "
                    "built with and as its other inputs and its weights are",
                    value,
                )
            values[place * batch : place * batch + array.size] = array.reshape(-1)
        compiled(np.uintp(batch), table, packed, values)
        results = []
        for place, shape in outputs:
            result = values[place * batch :][: batch * math.prod(shape)]
            results.append(torch.from_numpy(result.reshape(batch, *shape).copy()))
        return results[0] if len(results) == 1 else tuple(results)

    def failed_call(frame: FrameType, line: int) -> int | None:
        return in_order().failed_call(frame, line)

    return Program(run, source, failed_call, infer=infer)


def _array(value: Any) -> Any:
    """Return the numbers of an input.

    Raises:
        ArgumentError: it is no tensor, one of a subclass, or one that lies elsewhere.
        GradientError: gradients are recorded, and it requires one.
    """
    # A tracer would record the result as a constant.
    if type(value) not in PLAIN or torch._C._get_tracing_state() is not None:
        raise _unexpected(_TENSORS, value)
    if value.requires_grad and torch.is_grad_enabled():
        raise GradientError(NO_GRADIENT)
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
        f"execution='numba' expected {expected}, received {received}: convert it, or choose "
        "model.execution = 'inlined'"
    )


def _operators_are_watched(given: tuple[Any, ...]) -> bool:
    """Return whether the operators are watched or changed.

    A tracer, a mode, autocast, a patch, a transform such as ``vmap``, derivatives in forward mode,
    or the inputs themselves: tensors of a subclass.
    """
    return bool(
        torch._C._get_tracing_state() is not None
        or torch._C._functorch.peek_interpreter_stack() is not None
        or forward_ad._current_level >= 0
        or any(isinstance(value, torch.Tensor) and type(value) not in PLAIN for value in given)
        or torch._C._len_torch_function_stack()
        or torch._C._len_torch_dispatch_stack()
        or torch.is_autocast_enabled("cpu")
    )


def _steps(graph: Graph, layers: Sequence[nn.Module]) -> list[tuple[int, Step]]:
    """Return the steps, each with the position of its call."""
    for number in graph.inputs:
        value = graph.values[number]
        if value.kind not in ("float32", "float64") or value.kind != _kind_of_inputs(graph):
            raise ArgumentError(
                "execution='numba' expected inputs of float32, or of float64, received "
                f"{value.text()} of {value.kind}: {_OTHERS}"
            )
    steps: list[tuple[int, Step]] = []
    given = set(graph.inputs)  # and what shares memory with them
    for position, (call, layer) in enumerate(zip(graph.calls, layers, strict=True)):
        (result, *others), effects = call.results, call.effects
        if reads_batch_size(layer):
            continue
        try:
            if call.unpacks or others or result is None:
                raise Refused("the kernel knows calls with one result")
            if graph.values[result].kind != _kind_of_inputs(graph):
                raise Refused("the kernel knows results of the dtype of the inputs")
            if effects is not None and call.arguments[effects.argument] in given:
                given.add(result)
                if effects.changed:
                    raise Refused("it works in place on an input")
            operands = [
                Operand(value, _sample(graph, value)) if graph.values[value].shape else None
                for value in call.arguments
            ]
            step = step_of(layer, Operand(result, _sample(graph, result)), operands)
        except Refused as reason:
            raise ArgumentError(
                f"execution='numba' expected calls that its kernel knows, received {call.name}, "
                f"{layer_text(layer)}: {reason}; {_OTHERS}"
            ) from None
        steps.append((position, step))
    return steps


_OTHERS = "choose 'inlined', 'codegen', 'ordered' or 'lazy', which run every graph"


def _sample(graph: Graph, value: int) -> tuple[int, ...]:
    """Return the shape of a sample, behind the batch."""
    first, *sample = graph.values[value].shape or (0,)
    if first is not None or None in sample:
        raise Refused("the kernel knows tensors whose first dimension alone depends on the batch")
    return tuple(sample)  # type: ignore[arg-type]


def _kind_of_inputs(graph: Graph) -> str:
    return graph.values[graph.inputs[0]].kind


def _size(graph: Graph, value: int) -> int:
    return math.prod([size or 0 for size in (graph.values[value].shape or ())[1:]])


def _guarded(call: Call, layer: nn.Module) -> Expression | None:
    """Return what the guard watches of a layer: as if written out, with the settings fixed."""
    expression = expression_of(layer, len(call.arguments))
    if expression is None:
        return None
    return expression._replace(fixed=(*expression.fixed, *settings_of(layer)))


def _table(
    steps: Sequence[tuple[int, Step]],
    kinds: Sequence[str],
    places: Sequence[int],
    weights: Weights,
) -> Any:
    """Return a row a step: its kind, its places, and its numbers."""
    number_of = {kind: number for number, kind in enumerate(kinds)}
    table = np.zeros((len(steps), 5 + NUMBERS), np.uintp)
    for row, (_, step), constants in zip(table, steps, weights.places, strict=True):
        arguments = [places[value] for value in step.arguments]
        found = (number_of[step.kind], places[step.result], *arguments)
        row[: len(found)] = found
        row[4] = constants
        row[5 : 5 + len(step.numbers)] = step.numbers
    return table
