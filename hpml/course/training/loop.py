"""A whole training, with checkpoints, resuming, interrupts and progress."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import torch
from torch import nn
from tqdm import tqdm

from hpml.base import accelerator
from hpml.base.errors import describe
from hpml.base.tables import format_bytes
from hpml.course.datasets import Dataset, Text
from hpml.course.training.checkpoint import (
    NAME,
    check_same,
    read_checkpoint,
    try_folder,
    write_checkpoint,
)
from hpml.course.training.errors import TrainingError
from hpml.course.training.processes import processes
from hpml.course.training.recipe import Recipe
from hpml.course.training.result import Training
from hpml.course.training.trainer import Trainer, restored_layout, restored_mode


def train(
    model: nn.Module,
    data: Dataset | Text,
    recipe: Recipe | None = None,
    *,
    epochs: int | None = None,
    seed: int = 0,
    device: str | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: bool = False,
) -> Training:
    """Train a network with a recipe, in one process or in those that `torchrun` started.

    The first Ctrl-C ends the training after the current step, with a checkpoint; the second one
    ends it immediately.

    Args:
        model: the network, which is trained in place and returns scores, (batch, classes), or for a
            text (batch, positions, classes). Its mode (training or evaluation) and the memory
            layout of its weights are restored at the end.
        data: the training set, and the validation set for the end of each epoch.
        recipe: how to train, such as one of `RECIPES`.
        epochs: number of passes through the training set, or a text's ``epoch_size`` windows.
        seed: the seed of the order of the examples and of randomness in the network. Equal
            arguments give equal losses on one machine, and several processes the losses of one
            process up to rounding. On a GPU too they are equal up to rounding only, unless
            ``torch.use_deterministic_algorithms(True)`` is set.
        device: "cpu", "cuda" or "cuda:1"; by default this process's GPU, if there is one.
        out: folder for ``checkpoint.pt``, which is written after each epoch; None saves nothing.
            Several machines need a shared folder.
        resume: whether to continue from the checkpoint in `out`. On the same machine with as many
            threads, losses and weights are those of an uninterrupted training.
        progress: whether to show a progress bar with examples per second and memory.

    Raises:
        TrainingError: if the recipe is impossible, `out` contains another training, a loss is not
            finite (NotFiniteError), or another process has ended (ProcessEndedError).
        KeyboardInterrupt: after Ctrl-C.

    >>> from hpml.course.datasets import digits
    >>> from hpml.course.training import RECIPES
    >>> model = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
    >>> result = train(model, digits(), RECIPES["vanilla"], epochs=3, device="cpu")
    >>> len(result.losses), len(result.accuracies), result.accuracy > 0.25
    (33, 3, True)
    """
    if not isinstance(data, Dataset | Text) or not isinstance(recipe, Recipe):
        raise TrainingError(
            object="data and recipe of train",
            expected="a Dataset or a Text, and a Recipe",
            received=f"{describe(data)} and {describe(recipe)}",
            remedy='Write train(model, digits(), RECIPES["vanilla"], epochs=2).',
        )
    for name, value, least in (("epochs", epochs, 1), ("seed", seed, 0)):
        if type(value) is not int or not least <= value < 2**31:
            raise TrainingError(
                object=f"{name} of train",
                expected=f"a whole number from {least}",
                received=describe(value),
                remedy=f"Pass {name}={least}.",
            )
    assert epochs is not None  # refused above
    if not torch.is_grad_enabled():
        raise TrainingError(
            object="train",
            expected="a call where gradients are recorded",
            received="one inside torch.no_grad() or torch.inference_mode()",
            remedy="Call it outside.",
        )
    path = None if out is None else Path(out) / NAME
    if path is not None and path.exists() and not resume:
        raise TrainingError(
            object=str(path),
            expected="a new file",
            received="an earlier training",
            remedy="Resume it, or choose another out.",
        )
    if path is not None and not resume:
        try_folder(path.parent)
    with (
        processes(device) as joined,
        restored_mode(model),
        restored_layout(model),
        _restored_forward(model),
        memory_suffices(joined.device, recipe),
    ):
        trainer = Trainer(model, data, recipe, epochs=epochs, seed=seed, processes=joined)
        if resume:
            if path is None:
                raise TrainingError(
                    object="out of train, with resume",
                    expected="the folder of a training",
                    received="None",
                    remedy="Pass out=FOLDER.",
                )
            state = read_checkpoint(path)
            try_folder(path.parent)
            try:
                check_same(path, state["training"], trainer.identity())
                trainer.load(state)
            except (KeyError, RuntimeError, TypeError, ValueError) as error:
                raise TrainingError(
                    object=str(path),
                    expected="the state of this network",
                    received=f"the state of another one ({error})",
                    remedy="Resume with the original network, or delete the file and train again.",
                ) from error
        with _stop_on_interrupt(trainer):
            _run(trainer, path, progress and joined.rank == 0)
        return Training.of(trainer)


def _run(trainer: Trainer, path: Path | None, progress: bool) -> None:
    epoch_steps = len(trainer.batches)
    if trainer.step < trainer.epochs * epoch_steps:
        trainer.warm_up()
    bar = tqdm(
        total=trainer.epochs * epoch_steps * trainer.recipe.batch,
        initial=trainer.step * trainer.recipe.batch,
        desc=trainer.recipe.name,
        unit=trainer.data.unit,
        disable=not progress,
        file=sys.stderr,
        dynamic_ncols=True,
    )
    with bar:
        while len(trainer.accuracies) < trainer.epochs:
            for loss in trainer.epoch():
                now = memory(trainer.device)
                trainer.memory = max(trainer.memory, now or 0)
                shown = "" if now is None else f", {format_bytes(now)}"
                bar.set_postfix_str(f"loss {loss:.3f}{shown}", refresh=False)
                bar.update(trainer.step * trainer.recipe.batch - bar.n)
            if trainer.step == epoch_steps * (len(trainer.accuracies) + 1):
                trainer.validate()
            if path is not None:
                state = trainer.state()  # in every process: it gathers their random generators
                if trainer.processes.rank == 0:
                    write_checkpoint(path, state)
            if trainer.stopped and len(trainer.accuracies) < trainer.epochs:
                raise KeyboardInterrupt(f"after step {trainer.step}")


def memory(device: torch.device) -> int | None:
    """Return the peak of a GPU's memory so far, or what this process takes now, in bytes.

    None for a GPU whose peak torch does not know: what its tensors take between two steps, without
    the results of a forward, says little about it.
    """
    if device.type == "cpu":
        return int(psutil.Process().memory_info().rss)
    peak = accelerator.peak_memory(device)
    return None if peak is None else peak.allocated


@contextlib.contextmanager
def _restored_forward(model: nn.Module) -> Iterator[None]:
    """Remove the recorded forward that a recipe with CUDA graphs leaves on the network."""
    before = model.__dict__.get("forward")
    try:
        yield
    finally:
        if before is not None:
            model.__dict__["forward"] = before
        else:
            model.__dict__.pop("forward", None)


@contextlib.contextmanager
def memory_suffices(device: torch.device, recipe: Recipe) -> Iterator[None]:
    """Say what to do if the memory of a GPU is too small."""
    try:
        yield
    except RuntimeError as error:
        # On Apple's chips torch raises a plain RuntimeError.
        if not isinstance(error, torch.OutOfMemoryError) and "out of memory" not in str(error):
            raise
        total = accelerator.total_memory(device)
        raise TrainingError(
            object=f"memory of {device}",
            expected=f"enough for a batch of {recipe.batch} in {recipe.accumulate} parts",
            received=f"{accelerator.name(device)} with "
            + ("unknown memory" if total is None else format_bytes(total)),
            remedy="End other programs on it, divide the batch into more parts with "
            f"dataclasses.replace(recipe, accumulate={2 * recipe.accumulate}) or hpml train "
            f"--accumulate {2 * recipe.accumulate}, or use a smaller resolution or network.",
        ) from error


@contextlib.contextmanager
def _stop_on_interrupt(trainer: Trainer) -> Iterator[None]:
    """Make the first Ctrl-C wait for the end of the step, because half an update is invalid."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def handle(number: int, frame: object) -> None:
        trainer.stop = True
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
