"""A labelled set of pictures as an immutable value, whatever its source."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from hpml.base.errors import HpmlError


class DatasetError(HpmlError):
    """A data set is missing or broken, or a requested size is impossible."""


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
        dtypes, shape = (self.images.dtype, self.labels.dtype), tuple(self.images.shape)
        fits = dtypes == (torch.uint8, torch.int64) and len(shape) == 4
        if not fits or len(self.images) != len(self.labels):
            raise DatasetError(
                object="Pictures",
                expected="images of torch.uint8 (number, channels, height, width) and as many "
                "labels of torch.int64",
                received=f"{dtypes}, {shape} and {len(self.labels)} labels",
                remedy="Convert images from 0 to 1 with (255 * images).to(torch.uint8).",
            )

    @property
    def inputs(self) -> Tensor:
        """The images, by the name that every kind of data has."""
        return self.images

    @property
    def targets(self) -> Tensor:
        """The labels, by the name that every kind of data has."""
        return self.labels

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

    >>> from hpml.course.datasets import digits
    >>> print(digits())
    digits: 10 classes, 1,437 images of 1 × 8 × 8 to train, 360 images of ...
    """

    name: str
    classes: tuple[str, ...]
    train: Pictures
    validation: Pictures
    source: str

    def __post_init__(self) -> None:
        size, classes = self.train.images.shape[1:], len(self.classes)
        for what, part in (("train", self.train), ("validation", self.validation)):
            fits = len(part) and part.images.shape[1:] == size
            if not fits or part.labels.min() < 0 or part.labels.max() >= classes:
                raise DatasetError(
                    object=f"{what} of {self.name}",
                    expected=f"pictures of {' × '.join(map(str, size))} with labels from 0 to "
                    f"{classes - 1}, one for each class",
                    received=f"{part} with labels {sorted(set(part.labels.tolist()))[:9]}",
                    remedy="Give both parts pictures of one size, and each label a class.",
                )

    @property
    def epoch_size(self) -> int:
        """The pictures of an epoch: all."""
        return len(self.train)

    @property
    def unit(self) -> str:
        """The name of an example."""
        return "image"

    @property
    def channels(self) -> int:
        """3 for colour, 1 for greyscale pictures."""
        return self.train.images.shape[1]

    @property
    def resolution(self) -> int:
        """Height and width in pixels."""
        return self.train.images.shape[-1]

    def head(self, train: int, validation: int) -> Dataset:
        """Return at most the first pictures of both sets, which may be of few classes."""
        first, second = (
            Pictures(part.images[:count], part.labels[:count])
            for part, count in ((self.train, train), (self.validation, validation))
        )
        return replace(self, train=first, validation=second)

    def __str__(self) -> str:
        return (
            f"{self.name}: {len(self.classes)} classes, {self.train} to train, {self.validation} "
            f"to validate ({self.source})"
        )
