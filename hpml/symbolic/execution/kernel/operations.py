"""Which calls the kernel can take, and as which steps.

One small function an operation. It gets the call as the student wrote it: values that the graph
computes stand in as :class:`Operand`, everything else is what it is. What it cannot take it refuses
with a reason, which names what it could. The batch is the first dimension of every value, and no
operation may touch it: that is what makes the kernel right for each batch size.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from hpml.symbolic import useful_layers
from hpml.symbolic.building.layer_rules import LAYER_RULES

from . import code
from .code import Packed, Step


class Refused(Exception):
    """The kernel cannot take a call; the text says why."""


class Operand(NamedTuple):
    """A value of the graph: its number, the shape of a sample, whether this call alone reads it."""

    value: int
    shape: tuple[int, ...]
    read_once: bool = False

    @property
    def size(self) -> int:
        return math.prod(self.shape)


def _behind_the_batch(dim: Any, rank: int) -> int:
    if type(dim) is not int or dim % rank == 0:
        raise Refused(f"it works along dim={dim}, and the first dimension is the batch")
    return dim % rank


BATCH_SIZE = object()
"""Stands for the size of the batch among the arguments of a call."""


def is_batch_size(layer: nn.Module) -> bool:
    """Return whether a call reads the size of the batch, as ``x.shape[0]`` does."""
    return (
        isinstance(layer, useful_layers.FunctionLayer)
        and layer.function is torch.Tensor.size
        and (layer.template.text, layer.template.constants) == ("a0, k[0]", (0,))
    )


class Same(NamedTuple):
    """The result is the argument itself, perhaps in another shape: nothing to compute."""

    value: int


Taken = list[Step] | Same
Operation = Callable[..., Taken]


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise Refused(f"it takes a {type(value).__name__}, and the kernel numbers and values only")
    return float(value)


def _operand(value: Any) -> Operand:
    if not isinstance(value, Operand):
        raise Refused("it takes something else than values of the graph")
    return value


def _each(x: Any, result: Operand, expression: str, *constants: float) -> Taken:
    kind = code.elementwise(expression, len(constants))
    return [Step(kind, (_operand(x).value,), result.value, (result.size,), constants)]


def _arithmetic(symbol: str) -> Operation:
    def operation(result: Operand, x: Any, y: Any) -> Taken:
        if isinstance(x, Operand) and isinstance(y, Operand):
            if x.shape != y.shape:
                raise Refused(f"it broadcasts {x.shape} and {y.shape} against each other")
            kind = code.elementwise(f"u {symbol} z")
            return [Step(kind, (x.value, y.value), result.value, (result.size,))]
        if isinstance(x, Operand):
            return _each(x, result, f"u {symbol} k0", _number(y))
        return _each(y, result, f"k0 {symbol} u", _number(x))

    return operation


def _function(expression: str, *constants: float) -> Operation:
    return lambda result, x: _each(x, result, expression, *constants)


_RELU = "u if not u <= k0 else k0"  # not: what is not a number stays that
_SIGMOID = "k0 / (k0 + math.exp(-u))"


def _relu(result: Operand, x: Any, inplace: bool = False) -> Taken:
    _in_place(inplace, x)
    return _each(x, result, _RELU, 0.0)


def _in_place(inplace: bool, x: Any) -> None:
    if inplace and not _operand(x).read_once:
        raise Refused("it works in place on a value that others read, or may read")


def _leaky_relu(
    result: Operand, x: Any, negative_slope: float = 0.01, inplace: bool = False
) -> Taken:
    _in_place(inplace, x)
    return _each(x, result, "u if not u <= k0 else u * k1", 0.0, _number(negative_slope))


def _silu(result: Operand, x: Any, inplace: bool = False) -> Taken:
    _in_place(inplace, x)
    return _each(x, result, "u / (k0 + math.exp(-u))", 1.0)


def _hardswish(result: Operand, x: Any, inplace: bool = False) -> Taken:
    _in_place(inplace, x)
    return _each(x, result, "u * min(max(u + k0, k1), k2) / k2", 3.0, 0.0, 6.0)


def _gelu(result: Operand, x: Any, approximate: str = "none") -> Taken:
    if approximate == "tanh":
        inner = "k1 * (u + k2 * u * u * u)"
        scale = math.sqrt(2 / math.pi)
        return _each(x, result, f"k0 * u * (k3 + math.tanh({inner}))", 0.5, scale, 0.044715, 1.0)
    return _each(x, result, "k0 * u * (k1 + math.erf(u * k2))", 0.5, 1.0, math.sqrt(0.5))


def _power(result: Operand, x: Any, exponent: Any) -> Taken:
    if type(exponent) is int and exponent == 2:
        return _each(x, result, "u * u")
    raise Refused("of powers the kernel knows the square")


def _reshape(result: Operand, x: Any, *sizes: Any, shape: Any = ()) -> Taken:
    sizes = tuple(shape or (sizes[0] if isinstance(sizes[0], (tuple, list)) else sizes))
    if (sizes[0] != -1 and sizes[0] is not BATCH_SIZE) or _operand(x).size != result.size:
        raise Refused("it has to leave the batch as it is: reshape(x.shape[0], …) or (-1, …)")
    return Same(x.value)


def _flatten(result: Operand, x: Any, start_dim: int = 0, end_dim: int = -1) -> Taken:
    _behind_the_batch(start_dim, len(_operand(x).shape) + 1)
    return Same(x.value)


def _squeeze(result: Operand, x: Any, dim: Any = None) -> Taken:
    _behind_the_batch(dim, len(_operand(x).shape) + 1)
    return Same(x.value)


def _unsqueeze(result: Operand, x: Any, dim: Any) -> Taken:
    _behind_the_batch(dim, len(_operand(x).shape) + 2)
    return Same(x.value)


OPERATIONS: dict[str, Operation] = {
    "add": _arithmetic("+"),
    **dict.fromkeys(("sub", "subtract"), _arithmetic("-")),
    **dict.fromkeys(("mul", "multiply"), _arithmetic("*")),
    **dict.fromkeys(("truediv", "div", "divide", "true_divide"), _arithmetic("/")),
    **dict.fromkeys(("neg", "negative"), _function("-u")),
    "abs": _function("abs(u)"),
    "exp": _function("math.exp(u)"),
    "log": _function("math.log(u)"),
    "sqrt": _function("math.sqrt(u)"),
    "sin": _function("math.sin(u)"),
    "cos": _function("math.cos(u)"),
    "square": _function("u * u"),
    "tanh": _function("math.tanh(u)"),
    "sigmoid": _function(_SIGMOID, 1.0),
    "relu": _relu,
    "leaky_relu": _leaky_relu,
    "silu": _silu,
    "hardswish": _hardswish,
    "gelu": _gelu,
    "pow": _power,
    **dict.fromkeys(("reshape", "view"), _reshape),
    "flatten": _flatten,
    "squeeze": _squeeze,
    "unsqueeze": _unsqueeze,
}
"""What the kernel knows, by the name that PyTorch gives it."""

NAME_OF: dict[Any, str] = {
    getattr(owner, name): name
    for owner in (torch, F, torch.Tensor, operator)
    for name in OPERATIONS
    if hasattr(owner, name)
}
"""The functions, methods and operators of PyTorch and Python that stand for one of these."""


def _linear(layer: nn.Linear, result: Operand, x: Operand) -> Taken:
    _behind_the_batch(-1, len(x.shape) + 1)
    inputs, outputs = layer.in_features, layer.out_features
    tensors = (
        Packed("bias", (outputs,), 0.0),
        Packed("weight", (outputs, inputs), math.nan),
    )
    numbers = (x.size // inputs, inputs, outputs)
    kind = code.linear(inputs, outputs)
    return [Step(kind, (x.value,), result.value, numbers, (), tensors)]


def _unchanged(layer: nn.Module, result: Operand, x: Operand) -> Taken:
    return Same(x.value)


LAYERS: dict[str, Operation] = {
    "linear": _linear,
    "unchanged": _unchanged,
}
"""Operations that take the layer; the others of the registry take its settings."""


def taken(layer: nn.Module, result: Operand, operands: Sequence[Operand]) -> Taken:
    """Return the steps of a call of a layer.

    Raises:
        Refused: the kernel cannot take it.
    """
    if type(layer) is useful_layers.FunctionLayer:
        return _function_taken(layer, result, operands)
    rule = LAYER_RULES.get(type(layer))
    if rule is None or not rule.kernel:
        raise Refused(f"the kernel does not know {type(layer).__name__}")
    name, *settings = rule.kernel
    if name in LAYERS:
        return LAYERS[name](layer, result, *operands)
    return OPERATIONS[name](result, *operands, *[getattr(layer, s) for s in settings])


def _function_taken(layer: Any, result: Operand, operands: Sequence[Operand]) -> Taken:
    name = None if layer._tensor_constants or layer.method else NAME_OF.get(layer.function)
    if name is None:
        raise Refused(f"the kernel does not know {layer.name}, or what it is called with")
    # The call as it was written, with the values of the graph for the arguments.
    template = layer.template
    places = {f"a{i}": operand for i, operand in enumerate(operands)}
    given = eval(f"call({template.text})", {"call": _given, "k": template.constants, **places})
    try:
        return OPERATIONS[name](result, *given[0], **given[1])
    except TypeError as error:
        raise Refused(f"of its arguments the kernel does not know some: {error}") from None


def _given(*arguments: Any, **named: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return arguments, named


def settings_of(layer: nn.Module) -> tuple[tuple[str, Any], ...]:
    """Return the attributes of a layer that its steps stand on, and what they have to be."""
    rule = LAYER_RULES.get(type(layer))
    if rule is None:
        return ()
    return (*((name, getattr(layer, name)) for name in rule.kernel[1:]), *rule.kernel_fixed)
