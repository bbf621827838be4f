"""Labelled pictures: the digits, shipped with the course, and Tiny ImageNet as a download; a text.

Each set of pictures is a `Dataset` with a training and a validation set of uint8 images and labels.
The text, shipped with the course, is a `Text` of windows of characters.

>>> from hpml.course.datasets import digits
>>> digits().train.images.dtype, len(digits().classes)
(torch.uint8, 10)

`first_present` returns Tiny ImageNet if ``data/tiny-imagenet-200`` exists, otherwise the digits.
"""

from __future__ import annotations

from hpml.course.datasets.austen import austen
from hpml.course.datasets.choosing import DATASETS, dataset_by_name, first_present
from hpml.course.datasets.dataset import Dataset, DatasetError, Pictures
from hpml.course.datasets.digits import digits
from hpml.course.datasets.text import Text, Windows, bigram_loss
from hpml.course.datasets.tiny_imagenet import tiny_imagenet

__all__ = [
    "DATASETS",
    "Dataset",
    "DatasetError",
    "Pictures",
    "Text",
    "Windows",
    "austen",
    "bigram_loss",
    "dataset_by_name",
    "digits",
    "first_present",
    "tiny_imagenet",
]
