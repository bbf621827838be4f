"""The operators of symbolic data, each of which makes a node, and what is refused."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from torch import Tensor, nn

from hpml.symbolic import useful_layers
from hpml.symbolic.errors import ArgumentError

from .arguments import find
from .interception import Handle
from .node import layer_name


def method_refused(name: str) -> str:
    """Return why a method cannot be called while the graph is built, and what to write."""
    if name.endswith("_"):
        return f"x.{name}() would change a value in place that other nodes read: {_INSTEAD}"
    return (
        f"x.{name}() expected a tensor with numbers and a gradient, received symbolic data: call "
        "it on what the model returns, or write useful_layers.CallbackLayer(lambda y: "
        f"y.{name}(...))(x), which does it whenever the model runs"
    )


_INSTEAD = (
    "use what returns a new value: the function without the underscore or out=, or "
    "torch.zeros_like, torch.full_like, torch.rand_like"
)


def described(value: Any) -> str:
    """Return what a message calls symbolic data, with its line, or a size of it."""
    node = getattr(value, "_node", None)
    return "a size that depends on the batch" if node is None else str(node.describe())


_NO_ITEM = (
    "x[i] = y would change a value that other nodes read; build the result instead, with "
    "torch.where, torch.cat, index_put or masked_fill (all without a trailing underscore)"
)


def check_changes_nothing(function: Callable[..., Any], kwargs: dict[str, Any]) -> None:
    """Refuse a function of torch that would change an argument, each time the model runs."""
    name = getattr(function, "__name__", "")
    if name == "__setitem__":
        raise ArgumentError(_NO_ITEM)
    if name.endswith("_") and not name.endswith("__"):
        raise ArgumentError(method_refused(name))
    if kwargs.get("out") is not None:
        raise ArgumentError(
            f"{name}(..., out=y) would change a value in place that other nodes read: {_INSTEAD}"
        )


class WithoutNumbers:
    """What asks for numbers, or would change them, refused with what to write."""

    __slots__ = ()

    def __setitem__(self, index: Any, value: Any) -> None:
        raise ArgumentError(_NO_ITEM)

    def __index__(self) -> int:
        raise ArgumentError(
            f"a number was expected, received {described(self)}, which has none while the graph is "
            "built: use functions of torch (torch.sqrt, not math.sqrt or np.sqrt) and operators, "
            "or put the computation into the forward of a module. A size that is known, x.shape[1] "
            "or x.features, is an int. For one that depends on the batch write "
            "x.view(x.shape[0], -1), torch.zeros(x.shape[0], 4) or x.mean(0), or give the input a "
            "batch_shape"
        )

    __float__ = __int__ = __index__

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        self.__index__()

    def __bool__(self) -> bool:
        check_no_setting(self)
        raise ArgumentError(
            f"the truth value of {described(self)}, is known only when the graph runs on data: use "
            "torch.where, or move the decision into the forward of a module"
        )


def setting_refused(layer: object, value: object, name: str = "") -> str:
    """Return why symbolic data cannot be a setting of a layer."""
    kind = type(layer).__name__
    return (
        f"{kind} expected numbers as its settings, received {value!r}{name and ' as ' + name}: "
        f"make the layer first, then call it, {kind}(...)(x); a size that is known, x.shape[1] or "
        "x.features, is an int"
    )


def check_settings(layer: object) -> None:
    """Refuse a layer that was made with symbolic data as one of its settings."""
    for name, value in vars(layer).items() if isinstance(layer, nn.Module) else ():
        if isinstance(value, Handle):
            raise ArgumentError(setting_refused(layer, value, name))


def check_no_setting(value: object) -> None:
    """Refuse symbolic data that a layer of torch looks into while it is made."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if not module.startswith(("torch.nn.", "hpml.symbolic.")):
            return
        layer = frame.f_locals.get("self") if frame.f_code.co_name == "__init__" else None
        if isinstance(layer, nn.Module):
            raise ArgumentError(setting_refused(layer, find(value, (Handle,))))
        frame = frame.f_back


def check_no_module_runs() -> None:
    """Refuse symbolic data in a forward that runs because ``layer(x)`` was not noticed."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not nn.Module._call_impl.__code__:
        frame = frame.f_back
    if frame is None:
        return
    raise ArgumentError(
        f"{layer_name(frame.f_locals['self'])} was called with symbolic data while layer(x) is "
        "switched off: by optimize_module_calls(), while a comparison or profiler measures, or by "
        "another library, which replaced torch.nn.Module.__call__. Write x(layer), or make a new "
        "Input, which switches it on again"
    )


def check_squeeze(tensor: Any) -> None:
    """Refuse to squeeze what may or may not be a dimension of size one."""
    if tensor._spec.depends:
        raise ArgumentError(
            f"x.squeeze() would drop the batch where it happens to be 1, of {tensor!r}: say which "
            "dimension, x.squeeze(1), or give the input a batch_shape"
        )


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

    __array_ufunc__ = None  # NumPy's scalars and arrays leave their operators to these


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
