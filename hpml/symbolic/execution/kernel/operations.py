"""Choose the kernel step for each call, or refuse the call.

The kernel supports linear layers, elementwise functions without broadcasting, and changes of shape
that keep the batch, which is the first dimension of every value. So it is correct for every batch
size.
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
from hpml.symbolic.errors import ArgumentError

from . import code
from .code import Step

ALTERNATIVES = "Choose 'inlined', 'codegen', 'ordered' or 'lazy', which run every graph."
"""What to do with a model that the kernel does not support."""


class Refused(ArgumentError):
    """The kernel does not support a call; what it received is the reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"execution='numba' cannot run this model: {reason}.",
            object="calls with execution='numba'",
            expected="calls that its kernel supports",
            received=reason,
            remedy=ALTERNATIVES,
        )


class Operand(NamedTuple):
    """A tensor of the graph: its number, and the shape of one sample."""

    value: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.shape)


Form = tuple[str, tuple[float, ...]]
"""An expression of ``u``, and the constants ``k0``, ``k1``, … in it."""


def _form(expression: str, *constants: float) -> Callable[..., Form]:
    """Return a function that gives this form and ignores ``inplace``."""
    return lambda inplace=False: (expression, constants)


def _gelu(approximate: str = "none") -> Form:
    if approximate == "tanh":
        inner = "k1 * (u + k2 * u * u * u)"
        scale = math.sqrt(2 / math.pi)
        return f"k0 * u * (k3 + math.tanh({inner}))", (0.5, scale, 0.044715, 1.0)
    return "k0 * u * (k1 + math.erf(u * k2))", (0.5, 1.0, math.sqrt(0.5))


_FORMS: dict[str, Callable[..., Form]] = {
    "tanh": _form("math.tanh(u)"),
    "sigmoid": _form("k0 / (k0 + math.exp(-u))", 1.0),
    "relu": _form("u if not u <= k0 else k0", 0.0),  # `not <=`, so that NaN stays NaN
    "silu": _form("u / (k0 + math.exp(-u))", 1.0),
    "gelu": _gelu,
}
_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "div": "/"}
_SHAPES = ("reshape", "view", "flatten", "unsqueeze", "unchanged")

NAME_OF: dict[Any, str] = {
    getattr(owner, name): name
    for owner in (torch, F, torch.Tensor, operator)
    for name in (*_FORMS, *_ARITHMETIC, *_SHAPES)
    if hasattr(owner, name)
}
"""The operation of each function, method and operator of PyTorch and Python."""


def reads_batch_size(layer: nn.Module) -> bool:
    """Return whether a call reads a size, as ``x.shape[0]`` does; only shape changes use it."""
    return isinstance(layer, useful_layers.FunctionLayer) and layer.function is torch.Tensor.size


def step_of(layer: nn.Module, result: Operand, operands: Sequence[Any]) -> Step:
    """Return the step of a call of a layer, or raise `Refused`."""
    if isinstance(layer, useful_layers.FunctionLayer):
        name = None if layer._tensor_constants or layer.method else NAME_OF.get(layer.function)
        arguments, settings = _arguments(layer, operands)
    else:
        rule = LAYER_RULES.get(type(layer))
        name, *names = rule.kernel if rule is not None and rule.kernel else (None,)
        arguments, settings = tuple(operands), {name: getattr(layer, name) for name in names}
    if name == "linear":
        return _linear(result, *arguments, **settings)
    if name in _ARITHMETIC:
        if len(arguments) != 2 or settings:
            raise Refused(f"the kernel supports {name} of two positional arguments only")
        return _arithmetic(_ARITHMETIC[name], result, *arguments)
    if name is None or not arguments or not isinstance(arguments[0], Operand):
        raise Refused("the kernel does not support it")
    if name in _SHAPES:  # the elements keep their order, so the step is a copy
        if arguments[0].size != result.size:
            raise Refused("it has to keep the batch as it is: reshape(x.shape[0], …) or (-1, …)")
        return _elementwise(result, arguments[0], "u")
    try:
        expression, constants = _FORMS[name](*arguments[1:], **settings)
    except (TypeError, ValueError) as error:
        raise Refused(f"the kernel does not support its arguments: {error}") from None
    return _elementwise(result, arguments[0], expression, *constants)


def _arguments(layer: Any, operands: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the positional and keyword arguments of a call, with operands filled in."""
    values = {f"a{i}": operand for i, operand in enumerate(operands)}
    # torch.Size accepts integers only, but a size that the graph computes is None here.
    constants = [tuple if value is torch.Size else value for value in layer.template.constants]
    scope = {"call": lambda *args, **kwargs: (args, kwargs), "k": constants}
    arguments: tuple[tuple[Any, ...], dict[str, Any]]
    arguments = eval(f"call({layer.template.text})", scope | values)
    return arguments


def _elementwise(result: Operand, x: Operand, expression: str, *constants: float) -> Step:
    kind = code.elementwise(expression, len(constants))
    return Step(kind, (x.value,), result.value, (result.size,), constants)


def _arithmetic(symbol: str, result: Operand, x: Any, y: Any) -> Step:
    if isinstance(x, Operand) and isinstance(y, Operand):
        if x.shape != y.shape:
            raise Refused(f"it broadcasts {x.shape} and {y.shape} against each other")
        kind = code.elementwise(f"u {symbol} z")
        return Step(kind, (x.value, y.value), result.value, (result.size,))
    if isinstance(x, Operand) and type(y) in (int, float):
        return _elementwise(result, x, f"u {symbol} k0", float(y))
    if isinstance(y, Operand) and type(x) in (int, float):
        return _elementwise(result, y, f"k0 {symbol} u", float(x))
    raise Refused("the kernel supports numbers and values of the graph as arguments only")


def _linear(result: Operand, x: Operand, in_features: int, out_features: int) -> Step:
    tensors = (("bias", (out_features,)), ("weight", (out_features, in_features)))
    numbers = (x.size // in_features, in_features, out_features)
    kind = code.linear(in_features, out_features)
    return Step(kind, (x.value,), result.value, numbers, (), tensors)


def settings_of(layer: nn.Module) -> tuple[tuple[str, Any], ...]:
    """Return the attributes on which a layer's step depends, and their required values."""
    rule = LAYER_RULES.get(type(layer))
    if rule is None:
        return ()
    return (*((name, getattr(layer, name)) for name in rule.kernel[1:]), *rule.kernel_fixed)
