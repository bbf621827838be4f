"""Choose a data set by its name, or the first one that is present."""

from __future__ import annotations

import os
from pathlib import Path

from hpml.base.errors import describe
from hpml.course.datasets.austen import austen
from hpml.course.datasets.dataset import Dataset, DatasetError
from hpml.course.datasets.digits import digits
from hpml.course.datasets.text import Text
from hpml.course.datasets.tiny_imagenet import tiny_imagenet
from hpml.course.files import course_folder

DATASETS = ("tiny-imagenet", "digits", "austen")


def dataset_by_name(name: str) -> Dataset | Text:
    """Return a data set by its name, or Tiny ImageNet from a folder.

    Args:
        name: one of `DATASETS` or a folder; "tiny-imagenet" is ``data/tiny-imagenet-200``.

    Raises:
        DatasetError: if `name` is neither a data set nor a folder, or the data set is broken.

    >>> dataset_by_name("digits").name
    'digits'
    """
    if name == "digits":
        return digits()
    if name == "austen":
        return austen()
    if name == "tiny-imagenet":
        return tiny_imagenet(_default_folder())
    if isinstance(name, str | os.PathLike) and os.path.isdir(name):
        return tiny_imagenet(name)
    raise DatasetError(
        object="data",
        expected=f"one of {', '.join(DATASETS)} or the folder of Tiny ImageNet",
        received=describe(name),
        remedy="Choose digits or austen, which need no download.",
    )


def first_present() -> Dataset:
    """Return Tiny ImageNet if ``data/tiny-imagenet-200`` exists, otherwise the digits.

    Raises:
        DatasetError: if the folder exists but is broken.

    >>> first_present().name in DATASETS
    True
    """
    path = _default_folder()
    return tiny_imagenet(path) if path.is_dir() else digits()


def _default_folder() -> Path:
    return course_folder() / "data" / "tiny-imagenet-200"
