from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="needs torch")

from hpml.datasets import (  # noqa: E402
    Dataset,
    DatasetError,
    Pictures,
    dataset_by_name,
    digits,
    first_present,
    procedural,
)
from hpml.datasets.procedural import CLASSES  # noqa: E402

CHECKSUM = "bbbf281241b4d7579d27d7ba5ccba9be3d306f3e0cf301e25e28d1cc81a59385"


def digest(data: Dataset) -> str:
    parts = (data.train.images, data.validation.images)
    return hashlib.sha256(b"".join(part.numpy().tobytes() for part in parts)).hexdigest()


def test_the_digits_are_those_of_scikit_learn_with_each_fifth_held_out() -> None:
    data = digits()
    assert (len(data.train), len(data.validation)) == (1437, 360)
    counts = torch.bincount(torch.cat([data.train.labels, data.validation.labels]))
    # As scikit-learn's and UCI's descriptions of the test set say.
    assert counts.tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert data.validation.labels[0] == 0  # the first of the file is a zero
    assert data.validation.images[0, 0, 0].tolist() == [0, 0, 79, 207, 143, 15, 0, 0]


def test_the_procedural_set_has_the_same_bytes_everywhere() -> None:
    data = procedural()
    assert digest(data) == CHECKSUM
    assert data.train.images.dtype == torch.uint8
    assert torch.bincount(data.train.labels).tolist() == [100] * len(CLASSES)
    # Nothing is in both sets, and a smaller one is the beginning.
    rows = {picture.numpy().tobytes() for picture in data.train.images}
    assert len(rows) == 2000
    assert not any(picture.numpy().tobytes() in rows for picture in data.validation.images)
    assert torch.equal(procedural(250, 5).train.images, data.train.images[:250])
    assert digest(procedural(250, 5)) != digest(procedural(250, 5, seed=1))


def test_colour_says_nothing_about_the_class() -> None:
    """The nearest class by mean colour and its spread is right no more often than chance would."""
    data = procedural(1000, 400)

    def features(images: torch.Tensor) -> torch.Tensor:
        flat = images.float().flatten(2)
        return torch.cat([flat.mean(2), flat.std(2)], 1)

    known = features(data.train.images)
    means = torch.stack([known[data.train.labels == k].mean(0) for k in range(len(CLASSES))])
    found = torch.cdist(features(data.validation.images), means).argmin(1)
    right = (found == data.validation.labels).float().mean()
    assert right < 3 / len(CLASSES)


def test_the_first_that_is_present_says_which_it_is() -> None:
    assert "scikit-learn's handwritten digits" in str(first_present("no such folder"))
    with pytest.raises(DatasetError, match=r"expected one of tiny-imagenet, digits, .*'mnist'"):
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
    assert str(data).startswith("digits: 10 classes, 20 of 1 × 8 × 8 to train, 10 of")
    with pytest.raises(DatasetError, match="train: expected 1 to 1,437 pictures, got 2000"):
        digits().head(2000, 1)
    with pytest.raises(DatasetError, match="got train=0"):
        procedural(0)
