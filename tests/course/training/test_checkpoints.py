from __future__ import annotations

import dataclasses
import errno
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import torch
from torch import nn

from hpml.course.datasets import Pictures
from hpml.course.training import Trainer, TrainingError, train
from hpml.course.training.checkpoint import (
    FORMAT,
    NAME,
    generators,
    read_checkpoint,
    restore_generators,
    write_checkpoint,
)
from hpml.course.training.processes import Processes
from tests.course.training.small import STEPS, data, network, recipe
from tests.parts import raises

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system with fork, Linux or macOS")
def test_killed_at_any_step_or_while_writing_it_resumes_with_the_same_losses() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.course.training.killed"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.stdout == f"equal {STEPS}\n", done.stderr


def test_an_interrupt_waits_for_the_step_and_leaves_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = train(network(), data(), recipe(), epochs=2)
    before = signal.getsignal(signal.SIGINT)
    update = Trainer._update

    def interrupted(trainer: Trainer) -> None:
        update(trainer)
        if trainer.step == 2:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Trainer, "_update", interrupted)
    with pytest.raises(KeyboardInterrupt, match="after step 4"):
        train(network(), data(), recipe(), epochs=2, out=tmp_path)
    assert signal.getsignal(signal.SIGINT) is before
    monkeypatch.undo()
    again = train(network(9), data(), recipe(), epochs=2, out=tmp_path, resume=True)
    assert (again.losses, again.accuracies) == (expected.losses, expected.accuracies)
    # Finished: once more changes nothing.
    assert train(network(), data(), recipe(), epochs=2, out=tmp_path, resume=True) == again


def test_equal_seeds_give_equal_losses_and_other_seeds_others() -> None:
    first, again = (train(network(), data(), recipe(), epochs=1, seed=1) for _ in range(2))
    other = train(network(), data(), recipe(), epochs=1, seed=2)
    assert first.losses == again.losses
    assert first.losses != other.losses


def test_another_training_is_neither_overwritten_nor_resumed(tmp_path: Path) -> None:
    path = str(tmp_path / "checkpoint.pt")
    with raises(TrainingError, object=path, received="no file", remedy="without --resume"):
        train(network(), data(), recipe(), epochs=1, out=tmp_path, resume=True)
    train(network(), data(), recipe(), epochs=1, out=tmp_path)
    with raises(TrainingError, object=path, received="an earlier training", remedy="Resume"):
        train(network(), data(), recipe(), epochs=1, out=tmp_path)
    with raises(TrainingError, object=f"batch of {path}", expected="32", received="16"):
        train(network(), data(), recipe(batch=16), epochs=1, out=tmp_path, resume=True)
    with raises(TrainingError, object=f"epochs of {path}", expected="1", received="2"):
        train(network(), data(), recipe(), epochs=2, out=tmp_path, resume=True)
    with raises(TrainingError, object="out of train, with resume", received="None"):
        train(network(), data(), recipe(), epochs=1, resume=True)
    (tmp_path / "checkpoint.pt").write_bytes(b"torn")
    with raises(TrainingError, object=path, received="cannot be read", remedy="Delete it"):
        train(network(), data(), recipe(), epochs=1, out=tmp_path, resume=True)
    torch.save({"format": -1}, tmp_path / "checkpoint.pt")
    with raises(TrainingError, object=path, expected=f"format {FORMAT}", received="-1"):
        train(network(), data(), recipe(), epochs=1, out=tmp_path, resume=True)


@pytest.mark.parametrize("normalises", [False, True])
def test_a_training_resumes_in_other_parts_unless_each_part_is_normalised(
    normalises: bool, tmp_path: Path
) -> None:
    def model() -> nn.Module:
        torch.manual_seed(0)
        middle = nn.BatchNorm1d(64) if normalises else nn.Identity()
        return nn.Sequential(nn.Flatten(), middle, nn.Linear(64, 10))

    whole = train(model(), data(), recipe(), epochs=2).losses
    half = Trainer(model(), data(), recipe(), epochs=2)
    list(half.epoch())
    half.validate()
    write_checkpoint(tmp_path / NAME, half.state())
    given = model(), data(), recipe(accumulate=2)
    if normalises:
        where = f"accumulate of {tmp_path / NAME}"
        with raises(TrainingError, object=where, expected="1", received="2"):
            train(*given, epochs=2, out=tmp_path, resume=True)
    else:
        resumed = train(*given, epochs=2, out=tmp_path, resume=True)
        assert resumed.losses == pytest.approx(whole, rel=1e-5)


def test_a_checkpoint_without_a_part_of_the_state_is_refused(tmp_path: Path) -> None:
    train(network(), data(), recipe(), epochs=1, out=tmp_path)
    path = tmp_path / "checkpoint.pt"
    state = torch.load(path, weights_only=True)
    del state["model"]["0.bias"]
    torch.save(state, path)
    with raises(TrainingError, object=str(path), expected="this network", received="0.bias"):
        train(network(), data(), recipe(), epochs=1, out=tmp_path, resume=True)


def test_a_checkpoint_with_a_flipped_bit_is_refused_or_gives_the_same(tmp_path: Path) -> None:
    train(network(), data(), recipe(), epochs=1, out=tmp_path)
    path = tmp_path / "checkpoint.pt"
    whole, expected = path.read_bytes(), read_checkpoint(path)
    generator, refused = random.Random(0), 0
    for _ in range(60):
        content = bytearray(whole)
        content[generator.randrange(len(content))] ^= 1 << generator.randrange(8)
        path.write_bytes(content)
        try:
            found = read_checkpoint(path)
        except TrainingError:
            refused += 1
        else:  # a bit of the archive that is no content, such as a time
            torch.testing.assert_close(found["model"], expected["model"], rtol=0, atol=0)
            assert found["losses"] == expected["losses"]
    assert refused >= 40


def test_all_random_generators_go_on_where_they_were() -> None:
    def draw() -> tuple[float, ...]:
        normal = random.gauss(0, 1), float(numpy.random.standard_normal())
        return (*normal, float(torch.rand(())), random.random(), float(numpy.random.rand()))

    alone = Processes(0, 1, torch.device("cpu"))
    draw()  # both have the second of a pair of normal numbers left
    kept = generators(alone)
    expected = draw()
    for _ in range(3):
        draw()
    restore_generators(kept, alone)
    assert draw() == expected


class Noise(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * (1 + random.random() + float(numpy.random.rand()) + float(torch.rand(())))


def test_a_trainer_draws_from_generators_of_its_own() -> None:
    def trainer() -> Trainer:
        return Trainer(torch.nn.Sequential(Noise(), network()), data(), recipe(), epochs=1, seed=3)

    def states() -> list[object]:
        return [torch.get_rng_state().tolist(), random.getstate(), str(numpy.random.get_state())]

    alone = list(trainer().epoch())
    before = states()
    one, other = trainer(), trainer()
    losses = []
    for loss, _ in zip(one.epoch(), other.epoch(), strict=True):
        losses.append(loss)
        one.validate()
    assert losses == alone
    one.load(one.state())
    assert states() == before


def test_a_checkpoint_of_another_network_is_refused(tmp_path: Path) -> None:
    train(network(), data(), recipe(), epochs=1, out=tmp_path)
    other = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 10))
    name = f"network of {tmp_path / 'checkpoint.pt'}"
    with raises(TrainingError, object=name, expected="(0): Conv2d", received="(0): Flatten"):
        train(other, data(), recipe(), epochs=1, out=tmp_path, resume=True)
    other = network()
    other[1] = torch.nn.SiLU()  # as many weights
    with raises(TrainingError, object=name, expected="(1): ReLU()", received="(1): SiLU()"):
        train(other, data(), recipe(), epochs=1, out=tmp_path, resume=True)
    other = network()
    other[0].bias.requires_grad_(False)
    name = f"frozen of {tmp_path / 'checkpoint.pt'}"
    with raises(TrainingError, object=name, expected="[]", received="['0.bias']"):
        train(other, data(), recipe(), epochs=1, out=tmp_path, resume=True)


def test_other_pictures_of_the_same_name_and_number_are_refused(tmp_path: Path) -> None:
    train(network(), data(), recipe(), epochs=1, out=tmp_path)
    for part in ("train", "validation"):
        pictures = getattr(data(), part)
        turned = Pictures(pictures.images.flip(0), pictures.labels)
        other = dataclasses.replace(data(), **{part: turned})
        name = f"examples of {tmp_path / 'checkpoint.pt'}"
        with raises(TrainingError, object=name, expected="140", received="140"):
            train(network(), other, recipe(), epochs=1, out=tmp_path, resume=True)


def test_a_folder_that_takes_no_file_is_refused_before_the_training(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    exists = os.strerror(errno.EEXIST)
    with raises(TrainingError, object=str(tmp_path / "file"), received=exists, remedy="folder"):
        train(network(), data(), recipe(), epochs=1, out=tmp_path / "file")


def test_a_warm_up_leaves_the_state_of_a_batch_normalisation() -> None:
    model = torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.BatchNorm1d(64), torch.nn.Linear(64, 10)
    )
    trainer = Trainer(model, data(), recipe(), epochs=1)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    trainer.warm_up()
    for name, value in model.state_dict().items():
        torch.testing.assert_close(value, before[name], rtol=0, atol=0)


class Scaled(nn.Module):
    """A network whose printed form does not show its computation."""

    def __init__(self) -> None:
        super().__init__()
        self.flat, self.linear = nn.Flatten(), nn.Linear(64, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.scaled(self.linear(self.flat(x)))

    def scaled(self, x: torch.Tensor) -> torch.Tensor:
        return x


def other_forward(self: Scaled, x: torch.Tensor) -> torch.Tensor:
    return self.linear(self.flat(x * 2))


@pytest.mark.parametrize("method", ["forward", "scaled"])
def test_another_computation_with_the_same_printed_form_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """The source of `forward` tells, or the loss of the saved weights."""
    train(Scaled(), data(), recipe(), epochs=1, out=tmp_path)
    assert train(Scaled(), data(), recipe(), epochs=1, out=tmp_path, resume=True).losses
    changed = other_forward if method == "forward" else lambda self, x: 3 * x
    monkeypatch.setattr(Scaled, method, changed)
    with pytest.raises(TrainingError):
        train(Scaled(), data(), recipe(), epochs=1, out=tmp_path, resume=True)
