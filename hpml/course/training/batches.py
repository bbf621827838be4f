"""The batches of each process, in an order that depends only on the seed and the epoch."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

from hpml.base import accelerator
from hpml.course.datasets import Pictures, Windows
from hpml.course.training.errors import TrainingError
from hpml.course.training.processes import Processes
from hpml.course.training.recipe import Recipe


@dataclass(frozen=True)
class Batches:
    """The batches of one process; an epoch has at most `epoch_size` examples."""

    examples: Pictures | Windows
    recipe: Recipe
    processes: Processes
    seed: int
    epoch_size: int

    def __post_init__(self) -> None:
        if len(self) < 1:
            raise TrainingError(
                object=f"batch of recipe {self.recipe.name!r}",
                expected=f"no more than the {self.epoch_size:,} examples of an epoch",
                received=str(self.recipe.batch),
                remedy="Choose a smaller batch.",
            )

    def __len__(self) -> int:
        """Return the number of full batches in an epoch."""
        return self.epoch_size // self.recipe.batch

    def order(self, epoch: int) -> list[Tensor]:
        """Return the indices of this process's examples in each batch of an epoch."""
        generator = torch.Generator().manual_seed(1_000_003 * self.seed + epoch)
        permuted = torch.randperm(len(self.examples), generator=generator)
        batches = permuted[: len(self) * self.recipe.batch].view(len(self), -1)
        return list(batches[:, self.processes.rank :: self.processes.count].contiguous())

    def of(self, epoch: int, start: int = 0) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield inputs and targets of an epoch on the device, from batch `start` on."""
        order = self.order(epoch)[start:]
        gather = _Gather(self.examples)
        loader: Iterator[tuple[Tensor, Tensor]]
        if self.recipe.workers:
            loader = iter(
                DataLoader(
                    gather,
                    batch_size=None,
                    sampler=order,
                    num_workers=self.recipe.workers,
                    pin_memory=accelerator.can("pinned", self.processes.device),
                    # The loader draws a seed, which must not change the global generator.
                    generator=torch.Generator(),
                    worker_init_fn=ignore_interrupts,
                )
            )
        else:
            loader = (self._pinned(*gather[indices]) for indices in order)
        device = self.processes.device
        for inputs, targets in loader:
            # From ordinary memory the copy waits for all work that the GPU has.
            pinned = inputs.is_pinned()
            yield inputs.to(device, non_blocking=pinned), targets.to(device, non_blocking=pinned)

    def _pinned(self, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        if not accelerator.can("pinned", self.processes.device):
            return inputs, targets
        return inputs.pin_memory(), targets.pin_memory()


def ignore_interrupts(worker: int) -> None:
    """Begin a loader's worker so that Ctrl-C ends it through its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C


class _Gather(Dataset[tuple[Tensor, Tensor]]):
    """A data set of complete batches, by the indices of their examples."""

    def __init__(self, examples: Pictures | Windows) -> None:
        self.inputs, self.targets = examples.inputs, examples.targets

    def __getitem__(self, indices: Tensor) -> tuple[Tensor, Tensor]:
        return self.inputs[indices], self.targets[indices]


def prepared(inputs: Tensor, recipe: Recipe) -> Tensor:
    """Return uint8 images as float32 from -2 to 2, with the recipe's resolution and layout.

    Indices of characters, which are int64, are returned as they are.

    >>> prepared(torch.full((1, 1, 2, 2), 255, dtype=torch.uint8), Recipe("x", resolution=4)).shape
    torch.Size([1, 1, 4, 4])
    """
    if inputs.dtype == torch.int64:
        return inputs
    x = inputs.float().div_(255).sub_(0.5).div_(0.25)
    if recipe.resolution is not None:
        x = functional.interpolate(x, size=(recipe.resolution,) * 2, mode="bilinear")
    return x.contiguous(memory_format=torch.channels_last) if recipe.channels_last else x
