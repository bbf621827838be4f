"""Symbolic data: placeholders that record calls of layers, operators, methods and functions.

A handle refers to a node of the graph. An operation on it makes a new node and returns the new
node's handle; nothing is computed.

>>> import torch
>>> from torch import nn
>>> from hpml.symbolic import Input
>>> x = Input(shape=(4,))
>>> y = nn.Linear(4, 2)(x) + 1
>>> y.shape, y.depth
(torch.Size([None, 2]), 2)
"""

from __future__ import annotations

import inspect
import operator
import weakref
from collections.abc import Callable, Iterator, Mapping
from types import MethodDescriptorType
from typing import Any

import torch
from torch import nn

from hpml.symbolic import useful_layers
from hpml.symbolic.errors import ArgumentError

from . import interception
from .arguments import find, settled
from .inference import evaluate
from .interception import Handle, Token
from .node import (
    IN_PLACE,
    REQUIRED_BATCHES,
    Concrete,
    Node,
    TensorSpec,
    describe_spec,
    oldest_first,
)
from .operators import (
    OUT_OF_PLACE,
    Operators,
    WithoutNumbers,
    check_changes_nothing,
    check_no_module_runs,
    check_no_setting,
    check_settings,
    check_squeeze,
    method_refused,
)
from .placeholder import IntegerPlaceholder, placeholder
from .recording import call_layer, current, make_node, make_parts, note_effects
from .tensor_shape import TensorShape


class SymbolicData(Handle, Operators, WithoutNumbers):
    """A placeholder for any Python object; using an attribute, operator or method makes a node."""

    __slots__ = ()  # those of a subclass, as an integer's may not conflict with a tensor's

    _node: Node
    _token: Token

    def __init__(self, node: Node, token: Token) -> None:
        self._node = node  # type: ignore[misc]  # the slots are those of the subclass
        self._token = token  # type: ignore[misc]
        node.handle = weakref.ref(self)

    # --- the graph around this value ---

    @property
    def v(self) -> Any:
        """Example data, computed from example inputs and not stored.

        For an attribute named ``v`` of the object, write ``useful_layers.GetAttr("v")(x)``.
        """
        return evaluate(self._node)

    @property
    def parents(self) -> tuple[SymbolicData, ...]:
        """The values from which this one is computed, in the order of the layer's arguments."""
        return tuple(handle_of(parent, self._token) for parent in self._node.parents)

    @property
    def children(self) -> tuple[SymbolicData, ...]:
        """The values computed from this one that are still alive."""
        return tuple(handle_of(child, self._token) for child in self._node.living_children())

    @property
    def layer(self) -> nn.Module | None:
        """The module that computes this value from its parents; ``None`` for an input."""
        return self._node.layer

    @property
    def depth(self) -> int:
        """The longest path from an input to this value, counted in layers."""
        return self._node.depth

    @property
    def batch_size_known(self) -> bool:
        """Whether the batch of every input that this value depends on is known."""
        inputs = [node for node in oldest_first([self._node]) if node.layer is None]
        return not any(node.spec.depends for node in inputs)

    # --- making new values ---

    def _apply(
        self,
        layer: nn.Module,
        nodes: tuple[Node, ...],
        custom_name: str | None = None,
        output_shape: Any = None,
    ) -> Any:
        return handle_of(make_node(layer, nodes, custom_name, output_shape), self._token)

    def _record(self, function: Callable[..., Any], *args: Any) -> Any:
        return add_to_graph(function, *args)

    def _record_method(self, method: Callable[..., Any], *args: Any) -> Any:
        return _record(method, (self, *args), {}, as_method=True)

    def _record_pair(self, layer: nn.Module, other: Any) -> Any:
        data = other if isinstance(other, SymbolicData) else other.symbolic()  # else a size
        return self._apply(layer, (self._node, data._node))

    def _note_change(self, result: Any, operation: str) -> None:
        if not isinstance(self._node.spec, TensorSpec):
            return
        if result._node.spec != self._node.spec:
            raise ArgumentError(
                object=operation,
                expected=f"a result of {describe_spec(self._node.spec)}, as before",
                received=describe_spec(result._node.spec),
                remedy="Write x = x + y, or convert y first.",
            )
        note_effects(result._node, current(self._node), IN_PLACE, operation)

    def _record_call(self, layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) == 1 and not kwargs and args[0] is self:
            return handle_of(make_node(layer, (self._node,)), self._token)
        settings = {"custom_name", "output_shape"} & kwargs.keys()
        if settings:  # a layer's own argument of that name is the layer's
            settings -= inspect.signature(layer.forward).parameters.keys()
        return _record(layer, args, kwargs, **{name: kwargs.pop(name) for name in settings})

    def _record_function_call(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        check_no_setting((args, kwargs))
        return _record(function, args, kwargs)

    def apply_module(
        self, layer: Any, *others: Any, custom_name: str | None = None, output_shape: Any = None
    ) -> Any:
        """Apply a module or a function to this value and to others: ``x(layer)``."""
        if isinstance(layer, SymbolicData):
            raise ArgumentError(
                object="x(layer, y)",
                expected="a layer first",
                received=repr(layer),
                remedy="Pass a module or a function first, then the other values.",
            )
        return _record(layer, (self, *others), {}, custom_name, output_shape)

    __call__ = apply_module

    def _part(self, layer: nn.Module) -> Any:
        """Return an item or an attribute; None if it always is None."""
        result = self._apply(layer, (self._node,))
        return None if _is_none(result._node) else result

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, SymbolicData):
            nodes = (self._node, index._node)
            return self._apply(useful_layers.SliceLayerSymbolicIdx(), nodes)
        if find(index, (Handle, torch.Tensor)) is not None:
            return add_to_graph(operator.getitem, self, index)
        return self._part(useful_layers.SliceLayer(settled(index)))

    def __iter__(self) -> Iterator[Any]:
        check_no_setting(self)
        self._length(REQUIRED_BATCHES)  # raises if the length depends on the batch
        nodes = make_parts(self._node)
        return iter([None if _is_none(n) else handle_of(n, self._token) for n in nodes])

    def __len__(self) -> int:
        return self._length(None)

    def _length(self, examples: int | None) -> int:
        spec = self._node.spec
        assert isinstance(spec, Concrete)  # SymbolicTensor overrides this
        try:
            lengths = {len(value) for value in spec.values[:examples]}
        except TypeError:
            raise ArgumentError(
                object="length",
                expected="a value that has one",
                received=f"{self!r}",
                remedy="Compute with it in a function, add_to_graph(f, x).",
            ) from None
        return lengths.pop() if len(lengths) == 1 else self.__index__()

    def __contains__(self, item: Any) -> bool:
        raise ArgumentError(
            object="`in`",
            expected="contents that are known while the graph is built",
            received=f"those of {self!r}",
            remedy="Write (x == value).any(), or put the test into the forward of a module.",
        )

    def __getattr__(self, name: str) -> Any:
        # Protocols test for optional private names, which must fail without a node.
        if name.startswith("_") or not hasattr(self._example(), name):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return self._part(useful_layers.GetAttr(name))

    def _example(self) -> Any:
        spec = self._node.spec
        return spec.value if isinstance(spec, Concrete) else None

    def __repr__(self) -> str:
        parents = len(self._node.parents)
        children = len(self._node.living_children())
        about = describe_spec(self._node.spec)
        return f"<{type(self).__name__} of {about}; {parents} parents; {children} children>"

    def __copy__(self) -> SymbolicData:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> SymbolicData:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise ArgumentError(
            object="pickle",
            expected="a model",
            received=f"{self!r}, which is one value of a graph that is being built",
            remedy="Pickle SymbolicModel(inputs, outputs), whose copy has inputs and outputs.",
        )

    @classmethod
    def __torch_function__(
        cls,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        return _record_function(func, args, kwargs or {})


_SLOTS = ("__weakref__", "_node", "_token")


class SymbolicObject(SymbolicData):
    """A placeholder for an object that is neither a tensor, an integer, a mapping nor callable."""

    __slots__ = _SLOTS


class SymbolicInteger(SymbolicData, IntegerPlaceholder):  # type: ignore[misc]
    """A placeholder for an integer, such as a size that was computed, ``x.shape[0] // 2``."""

    @staticmethod
    def of(node: Node, token: Token) -> SymbolicInteger:
        """Return a handle of a node."""
        made: SymbolicInteger = placeholder(SymbolicInteger, _node=node, _token=token)
        node.handle = weakref.ref(made)
        return made


class SymbolicCallable(SymbolicData):
    """A placeholder for a callable, such as a method of a custom object."""

    __slots__ = _SLOTS

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return add_to_graph(_call, self, *args, **kwargs)


class SymbolicMapping(SymbolicData):
    """A placeholder for a dictionary: its keys, which are the same in each run, are known."""

    __slots__ = _SLOTS

    keys, values, items = Mapping.keys, Mapping.values, Mapping.items

    def __iter__(self) -> Iterator[Any]:
        self._length(REQUIRED_BATCHES)  # raises if the keys depend on the batch
        return iter(list(self._example()))

    def __contains__(self, key: Any) -> bool:
        return key in self._example()

    def get(self, key: Any, default: Any = None) -> Any:
        """Record the lookup, as the model may receive other keys; return None if it gives None."""
        result = add_to_graph(_get, self, key, default)
        return None if _is_none(result._node) else result


def _get(mapping: Any, key: Any, default: Any) -> Any:
    return mapping.get(key, default)


def _call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


class SymbolicTensor(TensorShape, SymbolicData):
    """A placeholder for a tensor, with a tensor's operators, slicing, methods and functions.

    ``==`` compares elementwise when the model runs; hashes and ``is`` compare identity.
    ``isinstance(x, torch.Tensor)`` is false, because C++ code would read the memory of a subclass
    of ``Tensor`` and crash.

    These are not noticed: ``x.features``, ``x.channels`` and the like, made for the constructors of
    layers, are not checked when the model runs, as ``x.shape[1]`` is. ``torch.randn(3, 4)`` is a
    constant like any tensor; write ``torch.randn_like(x)``. ``x += y`` is computed as ``x + y``,
    which autocast may give the dtype of ``y``. So the data that the caller passes for an input
    never changes, unlike in a function written by hand.
    """

    __slots__ = _SLOTS

    @property
    def _spec(self) -> TensorSpec:
        spec = self._node.spec
        assert isinstance(spec, TensorSpec)  # handle_of chose this class by the spec
        return spec

    @property
    def name(self) -> str | None:
        """The name of an input, which is the name of the model's argument; else None."""
        return self._node.custom_name if self._node.layer is None else None

    def _length(self, examples: int | None) -> int:
        if not self._spec.shape:
            raise ArgumentError(
                f"{self!r} has no length, because it has no dimensions, and no numbers for "
                "torch.tensor(x) to copy while the graph is built.",
                object="length",
                expected="at least one dimension",
                received=f"{self!r}",
                remedy="Use x itself, x.clone() or x.to(dtype).",
            )
        size = self._size(0)
        if examples is not None and not isinstance(size, int):
            raise ArgumentError(
                object="iteration",
                expected="a known number of rows",
                received=f"the batch of {self!r}",
                remedy="Use operations on the whole batch, x[:, 0] or torch.unbind(x, 1), record "
                "add_to_graph(torch.vmap(f), x), put the loop into the forward of a module, or "
                "give the input a batch_shape.",
            )
        return operator.index(size)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(torch.Tensor, name):
            raise AttributeError(f"{self!r} has no attribute {name!r}, and neither has a tensor")
        if name in _AUTOGRAD_ATTRIBUTES:
            raise method_refused(name, attribute=True)
        attribute = getattr(torch.Tensor, name)
        if callable(attribute):
            return _Method(self, name, attribute)
        return self._part(useful_layers.GetAttr(name))


_AUTOGRAD_ATTRIBUTES = ("grad", "grad_fn", "is_leaf", "retains_grad")


class _Method:
    """A bound method of a symbolic tensor; only its call makes a node."""

    __slots__ = ("__name__", "_function", "_handle")

    def __init__(self, handle: SymbolicTensor, name: str, function: Callable[..., Any]) -> None:
        self._handle = handle
        self.__name__ = name
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = self.__name__
        if name.endswith("_") or name in ("backward", "register_hook", "retain_grad"):
            raise method_refused(name)
        return _record_function(self._function, (self._handle, *args), kwargs, as_method=True)


def _is_none(node: Node) -> bool:
    """Return whether a part is always None, as the weights with ``need_weights=False``."""
    return isinstance(node.spec, Concrete) and all(value is None for value in node.spec.values)


def handle_of(node: Node, token: Token) -> Any:
    """Return the living handle of a node, or a new one."""
    if node.handle is not None and (handle := node.handle()) is not None:
        return handle
    spec = node.spec
    if type(spec) is TensorSpec:
        return SymbolicTensor(node, token)
    assert isinstance(spec, Concrete)
    if isinstance(spec.value, Mapping):
        return SymbolicMapping(node, token)
    if type(spec.value) is int:
        return SymbolicInteger.of(node, token)
    return (SymbolicCallable if callable(spec.value) else SymbolicObject)(node, token)


def add_to_graph(
    func: Callable[..., Any],
    *args: Any,
    custom_name: str | None = None,
    output_shape: Any = None,
    **kwds: Any,
) -> Any:
    """Record a call of any function or module whose arguments contain symbolic data.

    Args:
        func: a function or a ``torch.nn.Module``.
        args: the positional arguments, with symbolic data at any place, also inside lists, tuples,
            dictionaries and slices; everything else is a constant.
        custom_name: a name for the layer in the model, instead of the name of ``func``.
        output_shape: the shape of the result, batch dimension first, ``None`` for an unknown size;
            ``func`` then does not run while the graph is built.
        kwds: the keyword arguments, likewise.

    Returns:
        Symbolic data for the result.

    Raises:
        ArgumentError: ``func`` cannot be called, or no argument is symbolic.
        ShapeError: ``func`` does not accept the shapes of its arguments.

    >>> import torch
    >>> from hpml.symbolic import Input
    >>> x, y = Input(shape=(3, 2)), Input(shape=(5, 2))
    >>> add_to_graph(torch.concat, (x, y), dim=1).shape
    torch.Size([None, 8, 2])
    """
    return _record(func, args, kwds, custom_name, output_shape)


def _record(
    func: Callable[..., Any],
    args: tuple[Any, ...],
    kwds: dict[str, Any],
    custom_name: str | None = None,
    output_shape: Any = None,
    as_method: bool = False,
) -> Any:
    layer, handles = call_layer(func, args, kwds, Handle, as_method)
    nodes = tuple(handle._node for handle in handles)
    return handles[0]._apply(layer, nodes, custom_name, output_shape)


def _record_function(
    func: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    as_method: bool = False,
) -> Any:
    """Record a call of a function of torch, for ``__torch_function__``."""
    if not interception.is_active():
        check_no_module_runs()
    check_no_setting(args)
    check_changes_nothing(func, kwargs)
    if func in _SQUEEZES:
        check_squeeze(args[0], args[1] if len(args) > 1 else kwargs.get("dim"))
    func = _REPLACEMENTS.get(func, func)
    sizes = _SIZES_FROM.get(func)
    if sizes is not None and len(args) > sizes + 1:
        args = (*args[:sizes], args[sizes:])  # in a tuple torch.fx can trace them
    if isinstance(func, MethodDescriptorType) and args and isinstance(args[0], SymbolicTensor):
        as_method = True  # torch.fx cannot trace the function of a class
    return _record(func, args, kwargs, as_method=as_method)


# The functions that take sizes as separate arguments, and the position of the first.
_SIZES_FROM: dict[Callable[..., Any], int] = {
    **{getattr(torch, name): 0 for name in ("zeros", "ones", "empty", "rand", "randn")},
    **{
        getattr(torch.Tensor, name): 1
        for name in ("expand", "new_zeros", "new_ones", "new_empty", "view", "reshape", "repeat")
    },
}
_SQUEEZES = (torch.squeeze, torch.Tensor.squeeze)

# Pickle cannot find torch's wrapper of the power by its name.
_REPLACEMENTS: dict[Callable[..., Any], Callable[..., Any]] = {torch.Tensor.__pow__: operator.pow}
_REPLACEMENTS |= OUT_OF_PLACE


def as_handles(name: str, value: Any) -> list[SymbolicData]:
    """Return the symbolic data in the argument ``name``, at least one."""
    check_settings(value)
    handles = list(value) if isinstance(value, (list, tuple)) else [value]
    others = [handle for handle in handles if not isinstance(handle, SymbolicData)]
    if others or not handles:
        received = type(others[0]).__name__ if others else "none"
        raise ArgumentError(
            object=name,
            expected="symbolic data, or a list or tuple of it",
            received=received,
            remedy="Pass what Input, or a layer called on symbolic data, returned.",
        )
    return handles
