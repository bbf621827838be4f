"""The suite `convnext-train`: the time of an epoch with each recipe, and the accuracy.

With the text ``austen`` it trains the transformer of characters in place of the ConvNeXt.

Each recipe trains a copy of the same network. Their epochs are interleaved like the rounds of other
suites; a sample is an epoch without validation and compilation, and a case is a seed. The published
training (Tiny ImageNet at 224 pixels) needs a GPU; otherwise a small network learns the digits.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import random
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

from hpml.base import accelerator, style
from hpml.base.child_process import with_package
from hpml.base.tables import Table, format_bytes
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.saved.record import Case
from hpml.course.files import published
from hpml.course.suites.running import CasesResult, environment_line, run_cases
from hpml.course.suites.settings import Settings, SuiteError, number, option
from hpml.course.suites.suite import Suite

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hpml.course.datasets import Dataset, Text
    from hpml.course.models import CharacterTransformer, ConvNeXt
    from hpml.course.training import Recipe, Training

SEEDS = (1, 2, 3)
BASELINE = "vanilla"
CONTROL = "vanilla again"
"""The recipe with the baseline's settings, whose ratio should include 1."""
BLOCK = "convnext_training"
BATCHES = {"image": 128, "window": 8}
"""The batch of a recipe by what the data set has."""
_FULL_SIZE = 96 * 2**20
"""Bytes for each picture of 224 pixels: 6 to 12 GB for a batch of 128."""
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

    rounds: int = number(6, "epochs of each recipe, interleaved")
    data: Dataset | Text | str | None = option(  # noqa: RUF009 - a field, immutable
        None, "digits, austen, tiny-imagenet or a folder", metavar="NAME"
    )
    batch: int | None = number(
        None, "pictures or windows per update (default: 128 pictures, 8 windows)"
    )  # see recipe_for
    memory: bool = True  # measure each recipe's memory, in a process of its own


DEFAULTS = TrainSettings()


@overload
def network_for(data: Dataset, device: str, seed: int = 0) -> ConvNeXt: ...
@overload
def network_for(data: Text, device: str, seed: int = 0) -> CharacterTransformer: ...
@overload
def network_for(
    data: Dataset | Text, device: str, seed: int = 0
) -> ConvNeXt | CharacterTransformer: ...
def network_for(
    data: Dataset | Text, device: str, seed: int = 0
) -> ConvNeXt | CharacterTransformer:
    """Return the network for a data set: the transformer for a text, a ConvNeXt for pictures.

    The ConvNeXt is the large one for Tiny ImageNet on a GPU.
    """
    from hpml.course.datasets import Text
    from hpml.course.models import CharacterTransformer, convnext

    if isinstance(data, Text):
        return CharacterTransformer(len(data.classes), data.context, seed=seed)
    large = _at_full_size(data, device)
    return convnext(
        "tiny-imagenet" if large else "small",
        len(data.classes),
        channels=data.channels,
        patch=4 if large else 8 if data.resolution >= 32 else 2,
        seed=seed,
    )


def recipe_for(name: str, data: Dataset | Text, device: str, batch: int | None = None) -> Recipe:
    """Return a recipe with this batch, and for Tiny ImageNet on a GPU with 224 pixels.

    The default batch is 128 pictures, or 8 windows of a text: as many characters as fill a core.

    Where such a batch would need more than a third of the GPU's free memory, its gradients are
    computed in parts, which are added: the same update in more launches. A recipe that adds parts
    itself divides each of them, unless the batch cannot be divided so often.
    """
    from hpml.course.training import recipe_by_name

    if batch is None:
        batch = BATCHES[data.unit]
    recipe = dataclasses.replace(recipe_by_name(name), batch=batch)
    if not _at_full_size(data, device):
        return recipe
    most, parts = _most_memory(device), 1
    while most is not None and batch % (2 * parts) == 0 and _FULL_SIZE * batch / parts > most:
        parts *= 2
    divided = parts * recipe.accumulate
    if batch % divided and parts > 1:
        divided = parts
    return dataclasses.replace(recipe, resolution=224, accumulate=divided)


@functools.cache
def _most_memory(device: str) -> float | None:
    """Return a third of a GPU's free memory in bytes, or None if unknown.

    The rest is for the networks of other recipes and for what PyTorch keeps. Only the first answer
    counts, so that all recipes of a process have equal parts.
    """
    free = accelerator.free_memory(device)
    known = accelerator.total_memory(device) if free is None else free
    return None if known is None else known / 3


def _at_full_size(data: Dataset | Text, device: str) -> bool:
    """Return whether to use the published sizes of network and pictures."""
    return data.name == "tiny-imagenet" and device != "cpu"


def chosen_data(data: Dataset | Text | str | None) -> Dataset | Text:
    """Return a data set, by its name if it is a string; None is the first one present."""
    from hpml.course.datasets import dataset_by_name, first_present

    if data is None:
        return first_present()
    return dataset_by_name(data) if isinstance(data, str) else data


def train_network(
    recipe: str,
    data: Dataset | Text | str | None = None,
    *,
    batch: int | None = None,
    seed: int = 0,
    device: str | None = None,
    accumulate: int | None = None,
    **options: Any,
) -> Training:
    """Train the network for a data set with a recipe, as ``hpml train`` does.

    `batch` is by default as in `recipe_for`.
    `accumulate` is the number of parts of a batch, by default as in `recipe_for`.
    """
    from hpml.course.training import train

    examples = chosen_data(data)
    kind = device or accelerator.kind() or "cpu"
    chosen = recipe_for(recipe, examples, kind, batch)
    if accumulate is not None:
        chosen = replace(chosen, accumulate=accumulate)
    return train(
        network_for(examples, kind, seed=seed),
        examples,
        chosen,
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
                    _most(runs, name, "memory"),
                    _most(runs, name, "reserved"),
                )
            )
        ratios = dict.fromkeys(["published", "measured here"], "{:.3f}".format)
        return Table(
            ("recipe", "published", "accuracy there", "measured here", "accuracy here", "memory",
             "reserved"),
            rows,
            title="Published and measured time per epoch as a multiple of vanilla's",
            caption=f"Published on {block['hardware']}: {block['workload']}; {block['source']}. "
            "Here: the median over the seeds, accuracy as mean and range over "
            f"{len(self.cases)} seed{'s' if len(self.cases) != 1 else ''}; "
            f"{environment_line(self.cases)}. Memory: the peak of tensors on a GPU, of a "
            "process on a CPU; reserved: what PyTorch requested from the GPU, with what recorded "
            "graphs keep. Each recipe in a process of its own.",
            formats={**ratios, "memory": format_bytes, "reserved": format_bytes},
        )  # fmt: skip

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

    @property
    def network(self) -> str:
        """The name of the network that was trained."""
        text = self.cases[0].parameters.get("data") == "austen"
        return "transformer of characters" if text else "ConvNeXt"

    def control(self) -> Table:
        """Return whether the interval of "vanilla again" contains 1, for each seed."""
        rows = []
        for case in self.cases:
            if CONTROL in case.comparison.names:
                ratio = case.comparison.ratio(CONTROL)
                holds = "yes" if ratio.low <= 1 <= ratio.high else "no"
                rows.append([case.parameters["seed"], ratio.with_interval, holds])
        return Table(
            ["seed", f"{CONTROL} / vanilla", "contains 1"],
            rows,
            title="Control: the same settings a second time",
            caption="Where the interval does not contain 1, noise is larger than the intervals "
            "say: no ratio as near to 1 as this one means anything.",
        )

    def _shown(self) -> list[Table]:
        tables = self._tables(f"{self.network}, time per epoch", self.control())
        if self.network == "ConvNeXt":
            tables += [self.published()]
        return tables


def run(seeds: Sequence[int] = SEEDS, **changes: Any) -> TrainResult:
    """Train with vanilla and the other recipes in interleaved epochs, one case per seed.

    >>> from hpml.course.datasets import digits
    >>> small = digits().head(64, 20)
    >>> result = run([1], rounds=1, contenders=["bf16"], data=small, batch=32, memory=False)
    >>> result.cases[0].comparison.names
    ('vanilla', 'bf16')
    """
    from hpml.course.training import PUBLISHED, RECIPES

    settings = DEFAULTS.changed(changes)
    data = chosen_data(settings.data)
    on_cpu: tuple[str, ...] = ("vanilla", CONTROL, "compile", "bf16", "compile+bf16", "fused")
    if data.unit == "image":
        on_cpu = ("vanilla", CONTROL, *PUBLISHED[1:], "channels-last", "fused", "everything")
    impossible = _impossible(data, settings) if settings.on_gpu else {}
    possible = [name for name in RECIPES if name not in impossible]
    if data.unit != "image":
        possible.remove("channels-last")
    usual = possible if settings.on_gpu else on_cpu
    settings = settings.choose(BASELINE, tuple(RECIPES), usual)

    @functools.cache
    def kept() -> dict[str, dict[str, int | None]]:
        # The same for all seeds, and measured before a network is in this process's memory.
        names = settings.contenders or ()
        return {n: memory_of(n, data, settings) if settings.memory else {} for n in names}

    def measure(seed: int) -> Comparison:
        return _trained(data, seed, settings, kept())

    outcome = run_cases(
        "convnext-train",
        "seed",
        seeds,
        measure,
        settings,
        data=data.name,
        examples=data.epoch_size,
        batch=settings.batch or BATCHES[data.unit],
    )
    left_out = [why for name, why in impossible.items() if name not in (settings.contenders or ())]
    return TrainResult(outcome.cases, (*outcome.notes, f"Data: {data}.", *left_out))


SUITE = Suite("convnext-train", run, DEFAULTS, "seeds, one case each")


def _impossible(data: Dataset | Text, settings: TrainSettings) -> dict[str, str]:
    """Return the recipes that the device refuses, with the reason."""
    import torch

    from hpml.course.training import RECIPES, TrainingError

    found = {}
    for name in RECIPES:
        try:
            recipe = recipe_for(name, data, settings.device, settings.batch)
            recipe.check(torch.device(settings.device), 1)
        except TrainingError as error:
            found[name] = f"{name} needs {error.expected}."
    return found


def _trained(
    data: Dataset | Text,
    seed: int,
    settings: TrainSettings,
    kept: Mapping[str, Mapping[str, int | None]],
) -> Comparison:
    """Train one network per recipe, with interleaved epochs; `kept` is the memory of each."""
    import torch
    from tqdm import tqdm

    from hpml.course.training import Trainer, Training, memory_suffices
    from hpml.course.training.processes import Processes

    before = torch.get_num_threads()
    torch.set_num_threads(settings.threads)
    device = settings.device
    epochs = tqdm(
        range(settings.rounds),
        desc=f"seed {seed}",
        unit="epoch",
        disable=not settings.progress,
        dynamic_ncols=True,
    )
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
            with memory_suffices(trainer.device, trainer.recipe):
                trainer.warm_up()
        rng = random.Random(seed)
        for _ in epochs:
            for trainer in rng.sample(trainers, len(trainers)):
                with memory_suffices(trainer.device, trainer.recipe):
                    for _ in trainer.epoch():
                        pass
                    trainer.validate()
        measured = [Training.of(trainer).measurement() for trainer in trainers]
        measured = [
            replace(one, environment={**one.environment, **kept[one.name]}) for one in measured
        ]
        return Comparison(tuple(measured), BASELINE, settings.rounds, seed)
    finally:
        torch.set_num_threads(before)


def _most(runs: Sequence[Comparison], name: str, what: str) -> int | None:
    """Return the largest memory of a recipe in bytes, or None if it was not measured."""
    return max((int(run[name].environment.get(what) or 0) for run in runs), default=0) or None


def memory_of(recipe: str, data: Dataset | Text, settings: TrainSettings) -> dict[str, int | None]:
    """Return the peak memory in bytes of a training with a recipe, in a process of its own.

    ``memory`` is what its tensors take on a GPU, and the whole process on a CPU; ``reserved`` is
    what PyTorch has requested from a GPU, with the private pools of recorded graphs. Both are None
    for a GPU whose peaks torch does not know.
    """
    accelerator.free_cached()  # the child needs what this process no longer uses
    name = settings.data if isinstance(settings.data, str) else data.name
    # As many parts as here, whatever is free there.
    told = recipe_for(recipe, data, settings.device, settings.batch)
    asked = json.dumps(
        [recipe, name, settings.device, told.batch, told.accumulate, settings.threads]
    )
    child = (
        "import json, sys; from hpml.course.suites.convnext_train import _memory_here; "
        "print(json.dumps(_memory_here(*json.loads(sys.argv[1]))))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", child, asked],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=with_package(),
        check=False,
    )
    if done.returncode:
        last_line = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SuiteError(
            object=f"memory of {recipe}",
            expected="a training of some steps in a process of its own",
            received=f"one that failed with {last_line[:200]}",
            remedy="Leave the recipe out, or use memory=False.",
        )
    found: dict[str, int | None] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _memory_here(
    name: str, data_name: str, device: str, batch: int, parts: int, threads: int, steps: int = 3
) -> dict[str, int | None]:
    """Train some steps in this process after a warm-up, and return its peak memory."""
    import torch

    from hpml.course.training import Trainer
    from hpml.course.training.loop import memory
    from hpml.course.training.processes import processes

    torch.set_num_threads(threads)
    whole = chosen_data(data_name)
    # An epoch of these steps, because a GPU's memory is read at its end.
    data = whole.head(steps * batch, len(whole.validation))
    recipe = replace(recipe_for(name, data, device, batch), accumulate=parts)
    with processes(device) as joined:
        model = network_for(data, device)
        trainer = Trainer(model, data, recipe, epochs=1, processes=joined)
        trainer.warm_up()
        most = 0
        for _ in trainer.epoch():
            most = max(most, memory(joined.device) or 0)
        peak = accelerator.peak_memory(joined.device)
    return {"memory": most or None, "reserved": None if peak is None else peak.reserved}


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
