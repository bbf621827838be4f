from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from hpml.benchmark import Comparison, Measurement
from hpml.course.datasets import Dataset, digits
from hpml.course.labs.lab_12_training import networks, tables
from hpml.course.labs.lab_12_training.exercises import FORMATS
from hpml.course.labs.lab_12_training.float16_line import scaled
from hpml.course.lesson.conclusions.concluding import judge
from hpml.course.training import RECIPES, Trainer, TrainingError
from tests.parts import raises
from tests.stand_in import put_in


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


@pytest.mark.parametrize("method", ["warm_up", "epoch"])
def test_too_little_memory_says_what_to_do(
    method: str, data: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Trainer) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(Trainer, method, full)
    with raises(TrainingError, object="memory of cpu", received="memory", remedy="accumulate=2"):
        networks.in_turns({"vanilla": networks.trainer(data, RECIPES["vanilla"], 1, on="cpu")})


def taken(**seconds: float) -> Comparison:
    wobble = [1, 1.01, 0.99] * 5
    found = [Measurement(n, tuple(s * w for w in wobble), 1) for n, s in seconds.items()]
    return Comparison(tuple(found), "vanilla", len(wobble))


def test_the_caption_says_the_parts_of_a_batch_and_what_float32_is_on_a_card(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    card = torch.device("meta")
    assert tables._batch(RECIPES["vanilla"]) == "batch 128"
    assert tables._batch(replace(RECIPES["vanilla"], accumulate=4)) == "batch 128 in 4 parts"
    assert tables._place(torch.device("cpu")) == "the CPU"
    assert tables._place(card) == "a GPU"
    monkeypatch.setattr(tables.accelerator, "rounds_convolutions", lambda device: device == card)
    assert tables._place(card) == "a GPU, `float32` with TF32 in convolutions"


@pytest.mark.parametrize(
    ("amp", "found"),
    [
        (1.1, "is slower than vanilla"),
        (0.97, "gains less"),
        (0.7, "gains more"),
        (0.908, "cannot be told apart from that"),
    ],
)
def test_a_gain_is_compared_with_that_of_the_documents_gpu(amp: float, found: str) -> None:
    text = tables.beside_gpu(taken(vanilla=1.0, amp=amp)).plain
    assert f"it {found} here" in " ".join(text.split())


def test_which_executions_change_an_epoch_by_more_than_a_quarter() -> None:
    both = tables.small_changes(taken(vanilla=1.0, fused=0.93, other=0.98)).plain
    assert both.endswith("None of them changes it by more than a quarter.")
    large = tables.small_changes(taken(vanilla=1.0, fused=0.5, other=0.98)).plain
    assert large.endswith("Only fused changes it by more than a quarter.")
    unclear = tables.small_changes(taken(vanilla=1.0, fused=0.8)).plain
    assert "too uncertain to judge" in " ".join(unclear.split())


def test_an_unfinished_choice_does_not_stop_the_table(data: Dataset) -> None:
    tensors = {"ones, added": torch.ones(100), "large": torch.tensor([1e6])}
    table = tables.formats_of(lambda *_: 1 / 0, FORMATS, tensors, 0.01)
    assert [row[2:] for row in table.rows] == [
        ("ZeroDivisionError", "float32"),
        ("ZeroDivisionError", "bfloat16"),
    ]
    found = tables.tensors_of_step(data)
    assert set(found) > {"weights", "gradients of activations"}
    told = tables.draw_magnitudes(found, FORMATS).plain
    assert "float16: -14 to 16; bfloat16: -126 to 128, not all drawn" in told


def test_network_and_pictures_of_a_step_are_on_the_same_device(
    data: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in(monkeypatch)
    # The whole step runs on "meta", from which nothing can be copied to the CPU at the end.
    with pytest.raises(NotImplementedError, match="meta tensor"):
        tables.tensors_of_step(data)


def test_steps_of_both_networks_run_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    put_in(monkeypatch)
    for model in networks.networks().values():
        networks.step_of(model)()
        assert {weight.grad.device.type for weight in model.parameters()} == {"meta"}


def test_a_short_run_on_a_gpu_has_several_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU's losses are read at the end of an epoch of the digits, which gives one sample."""
    found = {}
    for short in ("1", "0"):
        monkeypatch.setenv("HPML_QUICK", short)
        found["cpu", short] = networks.epochs()
    put_in(monkeypatch)
    for short in ("1", "0"):
        monkeypatch.setenv("HPML_QUICK", short)
        found["gpu", short] = networks.epochs()
    expected = {("cpu", "1"): 1, ("cpu", "0"): 3, ("gpu", "1"): 6, ("gpu", "0"): 12}
    assert found == expected


@pytest.mark.parametrize(
    ("amp", "nudged", "letter"),
    [([91, 93], [90, 92], "A"), ([90, 91.9], [90, 92], "B"), ([92, 90], [92, 91], "C"),
     ([92, 90], [90, 92], "none of them alone")],
)  # fmt: skip
def test_accuracies_fit_a_hypothesis(amp: list[float], nudged: list[float], letter: str) -> None:
    runs = {"vanilla": [90, 92], "nudged": nudged, "amp": amp}
    assert judge("12", tables.accuracy_changes(runs)).fits == letter


def test_accuracies_that_no_seed_changes_cannot_be_judged() -> None:
    runs = {"vanilla": [90, 90], "nudged": [90, 91], "amp": [91, 91]}
    assert judge("12", tables.accuracy_changes(runs)).fits == "cannot tell"


@pytest.mark.parametrize(
    ("exponent", "shares"),
    [(-26, (1, 0, 0)), (-24, (0, 1, 0)), (-15, (0, 1, 0)), (-14, (0, 0, 0)), (16, (0, 0, 1))],
)
def test_float16_makes_of_a_scaled_number_what_its_range_says(
    exponent: int, shares: tuple[float, ...]
) -> None:
    for power in (0, 8, 40):
        found = scaled(torch.tensor([0.0, 2.0 ** (exponent - power)]), power)
        assert (found.zero, found.subnormal, found.infinite) == shares
        assert ("skipped" in found.line) == (exponent == 16)
