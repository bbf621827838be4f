"""The shape of a symbolic tensor, with sizes that depend on the batch."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import fx

from hpml.symbolic.errors import ArgumentError

from .arguments import find
from .interception import Handle
from .node import Node, TensorSpec, oldest_first
from .operators import Operators, WithoutNumbers
from .placeholder import IntegerPlaceholder, placeholder


class Count(int):
    """A number of elements that can also be called, because torch's ``numel`` is a method."""

    def __call__(self) -> int:
        return int(self)


class UnknownSize(Handle, Operators, WithoutNumbers, IntegerPlaceholder):
    """A size that depends on the batch; a use of it records ``read(tensor, *arguments)``."""

    tensor: Any
    examples: tuple[int, ...]
    read: tuple[Callable[..., Any], tuple[Any, ...]]

    @staticmethod
    def of(tensor: Any, size: Any, read: Callable[..., Any], *arguments: Any) -> UnknownSize:
        """Return a size of a symbolic tensor."""
        found: UnknownSize = placeholder(
            UnknownSize, tensor=tensor, examples=size.examples, read=(read, arguments)
        )
        return found

    def symbolic(self) -> Any:
        """Return symbolic data for the size."""
        read, arguments = self.read
        return self.tensor._record_method(read, *arguments)

    __call__ = symbolic  # torch's numel is a method

    def _record(self, function: Callable[..., Any], *args: Any) -> Any:
        return self.tensor._record(function, *args)

    def _record_pair(self, layer: Any, other: Any) -> Any:
        one, two = (v.symbolic() if isinstance(v, UnknownSize) else v for v in (self, other))
        return one._record_pair(layer, two)

    def _record_call(self, layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.tensor._record_call(layer, args, kwargs)

    def _record_function_call(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        return self.tensor._record_function_call(function, args, kwargs)

    def __repr__(self) -> str:  # type: ignore[override]
        return "None"

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        size: Any = find((args, kwargs), (UnknownSize,))
        return size.tensor.__torch_function__(func, types, args, kwargs)

    def __hash__(self) -> int:
        return self.__index__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.tensor.__reduce_ex__(protocol)  # raises


def shape_of(sizes: list[Any]) -> Any:
    """Return the shape of a run, or a tuple for a proxy of ``torch.fx`` or an unknown size."""
    known = not any(size is None or isinstance(size, fx.Proxy) for size in sizes)
    return torch.Size(sizes) if known else tuple(sizes)


class SymbolicShape(tuple):  # type: ignore[type-arg]
    """A shape with a size that depends on the batch."""

    __slots__ = ()
    _make = staticmethod(shape_of)

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        known = isinstance(index, slice) and all(isinstance(size, int) for size in part)
        return torch.Size(part) if known else part

    def __eq__(self, other: object) -> bool:
        """Compare with another shape; raise ArgumentError if the answer depends on the batch."""
        if not isinstance(other, tuple) or len(self) != len(other):
            return False
        undecided = None
        for one, two in zip(self, other, strict=True):
            unknown = [size for size in (one, two) if isinstance(size, UnknownSize)]
            if len(unknown) == 2:
                pairs = zip(*[size.examples for size in unknown], strict=False)
                equal = [a == b for a, b in pairs]
                if not any(equal):
                    return False
                # The example batches of two inputs are equal, but their batches may differ.
                nodes = oldest_first([size.tensor._node for size in unknown])
                inputs = [node for node in nodes if not node.parents and node.spec.depends]
                undecided = undecided if all(equal) and len(inputs) == 1 else one
            elif unknown and isinstance(one, int) is not isinstance(two, int):
                undecided = unknown[0]
            elif two is not None if unknown else one != two:
                return False
        return True if undecided is None else bool(undecided)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def numel(self) -> Any:
        """Return the number of elements."""
        return functools.reduce(operator.mul, self)


class TensorShape:
    """A mixin of the properties and methods for sizes; subclasses define ``_spec``."""

    __slots__ = ()

    _node: Node

    @property
    def _spec(self) -> TensorSpec:
        raise NotImplementedError

    def _size(self, dim: int, *, for_a_layer: bool = False) -> Any:
        """Return a size; note that it was read, except ``for_a_layer``, which checks it itself."""
        size = self._spec.shape[dim]
        if isinstance(size, int):
            if not for_a_layer:
                self._node.note_size_read()
            return size
        return UnknownSize.of(self, size, torch.Tensor.size, dim)

    @property
    def shape(self) -> torch.Size:
        """The size of each dimension; a size that depends on the batch is shown as None."""
        sizes = [self._size(dim) for dim in range(len(self._spec.shape))]
        if self._spec.depends:
            return SymbolicShape(sizes)  # type: ignore[return-value]
        return torch.Size(sizes)

    def size(self, dim: int | None = None) -> Any:
        """Return the shape, or the size of one dimension, an ``int`` if it is known."""
        return self.shape if dim is None else self.shape[dim]

    def dim(self) -> int:
        """Return the number of dimensions."""
        return len(self._spec.shape)

    ndimension = dim
    ndim = property(dim, doc="The number of dimensions.")

    def is_floating_point(self) -> bool:
        """Return whether the elements are floating-point numbers."""
        return self._spec.dtype.is_floating_point

    def is_complex(self) -> bool:
        """Return whether the elements are complex numbers."""
        return self._spec.dtype.is_complex

    @property
    def dtype(self) -> torch.dtype:
        """The element type."""
        return self._spec.dtype

    @property
    def numel(self) -> Any:
        """The number of elements; calling it also works, as for torch's method."""
        count = math.prod(self._spec.shape)
        if isinstance(count, int):
            self._node.note_size_read()
            return Count(count)
        return UnknownSize.of(self, count, torch.Tensor.numel)

    def _layer_size(self, name: str, *dims: int) -> Any:
        """Return sizes for making a layer; names of up to three letters need an image."""
        rank = len(self._spec.shape)
        if rank == 0 or (len(name) <= 3 and rank != 4):
            expected = "at least one dimension" if rank == 0 else "an image of four dimensions"
            raise ArgumentError(
                object=f"x.{name}",
                expected=expected,
                received=repr(self),
                remedy="Read a size by its dimension, x.shape[-1]."
                if rank
                else "Add a dimension first, x.unsqueeze(0).",
            )
        sizes = tuple([self._size(dim, for_a_layer=True) for dim in dims])
        return sizes if len(sizes) > 1 else sizes[0]

    features = property(lambda x: x._layer_size("features", -1), doc="The last size.")
    batch_size = property(lambda x: x._layer_size("batch_size", 0), doc="The first size.")
    C = channels = property(lambda x: x._layer_size("C", 1), doc="The channels of an image.")
    H = property(lambda x: x._layer_size("H", 2), doc="The height of an image.")
    W = property(lambda x: x._layer_size("W", 3), doc="The width of an image.")
    HW = property(lambda x: x._layer_size("HW", 2, 3), doc="Height and width.")
    CHW = property(lambda x: x._layer_size("CHW", 1, 2, 3), doc="Channels, height, width.")
    HWC = property(lambda x: x._layer_size("HWC", 2, 3, 1), doc="Height, width, channels.")
