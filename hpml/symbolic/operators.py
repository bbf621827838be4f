"""The operators of symbolic data: ``x + y``, ``2 * x``, ``-x``, ``x < y``, each of them a node.

Assignments such as ``x += y`` need nothing of their own: they make a new value. ``==`` is left
alone, it tells whether two handles are the same one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from torch import nn

from . import symbolic_data, useful_layers
from .symbolic_data import SymbolicData

_OWN_LAYERS: dict[str, type[nn.Module]] = {
    "add": useful_layers.AddOpLayer,
    "sub": useful_layers.SubOpLayer,
    "mul": useful_layers.MulOpLayer,
    "mod": useful_layers.ModOpLayer,
    "matmul": useful_layers.MatmulOpLayer,
}


def _binary(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    layer_type = _OWN_LAYERS.get(name)

    def method(self: SymbolicData, other: Any) -> Any:
        if layer_type is not None and isinstance(other, SymbolicData):
            return symbolic_data._apply(layer_type(), (self._node, other._node), self._token)
        return symbolic_data._add_to_graph(function, self, other)

    return method


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: SymbolicData, other: Any) -> Any:
        return symbolic_data._add_to_graph(function, other, self)

    return method


def _unary(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def method(self: SymbolicData) -> Any:
        return symbolic_data._add_to_graph(function, self)

    return method


_BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
_COMPARISONS = ("lt", "le", "gt", "ge")
_UNARY = ("neg", "pos", "abs", "invert")


def install() -> None:
    """Give `SymbolicData` its operators; called once, when the package is imported."""
    for name in _BINARY:
        function = getattr(operator, f"__{name}__")
        setattr(SymbolicData, f"__{name}__", _binary(name, function))
        setattr(SymbolicData, f"__r{name}__", _reflected(function))
    for name in _COMPARISONS:
        setattr(SymbolicData, f"__{name}__", _binary(name, getattr(operator, name)))
    for name in _UNARY:
        setattr(SymbolicData, f"__{name}__", _unary(getattr(operator, name)))
