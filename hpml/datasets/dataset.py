"""A labelled set of pictures as one value, whatever it was made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hpml.datasets.errors import DatasetError

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Pictures:
    """Pictures and what they show.

    Attributes:
        images: uint8, (number, channels, height, width); 255 is the brightest.
        labels: int64, (number,), places in the data set's classes.

    Raises:
        DatasetError: if they are something else.
    """

    images: Tensor
    labels: Tensor

    def __post_init__(self) -> None:
        for what, values, kind, shape in (
            ("images", self.images, "torch.uint8", "number, channels, height, width"),
            ("labels", self.labels, "torch.int64", "number,"),
        ):
            given = tuple(getattr(values, "shape", ()))
            came = str(getattr(values, "dtype", type(values).__name__))
            fits = came == kind and len(given) == len(shape.strip(",").split(","))
            if not fits or given[0] != len(self.labels):
                raise DatasetError(
                    f"Pictures: {what}: expected a tensor {kind} ({shape}), as many images as "
                    f"labels, got {came} {given}; images from 0 to 1 become "
                    "(255 * images).to(torch.uint8), labels labels.long()."
                )

    def __len__(self) -> int:
        return len(self.labels)

    def __str__(self) -> str:
        channels, height, width = self.images.shape[1:]
        return f"{len(self):,} of {channels} × {height} × {width}"


@dataclass(frozen=True)
class Dataset:
    """A set of pictures to train on, another to validate with.

    Attributes:
        name: "digits" or "tiny-imagenet".
        classes: what the labels mean.
        train, validation: the two sets.
        source: where it is from, in a few words.

    Raises:
        DatasetError: if a set is empty, a label is no class, or pictures differ in shape.

    >>> from hpml.datasets import digits
    >>> print(digits())
    digits: 10 classes, 1,437 of 1 × 8 × 8 to train, 360 of 1 × 8 × 8 to validate (scikit-learn's...
    """

    name: str
    classes: tuple[str, ...]
    train: Pictures
    validation: Pictures
    source: str

    def __post_init__(self) -> None:
        size = tuple(self.train.images.shape[1:])
        for what, part in (("train", self.train), ("validation", self.validation)):
            found = [int(label) for label in part.labels.aminmax()] if len(part) else []
            is_known = found and 0 <= found[0] <= found[1] < len(self.classes)
            if not is_known or tuple(part.images.shape[1:]) != size:
                labels = f"labels from {found[0]} to {found[1]}" if found else "no picture"
                raise DatasetError(
                    f"{self.name}: {what}: expected pictures of {' × '.join(map(str, size))} with "
                    f"labels from 0 to {len(self.classes) - 1}, the places in classes, got "
                    f"{part} with {labels}."
                )

    @property
    def channels(self) -> int:
        """3 in colour, 1 in grey."""
        return self.train.images.shape[1]

    @property
    def resolution(self) -> int:
        """Height and width in pixels."""
        return self.train.images.shape[-1]

    def head(self, train: int, validation: int) -> Dataset:
        """Return this set with only the first so many pictures to train on and to validate with.

        Tiny ImageNet's come class by class to train: its first thousand are of two classes.

        Raises:
            DatasetError: if there are not so many, or less than one was asked for.
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
