"""Which pictures come when, for each process, and how they get to the device.

The order of an epoch follows from the seed and the epoch's number alone. So a training that is
resumed in its middle goes on with the next batch, and many processes share what one would take.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

from hpml.datasets import Pictures
from hpml.training.errors import TrainingError
from hpml.training.processes import Processes
from hpml.training.recipe import Recipe


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
                f"Recipe {self.recipe.name!r}: batch: expected no more than the "
                f"{len(self.pictures):,} pictures of the training set, got {self.recipe.batch}."
            )

    def __len__(self) -> int:
        """How many an epoch has; what is left over at its end is not used."""
        return len(self.pictures) // self.recipe.batch

    def order(self, epoch: int) -> list[Tensor]:
        """Return the places in the set of each batch of an epoch, those of this process."""
        generator = torch.Generator().manual_seed(1_000_003 * self.seed + epoch)
        permuted = torch.randperm(len(self.pictures), generator=generator)
        whole = permuted[: len(self) * self.recipe.batch].view(len(self), -1)
        return list(whole[:, self.processes.rank :: self.processes.count].contiguous())

    def of(self, epoch: int, start: int = 0) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield images and labels on the device, from a place in the epoch on."""
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
                    # Its own generator: the loader draws a seed.
                    generator=torch.Generator(),
                    worker_init_fn=_leave_interrupts_to_the_parent,
                )
            )
        else:
            loader = (gather[places] for places in order)
        device = self.processes.device
        for images, labels in loader:
            yield images.to(device, non_blocking=True), labels.to(device, non_blocking=True)


def _leave_interrupts_to_the_parent(worker: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Gather(Dataset[tuple[Tensor, Tensor]]):
    """A batch by the places of its pictures: a worker gathers whole batches."""

    def __init__(self, pictures: Pictures) -> None:
        self.pictures = pictures

    def __getitem__(self, places: Tensor) -> tuple[Tensor, Tensor]:
        return self.pictures.images[places], self.pictures.labels[places]


def prepared(images: Tensor, recipe: Recipe) -> Tensor:
    """Return bytes as float32 around 0, enlarged and laid out as the recipe says.

    >>> prepared(torch.full((1, 1, 2, 2), 255, dtype=torch.uint8), Recipe("x", resolution=4)).shape
    torch.Size([1, 1, 4, 4])
    """
    x = images.float().div_(255).sub_(0.5).div_(0.25)
    if recipe.resolution is not None:
        x = functional.interpolate(x, size=(recipe.resolution,) * 2, mode="bilinear")
    return x.contiguous(memory_format=torch.channels_last) if recipe.channels_last else x
