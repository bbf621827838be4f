"""Train lab 12's networks: in turns, with loss scaling, compiled, and in two processes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from hpml.base import accelerator
from hpml.base.child_process import ChildError, ChildProcess
from hpml.base.page import Page, say
from hpml.base.tables import Table
from hpml.benchmark import Comparison, Measurement
from hpml.course.files import recorded
from hpml.course.lesson.racing import race
from hpml.course.this_run import quick

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from hpml.course.datasets import Dataset, Text
    from hpml.course.models import ConvNeXt
    from hpml.course.training import Recipe, Trainer


def device() -> str:
    """Return the lab's device: an accelerator if there is one."""
    return accelerator.kind() or "cpu"


def epochs() -> int:
    """Return the epochs of a training: more on a GPU, where an epoch may be a single sample."""
    if device() == "cpu":
        return 1 if quick() else 3
    return 6 if quick() else 12


def network(data: Dataset, seed: int = 0) -> ConvNeXt:
    """Return the small ConvNeXt for the images of a data set, on the lab's device."""
    from hpml.course.suites.convnext_train import network_for

    return network_for(data, "cpu", seed=seed).to(device())


def trainer(
    data: Dataset | Text,
    recipe: Recipe,
    epochs: int,
    seed: int = 0,
    *,
    warm: bool = True,
    on: str | None = None,
    batch: int | None = None,
) -> Trainer:
    """Return a trainer, on a GPU if there is one; there Tiny ImageNet gets the large network.

    A text is for the transformer. The default batch is that of `recipe_for`.
    """
    import torch

    from hpml.course.suites.convnext_train import network_for, recipe_for
    from hpml.course.training import Trainer, memory_suffices
    from hpml.course.training.processes import Processes

    where = on or device()
    processes = Processes(0, 1, torch.device(where))
    model, recipe = network_for(data, where, seed=seed), recipe_for(recipe.name, data, where, batch)
    with memory_suffices(processes.device, recipe):
        created = Trainer(model, data, recipe, epochs=epochs, seed=seed, processes=processes)
        if warm:
            created.warm_up()
    return created


def step_seconds(one: Trainer) -> list[float]:
    """Train to the end, and return the seconds of each step."""
    return [seconds for _ in range(one.epochs) for seconds in _steps(one)]


def _steps(one: Trainer) -> Iterator[float]:
    """Train for an epoch, and yield the seconds of a step, on a GPU the mean between two syncs."""
    before, step = sum(one.seconds), one.step
    for _ in one.epoch():
        yield (sum(one.seconds) - before) / (one.step - step)
        before, step = sum(one.seconds), one.step


def in_turns(trainers: Mapping[str, Trainer]) -> Comparison:
    """Train all to the end, step by step in turns, and compare the seconds of an epoch.

    Where batches differ in size, a turn has as many steps as its network needs for as many examples
    as the largest batch has.
    """
    from hpml.course.training import memory_suffices

    samples: dict[str, list[float]] = {name: [] for name in trainers}
    names = list(trainers)
    turns = min(len(each.batches) for each in trainers.values())
    # On a GPU a turn ends where the losses are read.
    steps = {
        name: len(each.batches) // turns if each.device.type == "cpu" else 1
        for name, each in trainers.items()
    }
    for _ in range(next(iter(trainers.values())).epochs):
        running = {name: _steps(each) for name, each in trainers.items()}
        done = False
        while not done:
            names.reverse()
            for name in names:
                with memory_suffices(trainers[name].device, trainers[name].recipe):
                    taken_now = list(islice(running[name], steps[name]))
                done = len(taken_now) < steps[name]
                if not done:
                    mean = sum(taken_now) / steps[name]
                    samples[name].append(mean * len(trainers[name].batches))
        for each_trainer in trainers.values():
            each_trainer.validate()
    taken = [Measurement(name, tuple(times), 1) for name, times in samples.items()]
    return Comparison(tuple(taken), next(iter(trainers)), len(taken[0].samples))


def kept_bytes(data: Dataset, recipe: Recipe) -> int:
    """Return the bytes that a forward keeps for its backward pass, without the weights.

    On a GPU with too little memory a step has several forwards, each with a part of the batch.
    """
    import torch

    from hpml.course.suites.convnext_train import network_for, recipe_for
    from hpml.course.training import prepared
    from hpml.profiling import saved_tensors

    where = device()
    recipe = recipe_for(recipe.name, data, where)
    images = data.train.images[: recipe.batch // recipe.accumulate]
    images = prepared(images.to(where), recipe)
    model = network_for(data, where).to(where)
    # Either 16-bit format gives the same number of bytes.
    with torch.autocast(where, torch.bfloat16, enabled=recipe.precision != "float32"):
        return saved_tensors(model, images).total


def batches(
    data: Dataset, steps: int, size: int, where: str | None = None
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield `steps` batches on the lab's device, starting over at the end of the data."""
    from hpml.course.training import RECIPES, prepared

    where = where or device()
    for step in range(steps):
        first = step * size % (len(data.train) - size)
        images = prepared(data.train.images[first : first + size].to(where), RECIPES["vanilla"])
        yield images, data.train.labels[first : first + size].to(where)


def gradients(model: nn.Module) -> list[float]:
    """Return the gradients of all weights as one list."""
    import torch

    found = [w.grad for w in model.parameters() if w.grad is not None]
    return list(torch.nn.utils.parameters_to_vector(found).tolist())


def give_gradients(model: nn.Module, numbers: list[float]) -> None:
    """Replace the gradients of all weights by numbers."""
    import torch

    found = [w.grad for w in model.parameters() if w.grad is not None]
    torch.nn.utils.vector_to_parameters(torch.tensor(numbers, device=device()), found)


def pytorch_scales(data: Dataset, start: float, interval: int, steps: int) -> list[float]:
    """Return the scale at each step of a float16 training with PyTorch's GradScaler."""
    import torch

    # The scaler divides in float64, which some GPUs lack.
    where = device() if accelerator.can("scaler", device()) else "cpu"
    model, scales = network(data).to(where), []
    optimiser = torch.optim.AdamW(model.parameters(), 2e-3)
    scaler = torch.amp.GradScaler(where, init_scale=start, growth_interval=interval)
    for images, labels in batches(data, steps, 32, where):
        with torch.autocast(where, torch.float16):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
        scales.append(scaler.get_scale())
        torch.autograd.backward(scaler.scale(loss))
        scaler.step(optimiser)
        scaler.update()
        optimiser.zero_grad()
    return scales


def networks() -> dict[str, nn.Module]:
    """Return both networks, for images of 64 pixels, on the lab's device."""
    from hpml.course.models import ToyResNet, convnext

    both = {"small ConvNeXt": convnext("small", 20), "toy ResNet": ToyResNet(64, 20).train()}
    return {name: model.to(device()) for name, model in both.items()}


def step_of(model: Callable[..., Tensor]) -> Callable[[], None]:
    """Return a function that runs forward and backward on 16 images of 64 pixels."""
    import torch

    generator = torch.Generator().manual_seed(0)
    images = torch.randn(16, 3, 64, 64, generator=generator).to(device())
    labels = torch.arange(16, device=device())

    def step() -> None:
        torch.autograd.backward(torch.nn.functional.cross_entropy(model(images), labels))

    return step


def outside_products() -> Table:
    """Return the number of operators of a step that are neither products nor convolutions."""
    from hpml.profiling import work_of

    rows = []
    for name, model in networks().items():
        done = work_of(step_of(model)).operations
        others = sum(not re.search(r"conv|mm$", each) for each in done)
        rows.append([name, len(done), others, f"{others / len(done):.0%}"])
    return Table(["network", "operators of a step", "others", "share of others"], rows)


def compiled_steps(run: bool) -> Page:
    """Report the effect of `torch.compile` on a step of both networks, measured or recorded."""
    if run:
        import torch

        texts = []
        for name, model in networks().items():
            # After other sizes in this process, Inductor would compile for sizes that vary.
            compiled = torch.compile(model, dynamic=False)
            runs = {name: step_of(model), f"{name}, compiled": step_of(compiled)}
            texts.append(race(runs).in_words(f"{name}, compiled"))
        return say("; ".join(texts) + ".")
    found = recorded("training")
    ratios = found["a step, compiled / before, on 16 pictures of 64 pixels [middle, low, high]"]
    steps = "; one ".join(
        f"of the {name} takes **{middle:.2f}** times as long as before ({low:.2f} to {high:.2f})"
        for name, (middle, low, high) in ratios.items()
    )
    return say(f"Recorded on {found['machine']}: once compiled, a step {steps}.")


SCRIPT = """\
import json, os, torch
from hpml.course.datasets import digits
from hpml.course.labs.lab_12_training.networks import network
from hpml.course.training import RECIPES, train

torch.set_num_threads(1)
data = digits()
result = train(network(data), data, RECIPES["vanilla"], epochs=1, device="cpu")
if os.environ.get("RANK", "0") == "0":
    print(json.dumps(result.losses))
"""


def two_processes() -> Table | Page:
    """Train the digits for an epoch in one and in two processes, and return the losses."""
    if quick():
        return say("A short run leaves out the two processes.")
    one = [sys.executable, "-c", SCRIPT]
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
    rows: list[list[object]] = []
    two = [*torchrun, "2", "--no-python", *one]
    for name, command in {"one process": one, "two processes, by torchrun": two}.items():
        child = ChildProcess(command, environment=os.environ | {"OMP_NUM_THREADS": "1"})
        try:
            losses = child.receive(seconds=240)
        except ChildError as error:
            return say(f"Training in {name} failed here. {error}")
        finally:
            child.close()
        rows.append([name, losses[0], losses[-1]])
    columns = ["", "first loss", "last loss"]
    return Table(columns, rows, formats=dict.fromkeys(columns[1:], "{:.6f}".format))
