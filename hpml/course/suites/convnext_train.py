"""The suite `convnext-train`: the time of an epoch with each recipe, and the accuracy.

Each recipe trains a copy of the same network. Their epochs are interleaved like the rounds of other
suites; a sample is an epoch without validation and compilation, and a case is a seed. The published
training (Tiny ImageNet at 224 pixels) needs a GPU; otherwise a small network learns the digits.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base import style
from hpml.base.tables import Table, format_bytes
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.saved.record import Case
from hpml.course.files import published
from hpml.course.suites.options import add_shared_arguments, positive
from hpml.course.suites.running import CasesResult, environment_line, run_cases
from hpml.course.suites.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hpml.course.datasets import Dataset
    from hpml.course.models import ConvNeXt
    from hpml.course.training import Recipe, Training

SEEDS = (1, 2, 3)
BASELINE = "vanilla"
BLOCK = "convnext_training"
MEASURED_AS = {
    "vanilla": "vanilla",
    "torch.compile": "compile",
    "AMP": "amp",
    "torch.compile + AMP": "compile+amp",
}
"""Our names of the recipes in the published table."""


@dataclass(frozen=True)
class TrainSettings(Settings):
    """The settings of this suite; ``rounds`` are epochs."""

    rounds: int = 6
    data: Dataset | str | None = None
    batch: int = 128


DEFAULTS = TrainSettings()


def network_for(data: Dataset, device: str, seed: int = 0) -> ConvNeXt:
    """Return the ConvNeXt for a data set, the large one for Tiny ImageNet on a GPU."""
    from hpml.course.models import convnext

    large = _at_full_size(data, device)
    return convnext(
        "tiny-imagenet" if large else "small",
        len(data.classes),
        channels=data.channels,
        patch=4 if large else 8 if data.resolution >= 32 else 2,
        seed=seed,
    )


def recipe_for(name: str, data: Dataset, device: str, batch: int = 128) -> Recipe:
    """Return a recipe with this batch, and for Tiny ImageNet on a GPU with 224 pixels."""
    from hpml.course.training import recipe_by_name

    resolution = 224 if _at_full_size(data, device) else None
    return dataclasses.replace(recipe_by_name(name), batch=batch, resolution=resolution)


def _at_full_size(data: Dataset, device: str) -> bool:
    """Return whether to use the published sizes of network and pictures."""
    return data.name == "tiny-imagenet" and device.startswith("cuda")


def chosen_data(data: Dataset | str | None) -> Dataset:
    """Return a data set, by its name if it is a string; None is the first one present."""
    from hpml.course.datasets import dataset_by_name, first_present

    if data is None:
        return first_present()
    return dataset_by_name(data) if isinstance(data, str) else data


def train_convnext(
    recipe: str,
    data: Dataset | str | None = None,
    *,
    batch: int = 128,
    seed: int = 0,
    device: str | None = None,
    **options: Any,
) -> Training:
    """Train the network for a data set with a recipe, as ``hpml train`` does."""
    import torch

    from hpml.course.training import train

    pictures = chosen_data(data)
    kind = device or ("cuda" if torch.cuda.is_available() else "cpu")
    return train(
        network_for(pictures, kind, seed=seed),
        pictures,
        recipe_for(recipe, pictures, kind, batch),
        seed=seed,
        device=device,
        **options,
    )


@dataclass(frozen=True)
class TrainResult(CasesResult):
    """The results of the suite, one case per seed."""

    def published(self) -> Table:
        """Return published and measured ratios to vanilla, with the accuracies."""
        block = published(BLOCK)
        rows_published = {MEASURED_AS[row["changes"]]: row for row in block["rows"]}
        vanilla = rows_published[BASELINE]["epoch_s"]
        measured = dict.fromkeys(name for case in self.cases for name in case.comparison.names)
        rows = []
        for name in dict.fromkeys((*rows_published, *measured)):
            row = rows_published.get(name)
            runs = [case.comparison for case in self.cases if name in case.comparison.names]
            rows.append(
                (
                    name,
                    row and row["epoch_s"] / vanilla,
                    row and f"{row['val_accuracy']:.1f} %",
                    statistics.median(c.ratio(name).value for c in runs) if runs else None,
                    _spread(accuracies(self.cases, name)),
                    max(int(c[name].environment["memory"] or 0) for c in runs) if runs else None,
                )
            )
        ratios = dict.fromkeys(["published", "measured here"], "{:.3f}".format)
        return Table(
            ("recipe", "published", "accuracy there", "measured here", "accuracy here", "memory"),
            rows,
            title="Published and measured time per epoch as a multiple of vanilla's",
            caption=f"Published on {block['hardware']}: {block['workload']}; {block['source']}. "
            "Here: the median over the seeds, accuracy as mean and range over "
            f"{len(self.cases)} seed{'s' if len(self.cases) != 1 else ''}; "
            f"{environment_line(self.cases)}. On a CPU, memory is that of the process with all "
            "recipes.",
            formats={**ratios, "memory": format_bytes},
        )

    def plot(self) -> Figure:
        """Draw the accuracy against the time of an epoch, one point per recipe and seed."""
        fig, ax = style.figure(width=8.0, height=4.6)
        for name in self.cases[0].comparison.names:
            times = [case.comparison[name].median for case in self.cases]
            percentages = [100 * value for value in accuracies(self.cases, name)]
            ax.plot(times, percentages, "o", label=name)
        ax.set(xlabel="s per epoch", ylabel="validation accuracy, %", title="Time of an epoch")
        ax.legend()
        style.caption(fig, f"One point per seed. {environment_line(self.cases)}.")
        return fig

    def _shown(self) -> list[Table]:
        return self._tables("ConvNeXt, time per epoch", self.published())


def run(seeds: Sequence[int] = SEEDS, **changes: Any) -> TrainResult:
    """Train with vanilla and the other recipes in interleaved epochs, one case per seed.

    >>> from hpml.course.datasets import digits
    >>> result = run([1], rounds=1, contenders=["bf16"], data=digits().head(64, 20), batch=32)
    >>> result.cases[0].comparison.names
    ('vanilla', 'bf16')
    """
    from hpml.course.training import PUBLISHED, RECIPES

    settings = DEFAULTS.changed(changes)
    on_cpu = (*PUBLISHED, "channels-last", "fused", "everything")
    settings = settings.choose(BASELINE, tuple(RECIPES), None if settings.on_gpu else on_cpu)
    data = chosen_data(settings.data)

    def measure(seed: int) -> Comparison:
        return _trained(data, seed, settings)

    outcome = run_cases(
        "convnext-train",
        "seed",
        seeds,
        measure,
        settings,
        data=data.name,
        pictures=len(data.train),
        batch=settings.batch,
    )
    return TrainResult(outcome.cases, (*outcome.notes, f"Data: {data}."))


def _trained(data: Dataset, seed: int, settings: TrainSettings) -> Comparison:
    """Train one network per recipe, with interleaved epochs."""
    import torch
    from tqdm import tqdm

    from hpml.course.training import Trainer, Training
    from hpml.course.training.loop import memory
    from hpml.course.training.processes import Processes

    before = torch.get_num_threads()
    torch.set_num_threads(settings.threads)
    device = settings.device
    epochs = tqdm(range(settings.rounds), desc=f"seed {seed}", unit="epoch",
                  disable=not settings.progress, dynamic_ncols=True)  # fmt: skip
    try:
        trainers = [
            Trainer(
                network_for(data, device, seed=seed),
                data,
                recipe_for(name, data, device, settings.batch),
                epochs=settings.rounds,
                seed=seed,
                processes=Processes(0, 1, torch.device(device)),
            )
            for name in settings.contenders or ()
        ]
        for trainer in trainers:
            trainer.warm_up()
        rng = random.Random(seed)
        for _ in epochs:
            for trainer in rng.sample(trainers, len(trainers)):
                for _ in trainer.epoch():
                    trainer.memory = max(trainer.memory, memory(trainer.device))
                trainer.validate()
        measurements = tuple(Training.of(trainer).measurement() for trainer in trainers)
        return Comparison(measurements, BASELINE, settings.rounds, seed)
    finally:
        torch.set_num_threads(before)


def accuracies(cases: Sequence[Case], name: str) -> list[float]:
    """Return a recipe's accuracy in each case, from 0 to 1."""
    return [
        float(case.comparison[name].environment["accuracy"] or 0)
        for case in cases
        if name in case.comparison.names
    ]


def _spread(values: Sequence[float]) -> str | None:
    if not values:
        return None
    mean, low, high = (100 * f(values) for f in (statistics.mean, min, max))
    return f"{mean:.1f} % ({low:.1f} to {high:.1f})"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``hpml bench convnext-train``."""
    add_shared_arguments(parser, "convnext-train", run, DEFAULTS, "seeds, one case each")
    parser.add_argument("--data", metavar="NAME", help="digits, tiny-imagenet or a folder")
    parser.add_argument("--batch", type=positive, default=128, metavar="N", help="pictures per "
                        "update (default: %(default)s)")  # fmt: skip
