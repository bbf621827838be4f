"""The transformer of characters in the training loop, with windows of 16 characters."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from hpml.course.datasets import Text, austen
from hpml.course.models import CharacterTransformer
from hpml.course.training import RECIPES, Trainer, TrainingError, train
from hpml.course.training.trainer import mean_loss, rate_factor
from tests.course.training.small import recipe
from tests.parts import raises


def text() -> Text:
    return austen(context=16, epoch_size=128)


def transformer() -> CharacterTransformer:
    return CharacterTransformer(75, 16, features=16, blocks=1, heads=2)


def test_vanilla_is_the_loop_that_anyone_would_write() -> None:
    model, data = transformer(), text()
    trainer = Trainer(transformer(), data, recipe(), epochs=1, seed=4)
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": 0.05},
            {"params": [p for p in model.parameters() if p.ndim <= 1], "weight_decay": 0},
        ]
    )
    expected = []
    for step, places in enumerate(trainer.batches.order(0)):
        for group in optimiser.param_groups:
            group["lr"] = 2e-3 * rate_factor(step, 4)
        scores = model(data.train.inputs[places])
        loss = nn.functional.cross_entropy(scores.transpose(1, 2), data.train.targets[places])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        expected.append(loss.item())
    assert len(expected) == 4
    found = train(transformer(), data, recipe(), epochs=1, seed=4, device="cpu")
    assert found.losses == pytest.approx(expected, rel=1e-6)


def test_accuracy_is_the_share_of_next_characters_that_are_right() -> None:
    model, data = transformer(), text()
    trainer = Trainer(model, data, recipe(), epochs=1)
    right = model.eval()(data.validation.inputs).argmax(-1) == data.validation.targets
    assert trainer.validate() == pytest.approx(right.double().mean().item())


def test_each_epoch_draws_other_windows_of_the_text() -> None:
    trainer = Trainer(transformer(), text(), recipe(), epochs=2)
    first, second = (torch.cat(trainer.batches.order(epoch)) for epoch in (0, 1))
    assert len(first) == len(first.unique()) == 128
    assert len(set(first.tolist()) & set(second.tolist())) < 10
    assert int(first.max()) > 30_000  # drawn from the text, not from its beginning


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_recipes_that_change_only_the_execution_change_no_loss_but_by_rounding() -> None:
    losses = {
        name: train(transformer(), text(), recipe(name), epochs=1, device="cpu").losses
        for name in ("vanilla", "vanilla again", "fused", "accumulate", "workers", "channels-last",
                     "bf16", "amp")
    }  # fmt: skip
    vanilla = losses["vanilla"]
    assert losses["vanilla again"] == losses["workers"] == vanilla
    for name in ("fused", "accumulate", "channels-last"):
        assert losses[name] == pytest.approx(vanilla, rel=1e-5), name
    assert losses["amp"] == losses["bf16"]
    assert losses["bf16"] != vanilla
    assert losses["bf16"] == pytest.approx(vanilla, rel=0.02)


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_a_compiled_transformer_learns_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Captured, and run as it was captured: the compiler itself takes long, and is PyTorch's."""
    monkeypatch.setattr(
        torch, "compile", lambda f, mode, compile=torch.compile: compile(f, backend="aot_eager")
    )
    expected = train(transformer(), text(), recipe(), epochs=1, device="cpu").losses
    found = train(transformer(), text(), recipe("compile"), epochs=1, device="cpu").losses
    assert found == pytest.approx(expected, rel=1e-5)


def test_it_resumes_with_the_losses_of_an_uninterrupted_training(tmp_path: Path) -> None:
    whole = Trainer(transformer(), text(), recipe(), epochs=2)
    list(whole.epoch())
    state = whole.state()
    list(whole.epoch())
    resumed = Trainer(transformer(), text(), recipe(), epochs=2)
    resumed.load(state)
    list(resumed.epoch())
    assert resumed.losses == whole.losses
    result = train(transformer(), text(), recipe(), epochs=1, out=tmp_path, device="cpu")
    again = train(
        transformer(), text(), recipe(), epochs=1, out=tmp_path, device="cpu", resume=True
    )
    assert again.losses == result.losses
    assert (result.unit, result.examples) == ("window", 128)
    assert "windows/s" in str(result)
    with raises(
        TrainingError,
        object=f"examples of {tmp_path / 'checkpoint.pt'}",
        expected="checksum",
        received="checksum",
    ):
        other = austen(context=16, epoch_size=128).head(5000, 64)
        train(transformer(), other, recipe(), epochs=1, out=tmp_path, device="cpu", resume=True)


def test_a_network_without_scores_for_each_position_is_refused() -> None:
    model = nn.Sequential(nn.Embedding(75, 8), nn.Flatten(), nn.Linear(128, 75))
    with raises(TrainingError, object="model", expected="(batch, 16, 75)", received="(32, 75)"):
        train(model, text(), recipe(), epochs=1, device="cpu")
    few = nn.Sequential(nn.Embedding(75, 8), nn.Linear(8, 74))
    with raises(TrainingError, object="model", received="(32, 16, 74)"):
        train(few, text(), recipe(), epochs=1, device="cpu")


def test_more_windows_than_an_epoch_has_are_no_batch() -> None:
    with raises(
        TrainingError, object="batch of recipe 'vanilla'", expected="128 examples", received="256"
    ):
        train(transformer(), text(), recipe(batch=256), epochs=1, device="cpu")


def test_the_loss_is_the_mean_over_examples_and_positions() -> None:
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(3, 4, 5, generator=generator)
    targets = torch.randint(0, 5, (3, 4), generator=generator)
    log = scores.log_softmax(-1)
    expected = -sum(log[i, j, targets[i, j]] for i in range(3) for j in range(4)) / 12
    torch.testing.assert_close(mean_loss(scores, targets), expected)


@pytest.mark.gpu
@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_trains_the_transformer_on_a_gpu(name: str) -> None:
    result = train(transformer(), text(), recipe(name), epochs=4, device="cuda")
    assert result.losses[-1] < result.losses[0]
