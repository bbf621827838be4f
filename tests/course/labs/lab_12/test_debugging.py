"""Lab 12's tools for a run that waits, grows and recompiles, and its transformer."""

from __future__ import annotations

import io
import re

import pytest
import torch
from PIL import Image
from torch import nn

from hpml.benchmark import Comparison, Measurement
from hpml.course.datasets import austen, bigram_loss, digits
from hpml.course.labs.lab_12_training import debugging, loading, networks, tables
from hpml.course.training import RECIPES
from hpml.profiling import profile_torch


def taken(**seconds: float) -> Comparison:
    wobble = [1, 1.01, 0.99] * 5
    found = [
        Measurement(n.replace("_", " "), tuple(s * w for w in wobble), 1)
        for n, s in seconds.items()
    ]
    return Comparison(tuple(found), "vanilla", len(wobble))


def test_a_photo_is_a_file_that_decodes_to_about_the_digit() -> None:
    pictures = digits().train
    files = loading.Photos(pictures, 4)
    with Image.open(io.BytesIO(files.files[0])) as file:
        assert (file.format, file.size) == ("JPEG", (256, 256))
    images, labels = next(iter(loading.loader(files, 0, "cpu")))
    assert images.shape == (4, 1, 8, 8)
    assert labels.tolist() == pictures.labels[:4].tolist()
    # Scaled as the lab's pictures are; JPEG and two changes of size blur it.
    expected = pictures.images[:4].float() / 64 - 2
    assert (images - expected).abs().mean() < 0.5
    assert torch.equal(torch.stack([image for image, _ in loading.decoded(files)]), images)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_epochs_of_all_loaders_take_turns_with_the_same_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HPML_QUICK", "1")
    files = loading.Photos(digits().train, 96)
    seen: list[float] = []
    loaders = {
        "no worker": loading.loader(files, 0, "cpu"),
        "one worker": loading.loader(files, 1, "cpu"),
    }
    found = loading.in_turns(loaders, lambda images, labels: seen.append(float(images.sum())))
    assert (found.names, found.rounds) == (("no worker", "one worker"), 6)
    epochs = [tuple(seen[start : start + 3]) for start in range(0, len(seen), 3)]
    assert len(epochs) == 14
    assert len(set(epochs)) == 1


def test_loaders_that_a_busy_machine_cannot_tell_are_said_with_the_recorded_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loading, "recorded_answer", lambda lab, key: f"Recorded of {lab}: {key}.")
    clear = loading.in_words(taken(vanilla=1.0, two_workers=0.6, decoded_once=0.3)).plain
    assert "Recorded" not in clear
    unclear = loading.in_words(taken(vanilla=1.0, two_workers=1.001, decoded_once=0.3)).plain
    assert "Recorded of 12: loaders." in " ".join(unclear.split())


def test_the_profile_shows_how_long_a_step_waits() -> None:
    files = loading.Photos(digits().train, 64)
    batches = loading.endless(loading.loader(files, 0, "cpu"))
    only_waits = profile_torch(lambda: next(batches), steps=2, warm_up=1)
    assert debugging.waiting(only_waits) > 50
    x = torch.rand(300, 300)
    assert debugging.waiting(profile_torch(lambda: x @ x, steps=2, warm_up=1)) == 0


def test_memory_that_is_kept_grows_and_memory_that_is_freed_does_not() -> None:
    def keep() -> list[torch.Tensor]:
        return [torch.ones(250_000) for _ in range(4)]

    def free() -> None:
        for _ in range(4):
            torch.ones(250_000)

    records = {"kept": debugging.allocated(keep), "freed": debugging.allocated(free)}
    assert debugging.most(records["kept"]) == pytest.approx(4e6, rel=0.01)
    assert debugging.most(records["freed"]) == pytest.approx(1e6, rel=0.01)
    assert "at most 3.81 MiB" in debugging.draw_memory(records).plain


LOG = """case: int
guards.py:5] [0/1] [__recompiles] Recompiling function forward in run.py:5
guards.py:5] [0/1] [__recompiles]     triggered by the following guard failure(s):
guards.py:5] [0/1] [__recompiles]     - 0/0: self.step == 0   # += 1 (HINT: a static int. If you
guards.py:5] [0/2] [__recompiles] Recompiling function forward in run.py:5
guards.py:5] [0/2] [__recompiles]     - 0/1: self.step == 1   # += 1
guards.py:5] [0/2] [__recompiles]     - 0/0: self.step == 0   # += 1
case: Tensor
"""


def test_a_log_is_read_by_case() -> None:
    assert debugging.by_case(LOG) == {"int": ["self.step == 0", "self.step == 1"], "Tensor": []}
    shown = str(debugging.shown(LOG))
    assert "a static int." in shown
    assert "self.step == 0, self.step == 1" in shown
    failed = debugging.shown(debugging.with_logs("raise SystemExit('no compiler')", "recompiles"))
    assert "no compiler" in getattr(failed, "plain", "")


def test_turns_of_two_batch_sizes_have_as_many_examples() -> None:
    text = austen(context=8, epoch_size=64).head(64, 4)
    both = {
        "vanilla": networks.trainer(text, RECIPES["vanilla"], 2, on="cpu"),
        "batch 16": networks.trainer(text, RECIPES["vanilla"], 2, on="cpu", batch=16),
    }
    found = networks.in_turns(both)
    assert found.rounds == 8
    assert (both["vanilla"].step, both["batch 16"].step) == (16, 8)
    for name, one in both.items():
        assert sum(found[name].samples) == pytest.approx(4 * sum(one.seconds))


def test_recipes_on_the_transformer_are_beside_those_on_the_convnext() -> None:
    convnext = taken(vanilla=1.0, amp=1.2)
    text = austen(context=8, epoch_size=64)
    table = tables.beside_convnext(taken(vanilla=1.0, bf16=0.8, fused=0.9), convnext, text)
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["bf16"][0] == "0.908"  # 137.03 s of 150.91 s
    assert str(rows["bf16"][1]).startswith("1.2")
    assert str(rows["bf16"][2]).startswith("0.80")
    assert list(rows["fused"][:2]) == ["–", "–"]
    assert rows["compile"][0] == "0.965"
    assert str(rows["compile+bf16"][2]).startswith("recorded: 0.80")
    assert "vanilla" not in rows
    assert "RTX 4090" in table.caption
    assert re.search(r"trains on 51\d characters per second", table.caption)


@pytest.mark.parametrize(
    ("control", "other", "says"),
    [
        (1.0, 0.5, "includes 1**, as it should. Faster than each of the two: **bf16**."),
        (1.0, 2.0, "Slower than each of the two: **bf16**."),
        (1.2, 1.1, "excludes 1**, although nothing differs"),
        (1.2, 1.1, "No recipe can be told apart from both."),
        (1.2, 0.9, "Faster than each of the two: **bf16**."),
    ],
)  # fmt: skip
def test_a_recipe_counts_if_it_differs_from_both_vanillas(
    control: float, other: float, says: str
) -> None:
    found = tables.controlled(taken(vanilla=1.0, vanilla_again=control, bf16=other)).plain
    assert says.replace("**", "") in " ".join(found.split()).replace("**", "")


def test_the_network_of_a_text_is_the_transformer() -> None:
    text = austen(context=8, epoch_size=8).head(8, 4)
    one = networks.trainer(text, RECIPES["vanilla"], 1, on="cpu")
    assert isinstance(one.model, nn.Module)
    assert one.model(text.train.inputs[:2]).shape == (2, 8, 75)


def test_the_recorded_training_beats_counting_pairs() -> None:
    shown = tables.trained().plain
    loss, pairs = (float(each) for each in re.findall(r"\b\d\.\d\d\b", shown)[:2])
    assert loss < pairs - 0.5
    assert pairs == pytest.approx(bigram_loss(austen()), abs=0.006)
    assert "It is" in shown
