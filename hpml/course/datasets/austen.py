"""Jane Austen's *Pride and Prejudice*, shipped in ``data/austen``."""

from __future__ import annotations

import gzip

import torch
from torch import Tensor

from hpml.course.datasets.text import Text, Windows
from hpml.course.files import data_file

VALIDATION = 64
"""Windows of the validation set, at equal distances in the last tenth of the text."""


def austen(context: int = 128, epoch_size: int = 128) -> Text:
    """Return *Pride and Prejudice*, 1813, as windows of characters.

    The training windows follow one another without a gap through the first nine tenths of the
    novel.

    Args:
        context: the characters of a window, at least 1.
        epoch_size: windows of an epoch, which each epoch draws anew; an epoch of all takes minutes.

    Raises:
        hpml.base.files.CourseFileError: if the course's data is missing.

    >>> data = austen()
    >>> data.decode(data.train.inputs[1])[:42]
    'good fortune, must be in want of a wife.\\n\\n'
    >>> data.decode(data.train.targets[1])[:42]
    'ood fortune, must be in want of a wife.\\n\\nH'

    Source: Project Gutenberg's text from the R package janeaustenr; see ``data/austen/README.md``
    """
    with gzip.open(data_file("austen/pride_and_prejudice.txt.gz"), "rt", encoding="utf-8") as file:
        text = file.read()
    classes = tuple(sorted(set(text)))
    places = {character: place for place, character in enumerate(classes)}
    indices = torch.tensor([places[character] for character in text])
    first, last = indices[: len(text) * 9 // 10], indices[len(text) * 9 // 10 :]
    train, validation = _windows(first, context), _windows(last, context)
    spread = torch.arange(VALIDATION) * len(validation) // VALIDATION
    return Text(
        "austen",
        classes,
        train,
        Windows(validation.inputs[spread], validation.targets[spread]),
        min(epoch_size, len(train)),
        "Jane Austen, Pride and Prejudice, shipped with the course",
    )


def _windows(indices: Tensor, context: int) -> Windows:
    count = (len(indices) - 1) // context
    end = count * context
    return Windows(indices[:end].view(count, -1), indices[1 : end + 1].view(count, -1))
