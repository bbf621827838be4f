"""What lab 12 shows: trainings in turns, pictures, tables and what accuracies fit."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from hpml.datasets import Dataset, digits
from hpml.labs.lab_12_training import networks, tables
from hpml.labs.lab_12_training.exercises import FORMATS
from hpml.training import RECIPES


@pytest.fixture(scope="module")
def data() -> Dataset:
    return digits().head(256, 50)


def test_recipes_take_turns_and_each_is_trained_as_if_alone(data: Dataset) -> None:
    together = {name: networks.trainer(data, RECIPES[name], 2) for name in ("vanilla", "amp")}
    taken = networks.in_turns(together)
    assert (taken.names, taken.rounds) == (("vanilla", "amp"), 4)
    alone = networks.trainer(data, RECIPES["vanilla"], 2)
    assert len(networks.step_seconds(alone)) == 4
    assert together["vanilla"].losses == alone.losses
    assert len(together["amp"].accuracies) == 2
    for name, one in together.items():
        assert sum(taken[name].samples) == pytest.approx(2 * sum(one.seconds))


def test_each_published_row_stands_beside_its_recipe(data: Dataset) -> None:
    trainers = {"vanilla": networks.trainer(data, RECIPES["vanilla"], 1)}
    table = tables.beside_published(networks.in_turns(trainers), trainers, {"vanilla": 2048})
    assert table.column("epoch, published") == ("150.91 s", "145.69 s", "136.97 s", "110.99 s")
    assert table.column("ratio, published") == ("1.000", "0.965", "0.908", "0.735")
    measured = list(map(str, table.column("ratio, here")))
    assert measured[0] == "1.000"
    assert all("recorded" in text or text == "–" for text in measured[1:])
    assert table.column("kept for backward, here") == ("2.00 KiB", "–", "–", "–")


def test_gradients_go_to_a_list_and_back(data: Dataset) -> None:
    model = networks.network(data)
    ((images, labels),) = networks.batches(data, 1, size=8)
    torch.autograd.backward(torch.nn.functional.cross_entropy(model(images), labels))
    before = [weight.grad.clone() for weight in model.parameters() if weight.grad is not None]
    numbers = networks.gradients(model)
    networks.give_gradients(model, [2 * number for number in numbers])
    for weight, old in zip(model.parameters(), before, strict=True):
        torch.testing.assert_close(weight.grad, 2 * old)


def test_pytorchs_scale_falls_from_far_too_high(data: Dataset) -> None:
    scales = networks.pytorch_scales(data, 2.0**40, 5, 3)
    assert scales == [2.0**40, 2.0**39, 2.0**38]


def test_an_unfinished_choice_does_not_stop_the_table(data: Dataset) -> None:
    tensors = {"ones, added": torch.ones(100), "large": torch.tensor([1e6])}
    table = tables.formats_of(lambda *_: 1 / 0, FORMATS, tensors, 0.01)
    assert [row[2:] for row in table.rows] == [
        ("ZeroDivisionError", "float32"),
        ("ZeroDivisionError", "bfloat16"),
    ]
    found = tables.tensors_of_step(data)
    assert set(found) > {"weights", "gradients of activations"}
    assert "float16: from 2 to the power -14 on" in tables.draw_magnitudes(found, FORMATS).plain


@pytest.mark.parametrize(
    ("amp", "nudged", "letter"),
    [([91, 93], [90, 92], "A"), ([90, 91.9], [90, 92], "B"), ([92, 90], [92, 91], "C"),
     ([92, 90], [90, 92], "none of them alone")],
)  # fmt: skip
def test_accuracies_fit_a_hypothesis(amp: list[float], nudged: list[float], letter: str) -> None:
    said = tables.accuracy_verdict({"vanilla": [90, 92], "nudged": nudged, "amp": amp}).plain
    assert f"That fits {letter}" in said


def test_a_resnet_has_more_between_its_products() -> None:
    table = networks.outside_products()
    convnext, resnet = (int(text.rstrip("%")) for text in map(str, table.column("share of others")))
    assert 40 < convnext < resnet < 90


def test_pictures_say_what_they_show(data: Dataset) -> None:
    page = tables.draw_shares({"small": networks.network(data)})
    assert "small: linear layers: 81.7%" in page.plain
    assert tables.interval((2.0, 1.0, 3.0)) == "2.00 s (1.00 s to 3.00 s)"
