"""The batches of each process, in an order that depends only on the seed and the epoch."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

from hpml.course.datasets import Pictures
from hpml.course.training.errors import TrainingError
from hpml.course.training.processes import Processes
from hpml.course.training.recipe import Recipe


@dataclass(frozen=True)
class Batches:
    """The batches of one process."""

    pictures: Pictures
    recipe: Recipe
    processes: Processes
    seed: int

    def __post_init__(self) -> None:
        if len(self) < 1:
            raise TrainingError(
                object=f"batch of recipe {self.recipe.name!r}",
                expected=f"no more than the {len(self.pictures):,} pictures of the training set",
                received=str(self.recipe.batch),
                remedy="Choose a smaller batch.",
            )

    def __len__(self) -> int:
        """Return the number of full batches in an epoch."""
        return len(self.pictures) // self.recipe.batch

    def order(self, epoch: int) -> list[Tensor]:
        """Return the indices of this process's pictures in each batch of an epoch."""
        generator = torch.Generator().manual_seed(1_000_003 * self.seed + epoch)
        permuted = torch.randperm(len(self.pictures), generator=generator)
        batches = permuted[: len(self) * self.recipe.batch].view(len(self), -1)
        return list(batches[:, self.processes.rank :: self.processes.count].contiguous())

    def of(self, epoch: int, start: int = 0) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield images and labels of an epoch on the device, from batch `start` on."""
        order = self.order(epoch)[start:]
        gather = _Gather(self.pictures)
        loader: Iterator[tuple[Tensor, Tensor]]
        if self.recipe.workers:
            loader = iter(
                DataLoader(
                    gather,
                    batch_size=None,
                    sampler=order,
                    num_workers=self.recipe.workers,
                    pin_memory=self.processes.device.type == "cuda",
                    # The loader draws a seed, which must not change the global generator.
                    generator=torch.Generator(),
                    worker_init_fn=_ignore_interrupts,
                )
            )
        else:
            loader = (gather[indices] for indices in order)
        device = self.processes.device
        for images, labels in loader:
            yield images.to(device, non_blocking=True), labels.to(device, non_blocking=True)


def _ignore_interrupts(worker: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C


class _Gather(Dataset[tuple[Tensor, Tensor]]):
    """A data set of complete batches, by the indices of their pictures."""

    def __init__(self, pictures: Pictures) -> None:
        self.pictures = pictures

    def __getitem__(self, indices: Tensor) -> tuple[Tensor, Tensor]:
        return self.pictures.images[indices], self.pictures.labels[indices]


def prepared(images: Tensor, recipe: Recipe) -> Tensor:
    """Return uint8 images as float32 from -2 to 2, with the recipe's resolution and layout.

    >>> prepared(torch.full((1, 1, 2, 2), 255, dtype=torch.uint8), Recipe("x", resolution=4)).shape
    torch.Size([1, 1, 4, 4])
    """
    x = images.float().div_(255).sub_(0.5).div_(0.25)
    if recipe.resolution is not None:
        x = functional.interpolate(x, size=(recipe.resolution,) * 2, mode="bilinear")
    return x.contiguous(memory_format=torch.channels_last) if recipe.channels_last else x
