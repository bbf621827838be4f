"""What can be asked about the shape of a symbolic tensor."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import torch

from hpml.symbolic.errors import ArgumentError

from .arguments import find
from .interception import Handle
from .node import Node, TensorSpec
from .operators import Operators, WithoutNumbers


class Count(int):
    """A number of elements; torch's own is a method, so this may be called."""

    def __call__(self) -> int:
        return int(self)


class UnknownSize(Handle, Operators, WithoutNumbers):
    """A size that depends on the batch: recorded when it is used, and no Python number.

    ``read`` and its arguments say how the size is read off the real tensor.
    """

    __hash__ = object.__hash__

    def __init__(self, tensor: Any, size: Any, read: Callable[..., Any], *arguments: Any) -> None:
        self.tensor, self.size, self._read = tensor, size, (read, arguments)

    def symbolic(self) -> Any:
        """Return symbolic data for the size."""
        read, arguments = self._read
        return self.tensor._record(read, self.tensor, *arguments)

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

    def __repr__(self) -> str:
        return "None"

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        size: Any = find((args, kwargs), (UnknownSize,))
        return size.tensor._record_function_call(func, args, kwargs or {})


class SymbolicShape(tuple):  # type: ignore[type-arg]
    """A shape with a size that depends on the batch."""

    __slots__ = ()
    _make = torch.Size  # of what it is filled with when the model runs

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        known = isinstance(index, slice) and all(isinstance(size, int) for size in part)
        return torch.Size(part) if known else part

    def __eq__(self, other: object) -> bool:
        """Compare with another shape; refuse where the answer depends on the batch."""
        if not isinstance(other, tuple) or len(self) != len(other):
            return False
        undecided = None
        for one, two in zip(self, other, strict=True):
            if isinstance(one, UnknownSize) and isinstance(two, int):
                undecided = one
            elif _known(one) != _known(two) and not (isinstance(one, UnknownSize) and two is None):
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


def _known(size: Any) -> Any:
    """Return what a size is compared by; None, as it is shown, is any that depends on the batch."""
    return size.size if isinstance(size, UnknownSize) else size


class TensorShape:
    """The names for sizes, for a class that knows its ``_spec``."""

    __slots__ = ()

    _node: Node

    @property
    def _spec(self) -> TensorSpec:
        raise NotImplementedError

    def _size(self, dim: int, *, for_a_layer: bool = False) -> Any:
        """Return a size; one that a layer is made with need not be noted, the layer checks it."""
        size = self._spec.shape[dim]
        if isinstance(size, int):
            if not for_a_layer:
                self._node.note_size_read()
            return size
        return UnknownSize(self, size, torch.Tensor.size, dim)

    @property
    def shape(self) -> torch.Size:
        """The size of each dimension; one that depends on the batch is symbolic, shown as None."""
        sizes = [self._size(dim) for dim in range(len(self._spec.shape))]
        if self._spec.depends:
            return SymbolicShape(sizes)  # type: ignore[return-value]
        return torch.Size(sizes)

    def size(self, dim: int | None = None) -> Any:
        """Return the shape, or the size of one dimension: an ``int`` where it is known."""
        return self.shape if dim is None else self.shape[dim]

    def dim(self) -> int:
        """Return the number of dimensions."""
        return len(self._spec.shape)

    def ndimension(self) -> int:
        """Return the number of dimensions."""
        return len(self._spec.shape)

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
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._spec.shape)

    @property
    def numel(self) -> Any:
        """The number of elements, which may also be called as torch's method is."""
        count = math.prod(self._spec.shape)
        if isinstance(count, int):
            self._node.note_size_read()
            return Count(count)
        return UnknownSize(self, count, torch.Tensor.numel)

    @property
    def features(self) -> int:
        """The size of the last dimension."""
        return self._end("features", -1)  # type: ignore[no-any-return]

    @property
    def batch_size(self) -> int:
        """The size of the first dimension."""
        return self._end("batch_size", 0)  # type: ignore[no-any-return]

    def _end(self, what: str, dim: int) -> Any:
        if not self._spec.shape:
            raise ArgumentError(f"{what}: expected at least one dimension, received {self!r}")
        return self._size(dim, for_a_layer=True)

    def _image(self, what: str) -> Any:
        shape = [self._size(d, for_a_layer=True) for d in range(len(self._spec.shape))]
        if len(shape) != 4:
            raise ArgumentError(
                f"{what}: expected an image of shape (batch, channels, height, width), "
                f"received {self!r}"
            )
        return shape[1], shape[2], shape[3]

    @property
    def C(self) -> int:  # noqa: N802 - the name of the API
        """The number of channels of an image."""
        return self._image("C")[0]  # type: ignore[no-any-return]

    @property
    def channels(self) -> int:
        """The same as ``C``."""
        return self.C

    @property
    def H(self) -> int:  # noqa: N802 - the name of the API
        """The height of an image."""
        return self._image("H")[1]  # type: ignore[no-any-return]

    @property
    def W(self) -> int:  # noqa: N802 - the name of the API
        """The width of an image."""
        return self._image("W")[2]  # type: ignore[no-any-return]

    @property
    def HW(self) -> tuple[int, int]:  # noqa: N802 - the name of the API
        """Height and width of an image."""
        return self._image("HW")[1:]  # type: ignore[no-any-return]

    @property
    def CHW(self) -> tuple[int, int, int]:  # noqa: N802 - the name of the API
        """Channels, height and width of an image."""
        return self._image("CHW")  # type: ignore[no-any-return]

    @property
    def HWC(self) -> tuple[int, int, int]:  # noqa: N802 - the name of the API
        """Height, width and channels of an image."""
        channels, height, width = self._image("HWC")
        return height, width, channels
