"""Which calls the kernel can take, and as which steps.

The kernel knows linear layers, elementwise functions without broadcasting, and changes of shape
that leave the batch alone. The batch is the first dimension of every value, and no operation may
touch it: that is what makes the kernel right for each batch size. The rest is refused.
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


class Refused(ArgumentError):
    """The kernel cannot take a call; the text says why."""


class Operand(NamedTuple):
    """A tensor of the graph: its number, and how many numbers a sample has."""

    value: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.shape)


Form = tuple[str, tuple[float, ...]]
"""An expression of ``u``, and the constants ``k0``, ``k1``, … in it."""


def _form(expression: str, *constants: float) -> Callable[..., Form]:
    """Return a function whose settings do not matter, such as ``inplace``."""
    return lambda inplace=False: (expression, constants)


def _leaky_relu(negative_slope: float = 0.01, inplace: bool = False) -> Form:
    return "u if not u <= k0 else u * k1", (0.0, float(negative_slope))


def _gelu(approximate: str = "none") -> Form:
    if approximate == "tanh":
        inner = "k1 * (u + k2 * u * u * u)"
        scale = math.sqrt(2 / math.pi)
        return f"k0 * u * (k3 + math.tanh({inner}))", (0.5, scale, 0.044715, 1.0)
    return "k0 * u * (k1 + math.erf(u * k2))", (0.5, 1.0, math.sqrt(0.5))


_FORMS: dict[str, Callable[..., Form]] = {
    "neg": _form("-u"),
    "abs": _form("abs(u)"),
    "exp": _form("math.exp(u)"),
    "log": _form("math.log(u)"),
    "sqrt": _form("math.sqrt(u)"),
    "sin": _form("math.sin(u)"),
    "cos": _form("math.cos(u)"),
    "tanh": _form("math.tanh(u)"),
    "sigmoid": _form("k0 / (k0 + math.exp(-u))", 1.0),
    "relu": _form("u if not u <= k0 else k0", 0.0),  # not: what is not a number stays that
    "leaky_relu": _leaky_relu,
    "silu": _form("u / (k0 + math.exp(-u))", 1.0),
    "hardswish": _form("u * min(max(u + k0, k1), k2) / k2", 3.0, 0.0, 6.0),
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
"""The functions, methods and operators of PyTorch and Python that stand for one of these."""


def reads_batch_size(layer: nn.Module) -> bool:
    """Return whether a call reads a size, as ``x.shape[0]`` does: only changes of shape use it."""
    return isinstance(layer, useful_layers.FunctionLayer) and layer.function is torch.Tensor.size


def step_of(layer: nn.Module, result: Operand, operands: Sequence[Any]) -> Step:
    """Return the step of a call of a layer.

    Raises:
        Refused: the kernel cannot take it.
    """
    if isinstance(layer, useful_layers.FunctionLayer):
        name = None if layer._tensor_constants or layer.method else NAME_OF.get(layer.function)
        given, settings = _arguments(layer, operands)
    else:
        rule = LAYER_RULES.get(type(layer))
        name, *names = rule.kernel if rule is not None and rule.kernel else (None,)
        given, settings = tuple(operands), {name: getattr(layer, name) for name in names}
    if name == "linear":
        return _linear(result, *given, **settings)
    if name in _ARITHMETIC:
        if len(given) != 2 or settings:
            raise Refused(f"the kernel knows {name} of two positional arguments only")
        return _arithmetic(_ARITHMETIC[name], result, *given)
    if name is None or not given or not isinstance(given[0], Operand):
        raise Refused("the kernel does not know it")
    if name in _SHAPES:  # the numbers are in the same order before and after
        if given[0].size != result.size:
            raise Refused("it has to leave the batch as it is: reshape(x.shape[0], …) or (-1, …)")
        return _each(result, given[0], "u")
    try:
        expression, constants = _FORMS[name](*given[1:], **settings)
    except (TypeError, ValueError) as error:
        raise Refused(f"the kernel does not know its arguments: {error}") from None
    return _each(result, given[0], expression, *constants)


def _arguments(layer: Any, operands: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments as they were written, with the values of the graph among them."""
    places = {f"a{i}": operand for i, operand in enumerate(operands)}
    # A size that is read has no number here, which torch.Size would ask for.
    constants = [tuple if each is torch.Size else each for each in layer.template.constants]
    scope = {"call": lambda *given, **named: (given, named), "k": constants}
    arguments: tuple[tuple[Any, ...], dict[str, Any]]
    arguments = eval(f"call({layer.template.text})", scope | places)
    return arguments


def _each(result: Operand, x: Operand, expression: str, *constants: float) -> Step:
    kind = code.elementwise(expression, len(constants))
    return Step(kind, (x.value,), result.value, (result.size,), constants)


def _arithmetic(symbol: str, result: Operand, x: Any, y: Any) -> Step:
    if isinstance(x, Operand) and isinstance(y, Operand):
        if x.shape != y.shape:
            raise Refused(f"it broadcasts {x.shape} and {y.shape} against each other")
        kind = code.elementwise(f"u {symbol} z")
        return Step(kind, (x.value, y.value), result.value, (result.size,))
    if isinstance(x, Operand) and type(y) in (int, float):
        return _each(result, x, f"u {symbol} k0", float(y))
    if isinstance(y, Operand) and type(x) in (int, float):
        return _each(result, y, f"k0 {symbol} u", float(x))
    raise Refused("the kernel computes with numbers and values of the graph only")


def _linear(result: Operand, x: Operand, in_features: int, out_features: int) -> Step:
    tensors = (("bias", (out_features,)), ("weight", (out_features, in_features)))
    numbers = (x.size // in_features, in_features, out_features)
    kind = code.linear(in_features, out_features)
    return Step(kind, (x.value,), result.value, numbers, (), tensors)


def settings_of(layer: nn.Module) -> tuple[tuple[str, Any], ...]:
    """Return the attributes of a layer that its steps stand on, and what they have to be."""
    rule = LAYER_RULES.get(type(layer))
    if rule is None:
        return ()
    return (*((name, getattr(layer, name)) for name in rule.kernel[1:]), *rule.kernel_fixed)
