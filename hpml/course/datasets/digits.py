"""Scikit-learn's handwritten digits, shipped in ``data/digits``."""

from __future__ import annotations

import numpy as np
import torch

from hpml.course.datasets.dataset import Dataset, Pictures
from hpml.course.files import data_file

EVERY = 5
"""Every fifth picture is for validation. The file is sorted by writer: all are in both sets."""


def digits() -> Dataset:
    """Return 1,797 handwritten digits in greyscale, 8 by 8 pixels, in 10 classes.

    The pictures keep the order of the file; every fifth is for validation.

    Raises:
        hpml.base.files.CourseFileError: if the course's data is missing.

    >>> data = digits()
    >>> data.train.images.shape, data.train.images.max()
    (torch.Size([1437, 1, 8, 8]), tensor(255, dtype=torch.uint8))

    Source: E. Alpaydin, C. Kaynak, "Optical Recognition of Handwritten Digits", 1998,
    https://doi.org/10.24432/C50P49; see ``data/digits/README.md``
    """
    table = np.loadtxt(data_file("digits/digits.csv.gz"), delimiter=",", dtype=np.int64)
    # Scale 0 to 16 to 0 to 255.
    images = torch.from_numpy((table[:, :64] * 255 // 16).astype(np.uint8).reshape(-1, 1, 8, 8))
    labels = torch.from_numpy(table[:, 64].copy())
    held_out = torch.arange(len(labels)) % EVERY == 0
    return Dataset(
        "digits",
        tuple("0123456789"),
        Pictures(images[~held_out], labels[~held_out]),
        Pictures(images[held_out], labels[held_out]),
        "scikit-learn's handwritten digits, shipped with the course",
    )
