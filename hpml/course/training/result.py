"""The result of a training, with a table; its epochs are a `Measurement` for suites."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from hpml.base.environment import environment_record
from hpml.base.tables import Shown, Table, format_bytes, format_seconds
from hpml.benchmark import Measurement
from hpml.course.training.recipe import Recipe
from hpml.course.training.trainer import Trainer


@dataclass(frozen=True)
class Training(Shown):
    """A finished training.

    Attributes:
        data: the name of the data set.
        losses: the mean loss of each step.
        accuracies: the validation accuracy after each epoch, from 0 to 1.
        seconds: the time of each epoch, without validation and compilation.
        examples: pictures or windows of an epoch.
        unit: the name of an example, "image" or "window".
        memory: peak in bytes, of the tensors on a GPU or of the process on a CPU; None if unknown.
    """

    recipe: Recipe
    data: str
    seed: int
    losses: tuple[float, ...]
    accuracies: tuple[float, ...]
    seconds: tuple[float, ...]
    examples: int
    unit: str
    memory: int | None
    device: str
    processes: int

    @classmethod
    def of(cls, trainer: Trainer) -> Training:
        """Return the result of a trainer."""
        return cls(
            trainer.recipe,
            trainer.data.name,
            trainer.seed,
            tuple(trainer.losses),
            tuple(trainer.accuracies),
            tuple(trainer.seconds),
            len(trainer.batches) * trainer.recipe.batch,
            trainer.data.unit,
            trainer.memory or None,
            str(trainer.device),
            trainer.processes.count,
        )

    @property
    def accuracy(self) -> float:
        """The validation accuracy at the end, from 0 to 1."""
        return self.accuracies[-1]

    def measurement(self) -> Measurement:
        """Return the times of the epochs, with accuracy, loss and memory in the environment."""
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
        epoch_steps = self.examples // self.recipe.batch
        peak = "unknown" if self.memory is None else format_bytes(self.memory)
        rows = [
            (number + 1, self.losses[(number + 1) * epoch_steps - 1], self.accuracies[number],
             seconds, self.examples / seconds)
            for number, seconds in enumerate(self.seconds)
        ]  # fmt: skip
        return [
            Table(
                ("epoch", "loss", "accuracy", "time", f"{self.unit}s/s"),
                rows,
                title=f"{self.recipe.name} on {self.data}, seed {self.seed}",
                caption=f"On {self.device}, {self.processes} "
                f"process{'es' if self.processes > 1 else ''}, "
                f"peak memory {peak}. Loss of the last batch; accuracy on "
                "the validation set.",
                formats={
                    "loss": "{:.3f}".format,
                    "accuracy": "{:.1%}".format,
                    "time": format_seconds,
                    f"{self.unit}s/s": "{:,.0f}".format,
                },
            )
        ]
