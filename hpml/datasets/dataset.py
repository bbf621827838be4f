"""A labelled set of pictures as an immutable value, whatever its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hpml.datasets.errors import DatasetError

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Pictures:
    """Pictures and their labels.

    Attributes:
        images: uint8, (number, channels, height, width); 255 is the brightest.
        labels: int64, (number,), indices into the data set's classes.

    Raises:
        DatasetError: if a dtype or shape differs from these.
    """

    images: Tensor
    labels: Tensor

    def __post_init__(self) -> None:
        for what, values, kind, shape in (
            ("images", self.images, "torch.uint8", "number, channels, height, width"),
            ("labels", self.labels, "torch.int64", "number,"),
        ):
            size = tuple(getattr(values, "shape", ()))
            dtype = str(getattr(values, "dtype", type(values).__name__))
            fits = dtype == kind and len(size) == len(shape.strip(",").split(","))
            if not fits or size[0] != len(self.labels):
                raise DatasetError(
                    f"Pictures: {what}: expected a tensor {kind} ({shape}), as many images as "
                    f"labels, got {dtype} {size}; convert images from 0 to 1 with "
                    "(255 * images).to(torch.uint8), labels with labels.long()."
                )

    def __len__(self) -> int:
        return len(self.labels)

    def __str__(self) -> str:
        channels, height, width = self.images.shape[1:]
        return f"{len(self):,} images of {channels} × {height} × {width}"


@dataclass(frozen=True)
class Dataset:
    """A training set and a validation set of pictures.

    Attributes:
        name: "digits" or "tiny-imagenet".
        classes: the names of the classes, by label.
        train, validation: the two sets.
        source: a short description of the source.

    Raises:
        DatasetError: if a set is empty, a label has no class, or the shapes of pictures differ.

    >>> from hpml.datasets import digits
    >>> print(digits())
    digits: 10 classes, 1,437 images of 1 × 8 × 8 to train, 360 images of ...
    """

    name: str
    classes: tuple[str, ...]
    train: Pictures
    validation: Pictures
    source: str

    def __post_init__(self) -> None:
        size = tuple(self.train.images.shape[1:])
        for what, part in (("train", self.train), ("validation", self.validation)):
            bounds = [int(label) for label in part.labels.aminmax()] if len(part) else []
            is_valid = bounds and 0 <= bounds[0] <= bounds[1] < len(self.classes)
            if not is_valid or tuple(part.images.shape[1:]) != size:
                labels = f"labels from {bounds[0]} to {bounds[1]}" if bounds else "no picture"
                raise DatasetError(
                    f"{self.name}: {what}: expected pictures of {' × '.join(map(str, size))} with "
                    f"labels from 0 to {len(self.classes) - 1}, one for each class, got "
                    f"{part} with {labels}."
                )

    @property
    def channels(self) -> int:
        """3 for colour, 1 for greyscale pictures."""
        return self.train.images.shape[1]

    @property
    def resolution(self) -> int:
        """Height and width in pixels."""
        return self.train.images.shape[-1]

    def head(self, train: int, validation: int) -> Dataset:
        """Return the first pictures of both sets, which may be of few classes.

        Raises:
            DatasetError: if a count is below 1 or above the size of its set.
        """
        return Dataset(
            self.name,
            self.classes,
            self._first(self.train, train, "train"),
            self._first(self.validation, validation, "validation"),
            self.source,
        )

    def _first(self, pictures: Pictures, count: int, what: str) -> Pictures:
        if not 1 <= count <= len(pictures):
            raise DatasetError(
                f"{self.name}: {what}: expected 1 to {len(pictures):,} pictures, got {count}."
            )
        return Pictures(pictures.images[:count], pictures.labels[:count])

    def __str__(self) -> str:
        return (
            f"{self.name}: {len(self.classes)} classes, {self.train} to train, {self.validation} "
            f"to validate ({self.source})"
        )
