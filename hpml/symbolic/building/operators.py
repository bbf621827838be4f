"""The operators of symbolic data, and the operations that a graph cannot record."""

from __future__ import annotations

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


def method_refused(name: str, *, attribute: bool = False) -> ArgumentError:
    """Return the error for a method or an attribute that cannot be recorded."""
    frame: FrameType | None = sys._getframe(2)
    if frame is not None and frame.f_globals.get("__name__") == "torch.nn.parameter":
        return ArgumentError(
            object="nn.Parameter",
            expected="a tensor with numbers",
            received="symbolic data",
            remedy="Make the parameter from real data, nn.Parameter(torch.zeros(x.features)), and "
            "use it with x.",
        )
    if name.endswith("_"):
        return _in_place(f"x.{name}()")
    if attribute:
        return ArgumentError(
            object=f"x.{name}",
            expected="a tensor with numbers and a gradient",
            received="symbolic data",
            remedy="Read it from the real tensors that the model receives and returns.",
        )
    return ArgumentError(
        object=f"x.{name}()",
        expected="a tensor with numbers and a gradient",
        received="symbolic data",
        remedy="Call it on the model's results, or write useful_layers.CallbackLayer(lambda y: "
        f"y.{name}(...))(x), which calls it whenever the model runs.",
    )


def _in_place(call: str) -> ArgumentError:
    return ArgumentError(
        object=call,
        expected="a call that returns a new value",
        received="one that would change a value in place that other nodes read",
        remedy="Use a function that returns a new value, without the underscore or out=, or "
        "torch.zeros_like, torch.full_like, torch.rand_like; for a function that does this, "
        "add_to_graph(function, x).",
    )


def _described(value: Any) -> str:
    """Return a description of symbolic data, or of a size of it, for a message."""
    node = getattr(value, "_node", None)
    return "a size that depends on the batch" if node is None else str(node.describe())


def _item_assignment() -> ArgumentError:
    return ArgumentError(
        object="x[i] = y",
        expected="an operation that returns a new value",
        received="one that would change a value that other nodes read",
        remedy="Build the result with torch.where, torch.cat, index_put or masked_fill (all "
        "without a trailing underscore).",
    )


def check_changes_nothing(function: Callable[..., Any], kwargs: dict[str, Any]) -> None:
    """Refuse a function of torch that would change an argument in place."""
    name = getattr(function, "__name__", "")
    if name == "__setitem__":
        raise _item_assignment()
    if name.endswith("_") and not name.endswith("__"):
        raise method_refused(name)
    if kwargs.get("out") is not None:
        raise _in_place(f"{name}(..., out=y)")


class WithoutNumbers:
    """Methods that would need or change the numbers of symbolic data; each raises ArgumentError."""

    __slots__ = ()

    def __setitem__(self, index: Any, value: Any) -> None:
        raise _item_assignment()

    def __index__(self) -> int:
        raise ArgumentError(
            object="argument",
            expected="a number",
            received=f"{_described(self)}, which has no value while the graph is built",
            remedy="Use operators and functions of torch (y**0.5, not math.sqrt or np.sqrt; "
            "torch.sym_min for sizes), or record the function as a whole, add_to_graph(f, x). A "
            "known size, x.shape[1] or x.features, is an int. If it depends on the batch, use "
            "x.view(x.shape[0], -1), torch.zeros(x.shape[0], 4) or x.mean(0), or give the input a "
            "batch_shape.",
        )

    __float__ = __int__ = __index__

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        self.__index__()

    def __bool__(self) -> bool:
        check_no_setting(self)
        raise ArgumentError(
            object="truth value",
            expected="one that is known while the graph is built",
            received=f"that of {_described(self)}, known only when the model runs",
            remedy="Use torch.where (for sizes torch.sym_max), or move it into the forward of a "
            "module.",
        )


def setting_refused(layer: object, value: object, name: str = "") -> ArgumentError:
    """Return the error for symbolic data as a setting of a layer."""
    kind = type(layer).__name__
    return ArgumentError(
        object=kind,
        expected="numbers as its settings",
        received=f"{_described(value)}{name and ' as ' + name}",
        remedy=f"Make the layer first, then call it, {kind}(...)(x); a known size, x.shape[1] or "
        "x.features, is an int.",
    )


def check_settings(layer: object) -> None:
    """Refuse a layer that has symbolic data as a setting."""
    for name, value in vars(layer).items() if isinstance(layer, nn.Module) else ():
        if isinstance(value, Handle):
            raise setting_refused(layer, value, name)


def check_no_setting(value: object) -> None:
    """Refuse symbolic data that the constructor of a torch layer inspects."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if not module.startswith(("torch.nn.", "hpml.symbolic.")):
            return
        layer = frame.f_locals.get("self") if frame.f_code.co_name == "__init__" else None
        if isinstance(layer, nn.Module):
            raise setting_refused(layer, find(value, (Handle,)))
        frame = frame.f_back


def check_no_module_runs() -> None:
    """Refuse symbolic data in a running forward, whose ``layer(x)`` was not intercepted."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") != nn.Module.__module__:
        frame = frame.f_back
    if frame is None or not isinstance(frame.f_locals.get("self"), nn.Module):
        return
    called = layer_name(frame.f_locals["self"])
    raise ArgumentError(
        f"{called} was called with symbolic data while layer(x) is not recorded: because of "
        "optimize_module_calls(), a running comparison or profiler, or another library, which "
        "replaced torch.nn.Module.__call__.",
        object=called,
        expected="a call that is recorded",
        received="layer(x) while torch.nn.Module.__call__ does not record it",
        remedy="Write x(layer), or make a new Input, which records it again.",
    )


def check_squeeze(tensor: Any, dims: Any) -> None:
    """Refuse to squeeze a dimension whose size depends on the batch; `dims` is None for all."""
    shape = tensor._spec.shape
    named = range(len(shape)) if dims is None else dims if isinstance(dims, tuple) else (dims,)
    if not all(isinstance(shape[dim], int) for dim in named if -len(shape) <= dim < len(shape)):
        raise ArgumentError(
            object="x.squeeze()",
            expected="a dimension other than the batch",
            received=f"{tensor!r}, whose batch dimension it would drop if the batch size is 1",
            remedy="Name another dimension, x.squeeze(1), or give the input a batch_shape.",
        )


class Operators:
    """A mixin of all operators; subclasses define how an operation is recorded."""

    __slots__ = ()

    def _record(self, function: Callable[..., Any], *args: Any) -> Any:
        raise NotImplementedError

    def _record_pair(self, layer: nn.Module, other: Any) -> Any:
        raise NotImplementedError

    def _note_change(self, result: Any, operation: str) -> None:
        """Record an assignment such as ``+=``, which changes a real tensor in place."""

    def __round__(self, digits: int | None = None) -> Any:
        return self._record(round, self, digits)

    def __divmod__(self, other: Any) -> Any:
        return self._record(divmod, self, other)

    __array_priority__ = 1000  # makes NumPy's operators defer to these, as torch's tensors do


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
        self._note_change(result, f"an assignment such as +=, *= or @= ({name})")
        return result

    return method


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: self._record(function, other, self)


def _unary(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda self: self._record(function, self)


_OPERATOR_LAYERS: dict[str, type[nn.Module]] = {
    "add": useful_layers.AddOpLayer,
    "sub": useful_layers.SubOpLayer,
    "mul": useful_layers.MulOpLayer,
    "mod": useful_layers.ModOpLayer,
    "matmul": useful_layers.MatmulOpLayer,
}
_NAMES = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift lt le gt ge eq ne"
_SIGNS = "+   -   *   /       //       %   **  @      &   |  ^   <<     >>     <  <= >  >= == !="
SYMBOLS = dict(zip(_NAMES.split(), _SIGNS.split(), strict=True))
"""The binary operators: names in the module `operator`, without underscores, and symbols."""

FUNCTIONS = {name: getattr(operator, f"__{name}__") for name in SYMBOLS}
OUT_OF_PLACE: dict[Callable[..., Any], Callable[..., Any]] = {
    getattr(Tensor, f"__i{name}__"): function
    for name, function in FUNCTIONS.items()
    if hasattr(Tensor, f"__i{name}__")
}
"""The replacements for ``total += x`` with a real ``total``, which would change in every run."""

for _name, _function in FUNCTIONS.items():
    setattr(Operators, f"__{_name}__", _binary(_function, _OPERATOR_LAYERS.get(_name)))
    if hasattr(operator, f"__i{_name}__"):  # not a comparison
        setattr(Operators, f"__r{_name}__", _reflected(_function))
        setattr(Operators, f"__i{_name}__", _assigning(_name))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Operators, f"__{_name}__", _unary(getattr(operator, _name)))
