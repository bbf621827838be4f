"""Which data set a lab takes: by name, or the first that is present."""

from __future__ import annotations

import os
from pathlib import Path

from hpml.base.errors import describe
from hpml.base.files import course_folder
from hpml.datasets.dataset import Dataset
from hpml.datasets.digits import digits
from hpml.datasets.errors import DatasetError
from hpml.datasets.tiny_imagenet import tiny_imagenet

DATASETS = ("tiny-imagenet", "digits")


def dataset_by_name(name: str) -> Dataset:
    """Return the data set of a name, or Tiny ImageNet from the folder of that name.

    Args:
        name: one of `DATASETS`; "tiny-imagenet" lies in ``data/tiny-imagenet-200`` of the course.

    Raises:
        DatasetError: if there is neither such a name nor such a folder, or the set is broken.

    >>> dataset_by_name("digits").name
    'digits'
    """
    if name == "digits":
        return digits()
    if name == "tiny-imagenet":
        return tiny_imagenet(_usual_place())
    if isinstance(name, str | os.PathLike) and os.path.isdir(name):
        return tiny_imagenet(name)
    raise DatasetError(
        f"data: expected one of {', '.join(DATASETS)} or the folder of Tiny ImageNet, "
        f"got {describe(name)}."
    )


def first_present(folder: str | os.PathLike[str] | None = None) -> Dataset:
    """Return Tiny ImageNet if its folder is there, else the digits; ``print`` says which.

    Args:
        folder: where Tiny ImageNet is looked for, by default ``data/tiny-imagenet-200``.

    Raises:
        DatasetError: if the folder is there but broken.

    >>> print(first_present("no such folder"))
    digits: 10 classes, ... (scikit-learn's handwritten digits, shipped with the course)
    """
    place = _usual_place() if folder is None else Path(folder)
    return tiny_imagenet(place) if place.is_dir() else digits()


def _usual_place() -> Path:
    return course_folder() / "data" / "tiny-imagenet-200"
