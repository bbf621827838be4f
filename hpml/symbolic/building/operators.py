"""The operators of symbolic data: ``x + y``, ``2 * x``, ``-x``, ``x < y``, each of them a node.

Assignments such as ``x += y`` make a new value; the old one is not to be read any more.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from hpml.symbolic import useful_layers
from hpml.symbolic.errors import ArgumentError

from .interception import Handle
from .misuse import NUMPY_OPERATORS, array_refused


class Operators:
    """The operators, for a class that says how an operation is recorded."""

    __slots__ = ()

    def _record(self, function: Callable[..., Any], *args: Any) -> Any:
        raise NotImplementedError

    def _record_pair(self, layer: nn.Module, other: Any) -> Any:
        raise NotImplementedError

    def _changed_to(self, result: Any, operation: str) -> None:
        """Note an assignment such as ``+=``, which by hand changes this value in place."""

    def __eq__(self, other: object) -> Any:
        """Compare when the model runs; ``is`` says whether two are the same symbolic data."""
        return self._record(operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        return self._record(operator.ne, self, other)

    __hash__ = object.__hash__

    def __round__(self, digits: int | None = None) -> Any:
        return self._record(round, self, digits)

    def __divmod__(self, other: Any) -> Any:
        return self._record(divmod, self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return self._record(divmod, other, self)

    def __floor__(self) -> Any:
        return self._record(math.floor, self)

    def __ceil__(self) -> Any:
        return self._record(math.ceil, self)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        """Record what an operator of NumPy's would compute; refuse any other function."""
        function = NUMPY_OPERATORS.get(ufunc.__name__)
        if function is None or method != "__call__" or kwargs:
            raise ArgumentError(array_refused(self, f"np.{ufunc.__name__}"))
        return self._record(function, *args)


def _binary(
    function: Callable[[Any, Any], Any], layer_type: type[nn.Module] | None = None
) -> Callable[[Any, Any], Any]:
    def method(self: Operators, other: Any) -> Any:
        if layer_type is not None and isinstance(other, Operators):
            return self._record_pair(layer_type(), other)
        return self._record(function, self, other)

    return method


def _assigning(name: str) -> Callable[[Any, Any], Any]:
    def method(self: Operators, other: Any) -> Any:
        result = getattr(self, f"__{name}__")(other)
        self._changed_to(result, f"an assignment such as +=, *= or @= ({name})")
        return result

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
OUT_OF_PLACE: dict[Callable[..., Any], Callable[..., Any]] = {
    getattr(Tensor, f"__i{name}__"): getattr(operator, f"__{name}__")
    for name in _BINARY
    if name != "matmul"
}
"""What is recorded for ``total += x`` with a real total, which would grow from run to run."""

for _name in _BINARY:
    _function = getattr(operator, f"__{_name}__")
    setattr(Operators, f"__{_name}__", _binary(_function, _OWN_LAYERS.get(_name)))
    setattr(Operators, f"__r{_name}__", _reflected(_function))
    setattr(Operators, f"__i{_name}__", _assigning(_name))
for _name in ("lt", "le", "gt", "ge"):
    setattr(Operators, f"__{_name}__", _binary(getattr(operator, _name)))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Operators, f"__{_name}__", _unary(getattr(operator, _name)))
