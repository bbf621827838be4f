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
import importlib.util
import itertools
import math
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NamedTuple

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
from hpml.symbolic.graph.liveness import use_counts

from .code import NUMBERS, Step, compile_kernel, kernel_source
from .memory import NO_GRADIENT, PLAIN, Places, Weights, places_of
from .operations import BATCH_SIZE, Operand, Refused, Same, is_batch_size, settings_of, taken


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
    dtype = str(kind).removeprefix("torch.") if kind else model.graph.values[0].kind
    assert program.infer is not None  # what this module prepares has it
    with torch.no_grad():
        made = program.infer(model._execution_order_layers, dtype)
    if made is None:
        raise ArgumentError(
            "compiled_inference expected layers that the kernel can stand for, with weights of "
            f"float32 or float64, received {dtype} and some that may have to be called at present: "
            "model.explain() of the execution 'numba' says which; model.eval() may help"
        )
    return made  # type: ignore[no-any-return]


class _Boundary(NamedTuple):
    """A value that goes into or out of the kernel: its place, the size and shape of one sample."""

    place: int
    size: int
    shape: tuple[int, ...]


def prepare(graph: Graph, layers: Sequence[nn.Module]) -> Program:
    """Choose the steps of a graph's calls, and make ready to compile them.

    Raises:
        ArgumentError: the kernel cannot take a value or a call, or Numba is missing.
    """
    _require_numba()
    steps, same = _steps(graph, layers)
    places = places_of(graph, same)
    kinds = sorted({step.kind for _, step in steps})  # so that like models share a kernel
    source = kernel_source(kinds)
    compiled = compile_kernel(source)
    weights = Weights(steps, layers)
    table = _table(steps, kinds, places, weights)
    guard = Guard([_guarded(*pair) for pair in zip(graph.calls, layers, strict=True)], layers)
    inputs = [_boundary(graph, places, value) for value in graph.inputs]
    outputs = [_boundary(graph, places, value) for value in graph.outputs]

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
        values = np.empty(places.size * batch, packed.dtype)
        for value, array, (place, size, shape) in zip(given, arrays, inputs, strict=True):
            if array.shape != (batch, *shape) or array.dtype != packed.dtype:
                raise _unexpected(value, shape, batch, packed.dtype)
            values[place * batch : (place + size) * batch] = array.reshape(-1)
        compiled(np.uintp(batch), table, packed, values)
        results = []
        for place, size, shape in outputs:
            result = values[place * batch : (place + size) * batch].reshape(batch, *shape)
            results.append(torch.from_numpy(result.copy()))
        return results[0] if len(results) == 1 else tuple(results)

    def failed_call(frame: FrameType, line: int) -> int | None:
        return in_order().failed_call(frame, line)

    return Program(run, source, failed_call, guard.reasons, infer=infer)


def _array(value: Any) -> Any:
    """Return the numbers of an input.

    Raises:
        ArgumentError: it is no tensor, one of a subclass, or one that lies elsewhere.
        GradientError: gradients are recorded, and it requires one.
    """
    try:
        if type(value) not in PLAIN:
            raise TypeError("it may have operators of its own")
        if torch._C._get_tracing_state() is not None:
            raise RuntimeError("a tracer would record the result as a constant")
        if value.requires_grad:
            if torch.is_grad_enabled():
                raise GradientError(NO_GRADIENT)
            value = value.detach()
        return value.numpy()
    except (TypeError, AttributeError, RuntimeError) as error:
        if isinstance(error, GradientError):
            raise
        raise ArgumentError(
            "execution='numba' expected tensors of float32 or float64 on the CPU, received "
            f"{_described(value)} ({error}): give others, or choose model.execution = 'inlined'"
        ) from error


def _unexpected(value: Any, shape: tuple[int, ...], batch: int, dtype: Any) -> ArgumentError:
    expected = ", ".join(map(str, (batch, *shape)))
    return ArgumentError(
        f"execution='numba' expected an input of shape ({expected}) and {dtype}, as the model was "
        f"built with and as its other inputs and its weights are, received {_described(value)}: "
        "convert it, or choose model.execution = 'inlined'"
    )


def _described(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        kind = "tensor" if type(value) in PLAIN else type(value).__name__
        return f"a {kind} of shape {tuple(value.shape)}, {value.dtype}, on {value.device}"
    return f"a {type(value).__name__}"


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


def _require_numba() -> None:
    if importlib.util.find_spec("numba") is None:
        raise ArgumentError(
            "execution='numba' expected the package numba, which is not installed: pip install "
            "numba, or choose another execution"
        )


def _steps(
    graph: Graph, layers: Sequence[nn.Module]
) -> tuple[list[tuple[int, Step]], dict[int, int]]:
    """Return the steps, each with the position of its call, and which values are the same."""
    kinds: tuple[str, ...] = ("float32", "float64")
    for number in graph.inputs:
        value = graph.values[number]
        if not value.shape or value.kind not in kinds:
            raise ArgumentError(
                f"execution='numba' expected inputs of {' or '.join(kinds)} whose first dimension "
                f"is the batch, received {value.text()} of {value.kind}: {_OTHERS}"
            )
        kinds = (value.kind,)
    counts = use_counts(graph)
    steps: list[tuple[int, Step]] = []
    same: dict[int, int] = {}
    batch_sizes: set[int] = set()
    sharing = set(graph.inputs)  # memory with a value that others may read
    for position, (call, layer) in enumerate(zip(graph.calls, layers, strict=True)):
        try:
            if call.unpacks or len(call.results) != 1 or call.results[0] is None:
                raise Refused("the kernel knows calls with one result")
            result = call.results[0]
            if is_batch_size(layer):
                batch_sizes.add(result)
                continue
            operands: list[Any] = [
                BATCH_SIZE
                if value in batch_sizes
                else Operand(
                    value, _sample(graph, value), counts[value] == 1 and value not in sharing
                )
                for value in call.arguments
            ]
            found = taken(layer, Operand(result, _sample(graph, result)), operands)
        except Refused as reason:
            raise ArgumentError(
                f"execution='numba' expected calls that its kernel knows, received {call.name}, "
                f"{layer_text(layer)}: {reason}; {_OTHERS}"
            ) from None
        if isinstance(found, Same):
            same[result] = found.value
            sharing.add(result)
        else:
            steps.extend((position, step) for step in found)
    return steps, same


_OTHERS = "choose 'inlined', 'codegen', 'ordered' or 'lazy', which run every graph"


def _sample(graph: Graph, value: int) -> tuple[int, ...]:
    shape = graph.values[value].shape
    if not shape:
        raise Refused("the kernel knows tensors whose first dimension is the batch")
    sample = [size for size in shape[1:] if size is not None]
    if len(sample) + 1 != len(shape):
        raise Refused("the kernel knows tensors of which one dimension depends on the batch")
    return tuple(sample)


def _guarded(call: Call, layer: nn.Module) -> Expression | str:
    """Return what the guard watches of a layer: as if written out, with the settings fixed."""
    expression = expression_of(layer, len(call.arguments))
    if isinstance(expression, str):
        return expression
    return expression._replace(fixed=(*expression.fixed, *settings_of(layer)))


def _table(
    steps: Sequence[tuple[int, Step]], kinds: Sequence[str], places: Places, weights: Weights
) -> Any:
    """Return a row a step: its kind, its places, and its numbers."""
    number_of = {kind: number for number, kind in enumerate(kinds)}
    table = np.zeros((len(steps), 5 + NUMBERS), np.uintp)
    for row, (_, step), constants in zip(table, steps, weights.places, strict=True):
        arguments = [places.of[value] for value in step.arguments]
        found = (number_of[step.kind], places.of[step.result], *arguments)
        row[: len(found)] = found
        row[4] = constants
        row[5 : 5 + len(step.numbers)] = step.numbers
    return table


def _boundary(graph: Graph, places: Places, value: int) -> _Boundary:
    shape = _sample(graph, value)
    return _Boundary(places.of[value], math.prod(shape), shape)
