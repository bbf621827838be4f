from __future__ import annotations

import gzip
import hashlib
import math
from collections import Counter
from dataclasses import replace

import torch

from hpml.course.datasets import DatasetError, Text, Windows, austen, bigram_loss, dataset_by_name
from hpml.course.files import data_file
from tests.parts import raises


def small(text: str = "abab", validation: str = "abab") -> Text:
    classes = tuple(sorted(set(text + validation)))
    train, held_out = (
        torch.tensor([classes.index(each) for each in part]) for part in (text, validation)
    )
    return Text(
        "small",
        classes,
        Windows(train[None, :-1], train[None, 1:]),
        Windows(held_out[None, :-1], held_out[None, 1:]),
        1,
        "made here",
    )


def test_the_novel_is_the_one_that_its_readme_describes() -> None:
    with gzip.open(data_file("austen/pride_and_prejudice.txt.gz"), "rb") as file:
        content = file.read()
    assert hashlib.sha256(content).hexdigest() == DIGEST
    text, readme = content.decode(), data_file("austen/README.md").read_text(encoding="utf-8")
    assert f"{len(text):,} characters of {len(set(text))} kinds" in readme
    assert f"at most {max(map(len, text.splitlines()))} characters" in readme
    assert "public domain" in " ".join(readme.split())
    assert data_file("austen/LICENSE").read_text(encoding="utf-8").startswith("MIT License")


def test_each_character_is_followed_by_its_target_and_no_part_has_the_other_s_text() -> None:
    data = dataset_by_name("austen")
    assert isinstance(data, Text)
    for part in (data.train, data.validation):
        assert torch.equal(part.inputs[:, 1:], part.targets[:, :-1])
    # The windows of training follow one another, and the target of each last one is the next's
    # first.
    assert torch.equal(data.train.inputs[1:, 0], data.train.targets[:-1, -1])
    text = data.decode(data.train.inputs.flatten())
    assert "universally acknowledged, that a single man in possession\nof a good fortune" in text
    for window in data.validation.inputs:
        assert data.decode(window) not in text
    assert torch.equal(data.encode(data.decode(data.train.inputs[7])), data.train.inputs[7])


def test_a_character_that_the_novel_lacks_is_refused() -> None:
    with raises(DatasetError, object="text for austen", received="'€'"):
        austen().encode("10 €")


def test_the_context_and_the_windows_of_an_epoch_can_be_chosen() -> None:
    data = austen(context=32, epoch_size=20)
    assert (data.context, data.epoch_size, data.train.inputs.shape[1]) == (32, 20, 32)
    first = data.head(10, 5)
    assert (len(first.train), len(first.validation), first.epoch_size) == (10, 5, 10)
    assert str(first).startswith("austen: 75 characters, 10 windows of 32 characters to train (10")


def test_windows_of_other_shapes_dtypes_and_indices_are_refused() -> None:
    whole = torch.zeros(2, 3, dtype=torch.int64)
    for inputs, targets in ((whole.int(), whole), (whole[0], whole[0]), (whole, whole[:, :2])):
        with raises(DatasetError, object="Windows", received=str(tuple(targets.shape))):
            Windows(inputs, targets)
    data = small()
    for part in (
        Windows(data.train.inputs + 1, data.train.targets),
        Windows(data.train.inputs, data.train.targets - 1),
        Windows(data.train.inputs[:0], data.train.targets[:0]),
        Windows(data.train.inputs[:, :2], data.train.targets[:, :2]),
    ):
        with raises(DatasetError, object="validation of small", received=str(part)):
            replace(data, validation=part)


def test_the_bigram_model_counts_pairs() -> None:
    # With one added to each count: b follows a with 3 / 4, and a follows b with 2 / 3.
    expected = -(2 * math.log(3 / 4) + math.log(2 / 3)) / 3
    assert math.isclose(bigram_loss(small()), expected, rel_tol=1e-6)


def test_the_bigram_loss_of_the_novel_is_that_of_a_count_with_a_dictionary() -> None:
    data = austen()
    train, held_out = data.train, data.validation
    pairs = Counter(
        zip(train.inputs.flatten().tolist(), train.targets.flatten().tolist(), strict=True)
    )
    firsts = Counter(train.inputs.flatten().tolist())
    losses = [
        -math.log((pairs[a, b] + 1) / (firsts[a] + len(data.classes)))
        for a, b in zip(
            held_out.inputs.flatten().tolist(), held_out.targets.flatten().tolist(), strict=True
        )
    ]
    assert math.isclose(bigram_loss(data), sum(losses) / len(losses), rel_tol=1e-5)


DIGEST = "dfc684d4f857fa938268f9ab9c5567b64bd0691251eca959644adeabe6287a4d"
