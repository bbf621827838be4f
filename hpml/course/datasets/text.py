"""A text as windows of characters, from which a network learns to predict the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional

from hpml.base.errors import describe
from hpml.course.datasets.dataset import DatasetError


@dataclass(frozen=True)
class Windows:
    """Windows of a text, and for each of their characters the one that follows it.

    Attributes:
        inputs: int64, (number, positions), indices into the data set's classes.
        targets: int64, of the same shape: ``targets[:, i]`` follows ``inputs[:, i]`` in the text.

    Raises:
        DatasetError: if a dtype or shape differs from these.
    """

    inputs: Tensor
    targets: Tensor

    def __post_init__(self) -> None:
        dtypes, shape = (self.inputs.dtype, self.targets.dtype), tuple(self.inputs.shape)
        fits = dtypes == (torch.int64, torch.int64) and len(shape) == 2
        if not fits or self.targets.shape != self.inputs.shape:
            raise DatasetError(
                object="Windows",
                expected="inputs and targets of torch.int64, both (number, positions)",
                received=f"{dtypes}, {shape} and {tuple(self.targets.shape)}",
                remedy="Cut both from one text; targets begin one character later.",
            )

    def __len__(self) -> int:
        return len(self.inputs)

    def __str__(self) -> str:
        return f"{len(self):,} windows of {self.inputs.shape[1]} characters"


@dataclass(frozen=True)
class Text:
    """A training set and a validation set of windows of one text.

    Attributes:
        name: "austen".
        classes: the characters, by index.
        train, validation: the two sets, from different parts of the text.
        epoch_size: windows that an epoch draws from the training set.
        source: a short description of the source.

    >>> from hpml.course.datasets import austen
    >>> print(austen())
    austen: 75 characters, 4,814 windows of 128 characters to train (128 an epoch), 64 windows ...
    """

    name: str
    classes: tuple[str, ...]
    train: Windows
    validation: Windows
    epoch_size: int
    source: str

    def __post_init__(self) -> None:
        for what, part in (("train", self.train), ("validation", self.validation)):
            both = torch.stack([part.inputs, part.targets])
            fits = both.numel() and part.inputs.shape[1] == self.train.inputs.shape[1]
            if not fits or both.min() < 0 or both.max() >= len(self.classes):
                raise DatasetError(
                    object=f"{what} of {self.name}",
                    expected=f"windows of indices from 0 to {len(self.classes) - 1}, one for each "
                    "character",
                    received=str(part),
                    remedy="Give both parts windows of one length, and each index a character.",
                )

    @property
    def context(self) -> int:
        """The number of positions of a window."""
        return self.train.inputs.shape[1]

    @property
    def unit(self) -> str:
        """The name of an example."""
        return "window"

    def head(self, train: int, validation: int) -> Text:
        """Return at most the first windows of both sets; an epoch draws no more than these."""
        first, second = (
            Windows(part.inputs[:count], part.targets[:count])
            for part, count in ((self.train, train), (self.validation, validation))
        )
        size = min(self.epoch_size, len(first))
        return replace(self, train=first, validation=second, epoch_size=size)

    def encode(self, text: str) -> Tensor:
        """Return the indices of the characters of a text, (characters,).

        Raises:
            DatasetError: if the novel has no such character.
        """
        places = {character: place for place, character in enumerate(self.classes)}
        if other := sorted(set(text) - set(places)):
            raise DatasetError(
                object=f"text for {self.name}",
                expected=f"characters of {''.join(self.classes)!r}",
                received=describe("".join(other)),
                remedy="Leave these characters out.",
            )
        return torch.tensor([places[character] for character in text], dtype=torch.int64)

    def decode(self, indices: Sequence[int] | Tensor) -> str:
        """Return the text of indices."""
        return "".join(self.classes[int(index)] for index in indices)

    def __str__(self) -> str:
        return (
            f"{self.name}: {len(self.classes)} characters, {self.train} to train "
            f"({self.epoch_size:,} an epoch), {self.validation} to validate ({self.source})"
        )


def bigram_loss(data: Text) -> float:
    """Return the validation loss of the simplest language model, which counts pairs.

    The probability of the next character is how often it followed the current one in the training
    windows, with one added to each count so that none is 0. The loss is the mean negative logarithm
    (base e) of the probability of the right character, as of `torch.nn.functional.cross_entropy`.

    >>> from hpml.course.datasets import austen
    >>> round(bigram_loss(austen()), 2)
    2.44
    """
    count = len(data.classes)
    pairs = data.train.inputs.flatten() * count + data.train.targets.flatten()
    counts = torch.bincount(pairs, minlength=count * count).view(count, count) + 1
    scores = (counts / counts.sum(1, keepdim=True)).log()
    found = functional.cross_entropy(
        scores[data.validation.inputs.flatten()], data.validation.targets.flatten()
    )
    return found.item()
