from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from hpml.datasets import (
    DatasetError,
    Pictures,
    dataset_by_name,
    digits,
    first_present,
)


def test_the_digits_are_those_of_scikit_learn_with_each_fifth_held_out() -> None:
    data = digits()
    assert (len(data.train), len(data.validation)) == (1437, 360)
    counts = torch.bincount(torch.cat([data.train.labels, data.validation.labels]))
    # As scikit-learn's and UCI's descriptions of the test set say.
    assert counts.tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert data.validation.labels[0] == 0  # the first of the file is a zero
    assert data.validation.images[0, 0, 0].tolist() == [0, 0, 79, 207, 143, 15, 0, 0]


def test_the_first_that_is_present_says_which_it_is() -> None:
    assert "scikit-learn's handwritten digits" in str(first_present("no such folder"))
    with pytest.raises(DatasetError, match=r"expected one of tiny-imagenet, digits .*'mnist'"):
        dataset_by_name("mnist")


def test_what_are_no_pictures_and_no_labels_of_the_classes_is_refused() -> None:
    data = digits().head(20, 10)
    images, labels = data.train.images, data.train.labels
    for wrong, said in (
        ((images / 255, labels), r"images: expected a tensor torch.uint8 .* got torch.float32"),
        ((images[:, 0], labels), r"images: .* got torch.uint8 \(20, 8, 8\)"),
        ((images, labels[:9]), r"as many images as labels, got torch.uint8 \(20, 1, 8, 8\)"),
        ((images, labels.int()), r"labels: .* got torch.int32 \(20,\); .* labels.long"),
        ((images.numpy(), labels), r"images: .* got uint8"),
    ):
        with pytest.raises(DatasetError, match=said):
            Pictures(*wrong)
    with pytest.raises(DatasetError, match=r"labels from 0 to 9, .* with labels from . to 10"):
        replace(data, train=Pictures(images, labels + 1))
    with pytest.raises(DatasetError, match=r"validation: .* with no picture"):
        replace(data, validation=Pictures(images[:0], labels[:0]))
    with pytest.raises(DatasetError, match="validation: expected pictures of 1 × 8 × 8"):
        replace(data, validation=Pictures(images[..., :4], labels))


def test_a_head_is_the_beginning_of_both_sets() -> None:
    data = digits().head(20, 10)
    assert str(data).startswith("digits: 10 classes, 20 images of 1 × 8 × 8 to train, 10 images of")
    with pytest.raises(DatasetError, match="train: expected 1 to 1,437 pictures, got 2000"):
        digits().head(2000, 1)
