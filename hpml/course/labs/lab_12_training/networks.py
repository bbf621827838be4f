"""Train lab 12's networks: in turns, with loss scaling, compiled, and in two processes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

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

    from hpml.course.datasets import Dataset
    from hpml.course.models import ConvNeXt
    from hpml.course.training import Recipe, Trainer


def device() -> str:
    """Return the lab's device: a GPU if there is one."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def network(data: Dataset, seed: int = 0) -> ConvNeXt:
    """Return the small ConvNeXt for the images of a data set."""
    from hpml.course.suites.convnext_train import network_for

    return network_for(data, "cpu", seed=seed)


def trainer(
    data: Dataset, recipe: Recipe, epochs: int, seed: int = 0, *, warm: bool = True,
    on: str | None = None,
) -> Trainer:  # fmt: skip
    """Return a trainer, on a GPU if there is one; there Tiny ImageNet gets the large network."""
    import torch

    from hpml.course.suites.convnext_train import network_for, recipe_for
    from hpml.course.training import Trainer
    from hpml.course.training.processes import Processes

    where = on or device()
    processes = Processes(0, 1, torch.device(where))
    model, recipe = network_for(data, where, seed=seed), recipe_for(recipe.name, data, where)
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
    """Train all to the end, step by step in turns, and compare the seconds of an epoch."""
    samples: dict[str, list[float]] = {name: [] for name in trainers}
    names = list(trainers)
    for _ in range(next(iter(trainers.values())).epochs):
        running = {name: _steps(each) for name, each in trainers.items()}
        done = False
        while not done:
            names.reverse()
            for name in names:
                seconds = next(running[name], None)
                done = seconds is None
                if seconds is not None:
                    samples[name].append(seconds * len(trainers[name].batches))
        for each_trainer in trainers.values():
            each_trainer.validate()
    taken = [Measurement(name, tuple(times), 1) for name, times in samples.items()]
    return Comparison(tuple(taken), next(iter(trainers)), len(taken[0].samples))


def kept_bytes(data: Dataset, recipe: Recipe) -> int:
    """Return the bytes that a step's forward keeps for its backward pass, without the weights."""
    import torch

    from hpml.course.suites.convnext_train import network_for, recipe_for
    from hpml.course.training import prepared
    from hpml.profiling import saved_tensors

    where = device()
    recipe = recipe_for(recipe.name, data, where)
    images = prepared(data.train.images[: recipe.batch].to(where), recipe)
    model = network_for(data, where).to(where)
    # Either 16-bit format gives the same number of bytes.
    with torch.autocast(where, torch.bfloat16, enabled=recipe.precision != "float32"):
        return saved_tensors(model, images).total


def batches(data: Dataset, steps: int, size: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield `steps` batches of images and labels, starting over at the end of the data."""
    from hpml.course.training import RECIPES, prepared

    for step in range(steps):
        first = step * size % (len(data.train) - size)
        images = data.train.images[first : first + size]
        yield prepared(images, RECIPES["vanilla"]), data.train.labels[first : first + size]


def gradients(model: nn.Module) -> list[float]:
    """Return the gradients of all weights as one list."""
    import torch

    found = [w.grad for w in model.parameters() if w.grad is not None]
    return list(torch.nn.utils.parameters_to_vector(found).tolist())


def give_gradients(model: nn.Module, numbers: list[float]) -> None:
    """Replace the gradients of all weights by numbers."""
    import torch

    found = [w.grad for w in model.parameters() if w.grad is not None]
    torch.nn.utils.vector_to_parameters(torch.tensor(numbers), found)


def pytorch_scales(data: Dataset, start: float, interval: int, steps: int) -> list[float]:
    """Return the scale at each step of a float16 training with PyTorch's GradScaler."""
    import torch

    model, scales = network(data), []
    optimiser = torch.optim.AdamW(model.parameters(), 2e-3)
    scaler = torch.amp.GradScaler("cpu", init_scale=start, growth_interval=interval)
    for images, labels in batches(data, steps, size=32):
        with torch.autocast("cpu", torch.float16):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
        scales.append(scaler.get_scale())
        torch.autograd.backward(scaler.scale(loss))
        scaler.step(optimiser)
        scaler.update()
        optimiser.zero_grad()
    return scales


def networks() -> dict[str, nn.Module]:
    """Return both networks, for images of 64 pixels."""
    from hpml.course.models import ToyResNet, convnext

    toy = ToyResNet(64, 20).train()
    return {"small ConvNeXt": convnext("small", 20), "toy ResNet": toy}


def step_of(model: Callable[..., Tensor]) -> Callable[[], None]:
    """Return a function that runs forward and backward on 16 images of 64 pixels."""
    import torch

    generator = torch.Generator().manual_seed(0)
    images, labels = torch.randn(16, 3, 64, 64, generator=generator), torch.arange(16)

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
            runs = {name: step_of(model), f"{name}, compiled": step_of(torch.compile(model))}
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
