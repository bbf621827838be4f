"""Pictures to train on: one set that is shipped, one that may be downloaded.

Each is a `Dataset`: pictures as bytes and their labels, to train and to validate.

>>> from hpml.datasets import digits
>>> digits().train.images.dtype, len(digits().classes)
(torch.uint8, 10)

`first_present` takes Tiny ImageNet where it lies in ``data/tiny-imagenet-200``, else the digits.
"""

from __future__ import annotations

from hpml.datasets.choosing import DATASETS, dataset_by_name, first_present
from hpml.datasets.dataset import Dataset, Pictures
from hpml.datasets.digits import digits
from hpml.datasets.errors import DatasetError
from hpml.datasets.tiny_imagenet import tiny_imagenet

__all__ = [
    "DATASETS",
    "Dataset",
    "DatasetError",
    "Pictures",
    "dataset_by_name",
    "digits",
    "first_present",
    "tiny_imagenet",
]
