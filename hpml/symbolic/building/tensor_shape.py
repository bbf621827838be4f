"""What can be asked about the shape of a symbolic tensor."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import torch

from hpml.symbolic.errors import ArgumentError

from .arguments import find
from .interception import Handle
from .node import TensorSpec


class Count(int):
    """A number of elements; torch's own is a method, so this may be called."""

    batch: Any = 1

    def __call__(self) -> int:
        operator.index(self.batch)  # refused where it is not known
        return int(self)


class UnknownBatchSize(Handle):
    """The size of a batch that is not known yet: in a recorded call, that of the real batch."""

    def __init__(self, tensor: Any, assumed: int) -> None:
        self.tensor = tensor
        self._assumed = assumed

    def _record_call(self, layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.tensor._record_call(layer, args, kwargs)

    def _record_function_call(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        return self.tensor._record_function_call(function, args, kwargs)

    def symbolic(self) -> Any:
        """Return symbolic data for the size."""
        return self.tensor._record(_size_of_batch, self.tensor)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            operator.index(self)  # refused: whether the real batch has this size is not known
        return isinstance(other, UnknownBatchSize) and self._assumed == other._assumed

    def __hash__(self) -> int:
        return hash(self._assumed)

    def __repr__(self) -> str:
        return str(self._assumed)

    def __neg__(self) -> Any:
        return self.tensor._record(operator.neg, self.symbolic())

    def __index__(self, other: object = None) -> int:
        raise ArgumentError(
            f"the batch size of {self.tensor!r} is not known while the graph is built: expected "
            "something that works for any batch; write x.view(x.shape[0], -1), torch.rand_like(x) "
            "or x.expand(...), or give the input a batch_shape"
        )

    __int__ = __float__ = __lt__ = __gt__ = __le__ = __ge__ = __bool__ = __index__

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        size: Any = find((args, kwargs), (UnknownBatchSize,))
        return size.tensor._record_function_call(func, args, kwargs or {})


def _size_of_batch(tensor: torch.Tensor) -> int:
    return tensor.shape[0]


def _recorded(function: Callable[..., Any], reflected: bool = False) -> Any:
    def method(self: UnknownBatchSize, other: Any) -> Any:
        pair = (other, self.symbolic()) if reflected else (self.symbolic(), other)
        return self.tensor._record(function, *pair)

    return method


for _name in ("add", "sub", "mul", "floordiv", "truediv", "mod", "pow"):
    _function = getattr(operator, f"__{_name}__")
    setattr(UnknownBatchSize, f"__{_name}__", _recorded(_function))
    setattr(UnknownBatchSize, f"__r{_name}__", _recorded(_function, reflected=True))


class SymbolicShape(tuple):  # type: ignore[type-arg]
    """A shape whose first size is not known yet."""

    __slots__ = ()
    _make = torch.Size  # of what it is filled with when the model runs

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        known = isinstance(index, slice) and all(isinstance(size, int) for size in part)
        return torch.Size(part) if known else part

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple) and _as_shown(self) == _as_shown(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def numel(self) -> int:
        """Return the number of elements, which is not known."""
        return operator.index(self[0])


def _as_shown(shape: tuple[Any, ...]) -> list[Any]:
    return [getattr(size, "_assumed", size) for size in shape]


class TensorShape:
    """The names for sizes, for a class that knows its ``_spec``."""

    __slots__ = ()

    @property
    def _spec(self) -> TensorSpec:
        raise NotImplementedError

    @property
    def _batch_known(self) -> bool:
        raise NotImplementedError

    @property
    def shape(self) -> torch.Size:
        """The size of each dimension; an unknown batch size is shown as 1, and is no number."""
        shape = self._spec.shape
        if self._batch_known or not shape:
            return torch.Size(shape)
        unknown = UnknownBatchSize(self, shape[0])
        return SymbolicShape((unknown, *shape[1:]))  # type: ignore[return-value]

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
    def numel(self) -> int:
        """The number of elements; an unknown batch size counts as 1, and cannot be called for."""
        count = Count(math.prod(self._spec.shape))
        count.batch = self.shape[0] if self._spec.shape else 1
        return count

    @property
    def features(self) -> int:
        """The size of the last dimension."""
        if not self._spec.shape:
            raise ArgumentError(f"features: expected at least one dimension, received {self!r}")
        return self._spec.shape[-1]

    @property
    def batch_size(self) -> int:
        """The size of the first dimension; 1 where it is not known."""
        if not self._spec.shape:
            raise ArgumentError(f"batch_size: expected at least one dimension, received {self!r}")
        return self._spec.shape[0]

    def _image(self, what: str) -> tuple[int, int, int]:
        shape = self._spec.shape
        if len(shape) != 4:
            raise ArgumentError(
                f"{what}: expected an image of shape (batch, channels, height, width), "
                f"received {self!r}"
            )
        return shape[1], shape[2], shape[3]

    @property
    def C(self) -> int:  # noqa: N802 - the name of the API
        """The number of channels of an image."""
        return self._image("C")[0]

    @property
    def channels(self) -> int:
        """The same as ``C``."""
        return self._image("channels")[0]

    @property
    def H(self) -> int:  # noqa: N802 - the name of the API
        """The height of an image."""
        return self._image("H")[1]

    @property
    def W(self) -> int:  # noqa: N802 - the name of the API
        """The width of an image."""
        return self._image("W")[2]

    @property
    def HW(self) -> tuple[int, int]:  # noqa: N802 - the name of the API
        """Height and width of an image."""
        return self._image("HW")[1:]

    @property
    def CHW(self) -> tuple[int, int, int]:  # noqa: N802 - the name of the API
        """Channels, height and width of an image."""
        return self._image("CHW")

    @property
    def HWC(self) -> tuple[int, int, int]:  # noqa: N802 - the name of the API
        """Height, width and channels of an image."""
        channels, height, width = self._image("HWC")
        return height, width, channels
