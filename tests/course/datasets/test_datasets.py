from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from hpml.course.datasets import DatasetError, Pictures, dataset_by_name, digits, first_present
from tests.parts import raises


def test_the_digits_are_those_of_scikit_learn_with_each_fifth_held_out() -> None:
    data = digits()
    assert (len(data.train), len(data.validation)) == (1437, 360)
    counts = torch.bincount(torch.cat([data.train.labels, data.validation.labels]))
    # As scikit-learn's and UCI's descriptions of the test set say.
    assert counts.tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert data.validation.labels[0] == 0  # the first of the file is a zero
    assert data.validation.images[0, 0, 0].tolist() == [0, 0, 79, 207, 143, 15, 0, 0]


def test_the_first_that_is_present_says_which_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "hpml.course.datasets.choosing._default_folder", lambda: Path("no such folder")
    )
    assert "scikit-learn's handwritten digits" in str(first_present())
    names = "tiny-imagenet, digits"
    with raises(DatasetError, object="data", expected=names, received="'mnist'"):
        dataset_by_name("mnist")


@pytest.mark.parametrize(
    ("change", "received"),
    [
        (lambda images, labels: (images / 255, labels), "torch.float32"),
        (lambda images, labels: (images[:, 0], labels), "(20, 8, 8)"),
        (lambda images, labels: (images, labels[:9]), "9 labels"),
        (lambda images, labels: (images, labels.int()), "torch.int32"),
    ],
)
def test_other_shapes_and_dtypes_are_refused(change: Callable[..., Any], received: str) -> None:
    data = digits().head(20, 10)
    assert str(data).startswith("digits: 10 classes, 20 images of 1 × 8 × 8 to train, 10 images of")

    with raises(DatasetError, object="Pictures", expected="torch.uint8", received=received):
        Pictures(*change(data.train.images, data.train.labels))


def test_labels_without_a_class_and_other_sizes_are_refused() -> None:
    data = digits()
    images, labels = data.train.images, data.train.labels
    for part in (
        Pictures(images, labels + 1),
        Pictures(images, labels - 1),
        Pictures(images[:0], labels[:0]),
        Pictures(images[..., :4], labels),
    ):
        with raises(DatasetError, object="validation of digits", received=str(part)):
            replace(data, validation=part)
