"""The suites of the ConvNeXt with the smallest sizes: that they are honest, not how fast."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from hpml import cli
from hpml.base.errors import UsageError
from hpml.benchmark import BenchmarkError, read_cases
from hpml.course.datasets import Dataset, Pictures, digits
from hpml.course.suites import convnext_infer, convnext_train
from hpml.course.suites.settings import SuiteError
from hpml.course.training import RECIPES, TrainingError
from tests.parts import raises, run_command


def few() -> Dataset:
    return digits().head(128, 40)


def test_recipes_train_in_interleaved_epochs_and_their_accuracies_are_recorded(
    tmp_path: Path,
) -> None:
    told = {"rounds": 2, "contenders": ["amp"], "data": few(), "batch": 64}
    result = convnext_train.run([1, 2], **told, out=tmp_path / "c.jsonl")
    assert [case.parameters["seed"] for case in result.cases] == [1, 2]
    comparison = result.cases[0].comparison
    assert comparison.names == ("vanilla", "amp")
    assert [len(m.samples) for m in comparison] == [2, 2]
    assert read_cases(tmp_path / "c.jsonl").cases == result.cases
    reached = convnext_train.accuracies(result.cases, "amp")
    # As a training by itself would have it.
    alone = convnext_train.train_convnext("amp", few(), batch=64, seed=1, device="cpu", epochs=2)
    assert alone.accuracy == reached[0]

    again = convnext_train.run([1, 2], **told, out=tmp_path / "c.jsonl", resume=True)
    assert again.cases == result.cases
    assert result.plot().axes


def test_published_epochs_stand_beside_the_measured_with_both_accuracies() -> None:
    result = convnext_train.run([1], rounds=1, contenders=["fused"], data=few(), batch=64)
    table = result.published()
    rows = {row[0]: row for row in table.rows}
    # 110.99 s of 150.91 s, as the document says: a reduction by about 26 %.
    assert rows["compile+amp"][1:4] == (pytest.approx(0.735, abs=1e-3), "47.2 %", None)
    assert rows["fused"][1:3] == (None, None)
    assert rows["vanilla"][3] == 1
    assert rows["fused"][4].startswith(
        f"{100 * convnext_train.accuracies(result.cases, 'fused')[0]:.1f} %"
    )
    assert "RTX 4090" in table.caption


def test_the_small_network_learns_the_digits_better_than_their_class_means_do() -> None:
    """The baseline: the class whose mean picture is nearest, 89 % of the validation set."""
    data = digits()
    flat = data.train.images.flatten(1).float()
    means = torch.stack([flat[data.train.labels == k].mean(0) for k in range(10)])
    found = torch.cdist(data.validation.images.flatten(1).float(), means).argmin(1)
    baseline = (found == data.validation.labels).float().mean().item()
    assert 0.85 < baseline < 0.93
    result = convnext_train.train_convnext("vanilla", data, batch=32, epochs=3, device="cpu")
    assert result.accuracy > baseline + 0.03


def test_inference_compares_activations_with_gelu(tmp_path: Path) -> None:
    result = convnext_infer.run(
        [2, 1], rounds=6, contenders=["fastswish"], min_sample_time=1e-5, out=tmp_path / "i.jsonl"
    )
    assert [case.parameters["batch"] for case in result.cases] == [2, 1]
    assert result.cases[0].comparison.names == ("gelu", "fastswish")
    rows = {tuple(row[:2]): row[2:] for row in result.published().rows}
    there, here = rows["fastswish", 1]
    assert {size for _, size in rows} == {1}  # nobody published a batch of 2
    assert there == pytest.approx(19.97 / 14.11)
    assert here == result.cases[1].comparison.ratio("fastswish").value
    assert len(result.plot().axes) == 2


def test_a_compiled_network_that_computes_something_else_is_not_timed() -> None:
    scores = torch.ones(2, 10)
    convnext_infer._check_compiled(
        {"relu": scores, "compiled relu": scores + 1e-3, "gelu": -scores}
    )
    with pytest.raises(BenchmarkError) as raised:
        convnext_infer._check_compiled({"relu": scores, "compiled relu": scores + 1})
    assert raised.value.object.startswith("result of contender")


def test_an_unknown_size_is_refused() -> None:
    with raises(SuiteError, object="size", expected="small", received="'huge'"):
        convnext_infer.run(size="huge")


# --- hpml train ---


def test_train_leaves_a_checkpoint_and_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hpml.course.datasets.choosing.digits", few)
    words = ["train", "bf16", "--data", "digits", "--epochs", "2", "--batch", "64"]
    words += ["--device", "cpu", "--out", str(tmp_path / "t")]
    from hpml.course.training import Trainer

    update = Trainer._update

    def interrupted(trainer: Trainer) -> None:
        update(trainer)
        trainer.stop = trainer.step == 1

    monkeypatch.setattr(Trainer, "_update", interrupted)
    assert cli.main(words) == 130
    assert "interrupted after step 3; --resume continues from" in capsys.readouterr().err
    monkeypatch.setattr(Trainer, "_update", update)
    assert cli.main(words) == 1
    assert "checkpoint.pt" in capsys.readouterr().err
    assert cli.main([*words, "--resume"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("bf16 on digits, seed 0")


def test_train_lists_its_recipes_and_refuses_other_data(capsys: pytest.CaptureFixture[str]) -> None:
    names = "vanilla, compile, amp, compile+amp, bf16"
    with raises(UsageError, object="RECIPE", expected=names, received="'fast'"):
        run_command("train", "fast")
    assert cli.main(["train", "fast"]) == 2
    assert names in capsys.readouterr().err
    assert cli.main(["train", "amp", "--data", "mnist"]) == 1
    assert "tiny-imagenet, digits" in capsys.readouterr().err
    with raises(TrainingError, object="device", expected="cpu", received="'gpu'"):
        run_command("train", "amp", "--data", "digits", "--device", "gpu")


def test_a_picture_of_64_pixels_gets_larger_patches() -> None:
    one = Pictures(torch.zeros(1, 3, 64, 64, dtype=torch.uint8), torch.zeros(1, dtype=torch.int64))
    model = convnext_train.network_for(Dataset("mine", ("a", "b"), one, one, "here"), "cpu")
    assert model(torch.zeros(2, 3, 64, 64)).shape == (2, 2)
    assert model.body[0].conv.kernel_size == (8, 8)


@pytest.mark.gpu
def test_on_a_gpu_every_recipe_trains_and_every_activation_runs() -> None:
    names = tuple(RECIPES)
    trained = convnext_train.run([1], rounds=1, contenders=names, data=few(), device="cuda")
    assert set(names) == set(trained.cases[0].comparison.names)
    assert convnext_infer.run([2], rounds=2, min_sample_time=1e-4, device="cuda").cases
