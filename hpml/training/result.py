"""What came of a training, as a value that shows itself; a suite compares its epochs."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from hpml.base.environment import environment_record
from hpml.base.tables import Shown, Table, format_bytes, format_seconds
from hpml.benchmark import Measurement
from hpml.training.recipe import Recipe
from hpml.training.trainer import Trainer


@dataclass(frozen=True)
class Training(Shown):
    """A training that is finished.

    Attributes:
        recipe: how it was done.
        data: the name of the data set.
        seed: of all that was random.
        losses: the mean loss of each step.
        accuracies: the share of the validation set recognised after each epoch, from 0 to 1.
        seconds: what each epoch took, without validation and without what came before it, such as
            compiling.
        images: pictures in an epoch.
        memory: bytes, the most that was in use: on a GPU by tensors, else by the process.
        device: where it ran.
        processes: how many shared it.
    """

    recipe: Recipe
    data: str
    seed: int
    losses: tuple[float, ...]
    accuracies: tuple[float, ...]
    seconds: tuple[float, ...]
    images: int
    memory: int
    device: str
    processes: int

    @classmethod
    def of(cls, trainer: Trainer) -> Training:
        """Return what came of a trainer."""
        return cls(
            trainer.recipe,
            trainer.data.name,
            trainer.seed,
            tuple(trainer.losses),
            tuple(trainer.accuracies),
            tuple(trainer.seconds),
            len(trainer.batches) * trainer.recipe.batch,
            trainer.memory,
            str(trainer.device),
            trainer.processes.count,
        )

    @property
    def accuracy(self) -> float:
        """The share of the validation set recognised at the end, from 0 to 1."""
        return self.accuracies[-1]

    def measurement(self) -> Measurement:
        """Return the seconds of the epochs; what was reached stands with the environment."""
        threads = torch.get_num_threads()
        environment = environment_record(threads=threads, device=self.device)
        return Measurement(
            self.recipe.name,
            self.seconds,
            number=1,
            warm_up=1,
            device=self.device,
            threads=threads,
            environment={
                **environment,
                "accuracy": self.accuracy,
                "final loss": self.losses[-1],
                "memory": self.memory,
            },
        )

    def _shown(self) -> list[Table]:
        in_epoch = self.images // self.recipe.batch
        rows = [
            (number + 1, self.losses[(number + 1) * in_epoch - 1], self.accuracies[number], seconds,
             self.images / seconds)
            for number, seconds in enumerate(self.seconds)
        ]  # fmt: skip
        return [
            Table(
                ("epoch", "loss", "accuracy", "time", "images/s"),
                rows,
                title=f"{self.recipe.name} on {self.data}, seed {self.seed}",
                caption=f"On {self.device}, {self.processes} "
                f"process{'es' if self.processes > 1 else ''}, "
                f"{format_bytes(self.memory)} at most. The loss is that of the last "
                "batch; accuracy is of the validation set.",
                formats={
                    "loss": "{:.3f}".format,
                    "accuracy": "{:.1%}".format,
                    "time": format_seconds,
                    "images/s": "{:,.0f}".format,
                },
            )
        ]
