"""What a compiler can fuse in two networks, and what it gains: the document's remark."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from hpml.base.files import data_file
from hpml.base.page import Page, say
from hpml.base.tables import Table
from hpml.course.racing import race

if TYPE_CHECKING:
    from torch import Tensor, nn

_PRODUCTS = re.compile(r"conv|mm$")


def networks() -> dict[str, nn.Module]:
    """Return both networks, for pictures of 64 pixels."""
    from hpml.models import ToyResNet, convnext, toy_resnet_layers

    toy = ToyResNet(toy_resnet_layers(64, 20)).train()
    return {"small ConvNeXt": convnext("small", 20), "toy ResNet": toy}


def step_of(model: Callable[..., Tensor]) -> Callable[[], None]:
    """Return forward and backward on a few pictures of 64 pixels."""
    import torch

    from hpml.datasets import procedural
    from hpml.training import RECIPES, prepared

    data = procedural(16, 1).train
    images = prepared(data.images, RECIPES["vanilla"])

    def step() -> None:
        torch.autograd.backward(torch.nn.functional.cross_entropy(model(images), data.labels))

    return step


def outside_products() -> Table:
    """Return how many operators of a step are neither products nor convolutions.

    >>> table = outside_products()
    >>> table.column("others") < table.column("operators of a step")
    True
    """
    from hpml.profiling import work_of

    rows = []
    for name, model in networks().items():
        done = work_of(step_of(model)).operations
        others = sum(not _PRODUCTS.search(each) for each in done)
        rows.append([name, len(done), others, f"{others / len(done):.0%}"])
    return Table(["network", "operators of a step", "others", "share of others"], rows)


def compiled_steps(run: bool) -> Page:
    """Say what `torch.compile` does to a step of both networks: measured if asked, else recorded.

    >>> compiled_steps(False).plain.startswith("Recorded on")
    True
    """
    if run:
        import torch

        said = []
        for name, model in networks().items():
            ways = {name: step_of(model), f"{name}, compiled": step_of(torch.compile(model))}
            said.append(race(ways).in_words(f"{name}, compiled"))
        return say("; ".join(said) + ".")
    found = json.loads(data_file("recorded/training.json").read_text(encoding="utf-8"))
    ratios = found["a step, compiled / before, on 16 pictures of 64 pixels [middle, low, high]"]
    told = "; ".join(
        f"of the {name} **{middle:.2f}** times as long as before ({low:.2f} to {high:.2f})"
        for name, (middle, low, high) in ratios.items()
    )
    return say(f"Recorded on {found['machine']}: compiled, a step took {told}.")
