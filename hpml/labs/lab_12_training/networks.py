"""The networks that lab 12 trains, and their trainings step by step in turns."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hpml.benchmark import Comparison, Measurement

if TYPE_CHECKING:
    from hpml.datasets import Dataset
    from hpml.models import ConvNeXt
    from hpml.training import Recipe, Trainer


def device() -> str:
    """Return where the lab trains: a GPU if there is one."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def network(data: Dataset, seed: int = 0) -> ConvNeXt:
    """Return the small ConvNeXt for a data set's pictures."""
    from hpml.suites.convnext_train import network_for

    return network_for(data, "cpu", seed=seed)


def trainer(
    data: Dataset, recipe: Recipe, epochs: int, seed: int = 0, *, warm: bool = True,
    on: str | None = None,
) -> Trainer:  # fmt: skip
    """Return a training, on a GPU if there is one: of Tiny ImageNet there at the full size."""
    import torch

    from hpml.suites.convnext_train import network_for, recipe_for
    from hpml.training import Trainer
    from hpml.training.processes import Processes

    where = on or device()
    here = Processes(0, 1, torch.device(where))
    model, recipe = network_for(data, where, seed=seed), recipe_for(recipe.name, data, where)
    made = Trainer(model, data, recipe, epochs=epochs, seed=seed, processes=here)
    if warm:
        made.warm_up()
    return made


def step_seconds(one: Trainer) -> list[float]:
    """Train to the end; return what each step took, or several where a GPU is looked at less."""
    seconds: list[float] = []
    for _ in range(one.epochs):
        for _ in one.epoch():
            seconds.append(sum(one.seconds) - sum(seconds))
    return seconds


def in_turns(trainers: Mapping[str, Trainer]) -> Comparison:
    """Train all of them to their end, a step of each in turn; return the seconds of an epoch.

    A sample is a step, or several where a GPU is looked at less often, times the steps of an epoch.
    """
    samples: dict[str, list[float]] = {name: [] for name in trainers}
    names = list(trainers)
    for _ in range(next(iter(trainers.values())).epochs):
        running = {name: each.epoch() for name, each in trainers.items()}
        done = False
        while not done:
            names.reverse()
            for name in names:
                one = trainers[name]
                before, steps = sum(one.seconds), one.step
                with contextlib.suppress(StopIteration):
                    next(running[name])
                done = one.step == steps
                if not done:
                    each = (sum(one.seconds) - before) / (one.step - steps)
                    samples[name].append(each * len(one.batches))
        for each_trainer in trainers.values():
            each_trainer.validate()
    taken = [Measurement(name, tuple(times), 1) for name, times in samples.items()]
    return Comparison(tuple(taken), next(iter(trainers)), len(taken[0].samples))


def kept_bytes(data: Dataset, recipe: Recipe) -> int:
    """Return what a step's forward keeps for its backward pass, beside the weights."""
    import torch

    from hpml.profiling import saved_tensors
    from hpml.suites.convnext_train import network_for, recipe_for
    from hpml.training import prepared

    where = device()
    recipe = recipe_for(recipe.name, data, where)
    images = prepared(data.train.images[: recipe.batch].to(where), recipe)
    model = network_for(data, where).to(where)
    # Of the two formats of 16 bits it is the same which: the bytes are equal.
    with torch.autocast(where, torch.bfloat16, enabled=recipe.precision != "float32"):
        return saved_tensors(model, images).total
