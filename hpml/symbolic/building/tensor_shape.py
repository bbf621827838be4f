"""What can be asked about the shape of a symbolic tensor."""

from __future__ import annotations

import torch

from hpml.symbolic.errors import ArgumentError

from .node import TensorSpec


class TensorShape:
    """The names for sizes, for a class that knows its ``_spec``."""

    __slots__ = ()

    @property
    def _spec(self) -> TensorSpec:
        raise NotImplementedError

    @property
    def shape(self) -> torch.Size:
        """The size of each dimension; an unknown batch size is shown as 1."""
        return torch.Size(self._spec.shape)

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
        """The number of elements; an unknown batch size counts as 1."""
        return self.shape.numel()

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
