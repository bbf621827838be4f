"""The operators of symbolic data: ``x + y``, ``2 * x``, ``-x``, ``x < y``, each of them a node.

Assignments such as ``x += y`` need nothing of their own: they make a new value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from torch import nn

from hpml.symbolic import useful_layers


class Operators:
    """The operators, for a class that says how an operation is recorded."""

    __slots__ = ()

    def _record(self, function: Callable[..., Any], *args: Any) -> Any:
        raise NotImplementedError

    def _record_pair(self, layer: nn.Module, other: Any) -> Any:
        raise NotImplementedError


def _binary(
    function: Callable[[Any, Any], Any], layer_type: type[nn.Module] | None = None
) -> Callable[[Any, Any], Any]:
    def method(self: Operators, other: Any) -> Any:
        if layer_type is not None and isinstance(other, Operators):
            return self._record_pair(layer_type(), other)
        return self._record(function, self, other)

    return method


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: self._record(function, other, self)


def _unary(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda self: self._record(function, self)


_OWN_LAYERS: dict[str, type[nn.Module]] = {
    "add": useful_layers.AddOpLayer,
    "sub": useful_layers.SubOpLayer,
    "mul": useful_layers.MulOpLayer,
    "mod": useful_layers.ModOpLayer,
    "matmul": useful_layers.MatmulOpLayer,
}
_BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
for _name in _BINARY:
    _function = getattr(operator, f"__{_name}__")
    setattr(Operators, f"__{_name}__", _binary(_function, _OWN_LAYERS.get(_name)))
    setattr(Operators, f"__r{_name}__", _reflected(_function))
for _name in ("lt", "le", "gt", "ge"):
    setattr(Operators, f"__{_name}__", _binary(getattr(operator, _name)))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Operators, f"__{_name}__", _unary(getattr(operator, _name)))
