"""The suites of the ConvNeXt with the smallest sizes: that they are honest, not how fast."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from hpml import cli
from hpml.base import accelerator
from hpml.base.errors import UsageError
from hpml.benchmark import BenchmarkError, Comparison, Ratio, read_cases
from hpml.course import training
from hpml.course.datasets import Dataset, Pictures, Text, austen, digits
from hpml.course.suites import convnext_infer, convnext_train
from hpml.course.suites.settings import SuiteError
from hpml.course.training import RECIPES, Trainer, TrainingError, trainer
from tests.parts import raises, run_command
from tests.stand_in import put_in


def few() -> Dataset:
    return digits().head(128, 40)


def test_recipes_train_in_interleaved_epochs_and_their_accuracies_are_recorded(
    tmp_path: Path,
) -> None:
    told = {"rounds": 2, "contenders": ["amp"], "data": few(), "batch": 64, "memory": False}
    result = convnext_train.run([1, 2], **told, out=tmp_path / "c.jsonl")
    assert [case.parameters["seed"] for case in result.cases] == [1, 2]
    comparison = result.cases[0].comparison
    assert comparison.names == ("vanilla", "amp")
    assert [len(m.samples) for m in comparison] == [2, 2]
    assert read_cases(tmp_path / "c.jsonl").cases == result.cases
    reached = convnext_train.accuracies(result.cases, "amp")
    # As a training by itself would have it.
    alone = convnext_train.train_network("amp", few(), batch=64, seed=1, device="cpu", epochs=2)
    assert alone.accuracy == reached[0]

    again = convnext_train.run([1, 2], **told, out=tmp_path / "c.jsonl", resume=True)
    assert again.cases == result.cases
    assert result.plot().axes


def test_published_epochs_stand_beside_the_measured_with_both_accuracies() -> None:
    told = {"rounds": 1, "contenders": ["fused"], "data": few(), "batch": 64, "memory": False}
    result = convnext_train.run([1], **told)
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
    assert rows["fused"][5:] == (None, None)  # memory that was not measured is not 0


@pytest.mark.thorough
def test_the_memory_of_a_recipe_is_that_of_a_process_of_its_own() -> None:
    told = {"rounds": 1, "contenders": ["fused"], "data": few(), "batch": 64}
    ballast = bytearray(2**30)  # in this process, so in no figure
    result = convnext_train.run([1], **told)
    for entry in result.cases[0].comparison:
        assert 2**25 < int(entry.environment["memory"] or 0) < len(ballast)
        assert entry.environment["reserved"] is None  # a CPU reserves nothing


def test_the_memory_of_each_recipe_is_measured_once_before_all_seeds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str] = []

    def counted(recipe: str, data: Dataset, settings: Any) -> dict[str, int | None]:
        told.append(recipe)
        return {"memory": 2**20, "reserved": None}

    monkeypatch.setattr(convnext_train, "memory_of", counted)
    given = {"rounds": 1, "contenders": ["fused"], "data": few(), "batch": 64}
    result = convnext_train.run([1, 2], **given)
    assert told == ["vanilla", "fused"]
    for case in result.cases:
        assert [entry.environment["memory"] for entry in case.comparison] == [2**20] * 2


def test_the_memory_is_that_of_three_steps_after_a_warm_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[int, bool, int]] = []

    class Counts(Trainer):
        def warm_up(self) -> None:
            super().warm_up()
            seen.append((len(self.batches), self.step == 0, self.recipe.accumulate))

    monkeypatch.setattr(training, "Trainer", Counts)
    monkeypatch.setitem(trainer.READ_EVERY, "cpu", 20)  # as on a GPU
    found = convnext_train._memory_here("vanilla", "digits", "cpu", 32, 2, torch.get_num_threads())
    assert seen == [(3, True, 2)]
    assert (found["memory"] or 0) > 2**25
    assert found["reserved"] is None


@pytest.mark.parametrize("method", ["warm_up", "epoch"])
def test_too_little_memory_for_a_recipe_says_what_to_do(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Trainer) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(Trainer, method, full)
    told = {"rounds": 1, "contenders": [], "data": few(), "batch": 64, "memory": False}
    with raises(TrainingError, object="memory of cpu", expected="64 in 1", remedy="--accumulate 2"):
        convnext_train.run([1], **told)


def test_a_recipe_whose_process_fails_is_named() -> None:
    settings = convnext_train.TrainSettings(device="abacus")
    with raises(SuiteError, object="memory of vanilla", received="'abacus'", remedy="memory=False"):
        convnext_train.memory_of("vanilla", few(), settings)


def test_the_small_network_learns_the_digits_better_than_their_class_means_do() -> None:
    """The baseline: the class whose mean picture is nearest, 89 % of the validation set."""
    data = digits()
    flat = data.train.images.flatten(1).float()
    means = torch.stack([flat[data.train.labels == k].mean(0) for k in range(10)])
    found = torch.cdist(data.validation.images.flatten(1).float(), means).argmin(1)
    baseline = (found == data.validation.labels).float().mean().item()
    assert 0.85 < baseline < 0.93
    result = convnext_train.train_network("vanilla", data, batch=32, epochs=3, device="cpu")
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
    parts: set[int] = set()
    gradients = Trainer._gradients

    def counted(trainer: Trainer, *batch: torch.Tensor) -> torch.Tensor:
        parts.add(trainer.recipe.accumulate)
        return gradients(trainer, *batch)

    monkeypatch.setattr(Trainer, "_gradients", counted)
    assert cli.main([*words, "--resume", "--accumulate", "2"]) == 0
    assert parts == {2}
    shown = capsys.readouterr().out
    assert shown.startswith("bf16 on digits, seed 0")


def test_train_lists_its_recipes_and_refuses_other_data(capsys: pytest.CaptureFixture[str]) -> None:
    names = "vanilla, compile, amp, compile+amp, vanilla again, bf16"
    with raises(UsageError, object="RECIPE", expected=names, received="'fast'"):
        run_command("train", "fast")
    assert cli.main(["train", "fast"]) == 2
    assert names in capsys.readouterr().err
    assert cli.main(["train", "amp", "--data", "mnist"]) == 1
    assert "tiny-imagenet, digits, austen" in capsys.readouterr().err
    with raises(TrainingError, object="device", expected="cpu", received="'gpu'"):
        run_command("train", "amp", "--data", "digits", "--device", "gpu")


def few_windows() -> Text:
    return austen(context=16, epoch_size=16).head(16, 4)


def test_train_trains_the_transformer_on_the_novel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hpml.course.datasets.choosing.austen", few_windows)
    words = ["train", "bf16", "--model", "transformer", "--epochs", "1", "--device", "cpu"]
    assert cli.main([*words, "--out", str(tmp_path / "t")]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("bf16 on austen, seed 0")
    assert "windows/s" in shown
    assert cli.main([*words, "--out", str(tmp_path / "t"), "--resume"]) == 0
    with raises(UsageError, object="--data of the transformer", received="'digits'"):
        run_command(*words, "--data", "digits")
    with raises(UsageError, object="--data of the convnext", received="'austen'"):
        run_command("train", "bf16", "--data", "austen")


def test_the_recipes_train_the_transformer_beside_a_control() -> None:
    told = {"rounds": 3, "contenders": ["vanilla again", "bf16", "accumulate"], "memory": False}
    result = convnext_train.run([1], **told, data=few_windows())
    assert (result.network, result.cases[0].parameters["batch"]) == (
        "transformer of characters",
        8,
    )
    assert set(result.cases[0].comparison.names) == {"vanilla", *told["contenders"]}
    reached = {
        name: convnext_train.accuracies(result.cases, name)
        for name in result.cases[0].comparison.names
    }
    assert reached["vanilla again"] == reached["vanilla"]
    seed, ratio, holds = result.control().rows[0]
    found = result.cases[0].comparison.ratio("vanilla again")
    assert (seed, ratio) == (1, found.with_interval)
    assert holds == ("yes" if found.low <= 1 <= found.high else "no")
    assert "published" not in str(result).lower()


@pytest.mark.parametrize(
    ("low", "high", "holds"), [(0.9, 1.1, "yes"), (1.01, 1.1, "no"), (0.9, 0.99, "no")]
)
def test_a_control_whose_interval_lacks_1_is_reported(
    low: float, high: float, holds: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"rounds": 1, "contenders": ["vanilla again"], "memory": False, "data": few_windows()}
    result = convnext_train.run([1], **told)
    found = Ratio((low + high) / 2, low, high, "cannot tell")
    monkeypatch.setattr(Comparison, "ratio", lambda comparison, name: found)
    assert [row[2] for row in result.control().rows] == [holds]


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


@pytest.mark.parametrize(
    ("gibibytes", "parts"), [(8, 8), (16, 4), (24, 2), (80, 1), (1, 64)]
)  # fmt: skip
def test_the_large_network_gets_a_batch_in_parts_that_fit_into_the_memory(
    gibibytes: int, parts: int, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    class Full:
        name, unit = "tiny-imagenet", "image"

    data: Any = Full()
    found_free: list[int | None] = [gibibytes * 2**30]
    monkeypatch.setattr(accelerator, "free_memory", lambda device: found_free[0])
    monkeypatch.setattr(accelerator, "total_memory", lambda device: None)
    convnext_train._most_memory.cache_clear()
    request.addfinalizer(convnext_train._most_memory.cache_clear)
    found = convnext_train.recipe_for("bf16", data, "cuda")
    assert (found.resolution, found.batch, found.accumulate) == (224, 128, parts)
    # Never the same as vanilla
    assert convnext_train.recipe_for("accumulate", data, "cuda").accumulate == 2 * parts
    if gibibytes == 1:  # 20 pictures in 4 parts, which cannot be halved
        assert convnext_train.recipe_for("accumulate", data, "cuda", 20).accumulate == 4
    found_free[0] = 2**30  # while networks are in memory the parts stay the same
    assert convnext_train.recipe_for("bf16", data, "cuda").accumulate == parts
    found_free[0] = None
    assert convnext_train.recipe_for("bf16", data, "mps").accumulate == 1
    assert convnext_train.recipe_for("accumulate", data, "mps").accumulate == 2
    assert convnext_train.recipe_for("bf16", data, "cpu").resolution is None


def test_recipes_that_a_gpu_refuses_are_left_out_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put_in(monkeypatch)
    lacks = ("bfloat16", "graphs")
    monkeypatch.setattr(accelerator, "can", lambda feature, device: feature not in lacks)
    settings = convnext_train.TrainSettings(device="meta")
    found = convnext_train._impossible(few(), settings)
    assert set(found) == {"bf16", "compile+bf16", "cuda-graphs", "everything"}
    assert "bfloat16" in found["bf16"]
