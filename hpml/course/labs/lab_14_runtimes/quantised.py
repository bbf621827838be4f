"""A small network for digits: trained, rounded to fewer bits, and run in integers."""

from __future__ import annotations

import copy
import itertools
import platform
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from hpml.base.charts import Line, lines, show
from hpml.base.page import Page, put, say
from hpml.base.tables import Table
from hpml.benchmark import Comparison
from hpml.course.lesson.racing import race
from hpml.course.this_run import quick
from hpml.jit import why_not_inductor

if TYPE_CHECKING:
    from torch import Tensor, nn


Quantise = Callable[[list[float], int], tuple[list[int], float]]
BATCH = 256


@cache
def images() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return images of 64 numbers and labels for training, then the same for validation."""
    from hpml.course.datasets import digits

    data = digits()
    train, validation = (
        (each.images.flatten(1) / 255, each.labels) for each in (data.train, data.validation)
    )
    return *train, *validation


def trained(seed: int, model: nn.Module | None = None, epochs: int = 8) -> nn.Module:
    """Train a new network, or train `model` further, and return it."""
    import torch
    from torch import nn

    x, labels, _, _ = images()
    generator = torch.Generator().manual_seed(seed)
    if model is None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = nn.Sequential(
                nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
            )
    optimiser = torch.optim.Adam(model.parameters(), 1e-3)
    for _ in range(epochs):
        order = torch.randperm(len(x), generator=generator)
        for start in range(0, len(x), 64):
            batch = order[start : start + 64]
            optimiser.zero_grad()
            torch.autograd.backward(nn.functional.cross_entropy(model(x[batch]), labels[batch]))
            optimiser.step()
    return model


def accuracy(model: Callable[[Tensor], Any]) -> float:
    """Return the share of the validation digits that is recognised."""
    import torch

    _, _, x, labels = images()
    with torch.no_grad():
        return float((model(x).argmax(1) == labels).float().mean())


def rounded(model: nn.Module, quantise: Quantise, bits: int, together: int | str) -> nn.Module:
    """Return a copy whose weights are quantised and converted back.

    The scale is for a ``"matrix"``, for a ``"row"`` of it, or for so many weights of a row.
    """
    import torch
    from torch import nn

    model = copy.deepcopy(model)
    for layer in model.modules():
        if isinstance(layer, nn.Linear):
            weight = layer.weight.detach()
            sizes = {"matrix": weight.numel(), "row": weight.shape[1]}
            size = sizes[together] if isinstance(together, str) else together
            back = []
            for group in weight.reshape(-1, size).tolist():
                integers, scale = quantise(group, bits)
                back.append(scale * torch.tensor(integers, dtype=torch.float32))
            layer.weight.data = torch.stack(back).reshape(weight.shape)
    return model


def draw_accuracy(found: Mapping[str, Mapping[int, float]], full: float) -> Page:
    """Draw the share of digits that is not recognised, by bits, a line for each variant."""
    fewest = 0.5 / len(images()[3])  # none missed is drawn as half a digit, as 0 has no logarithm
    drawn = []
    # Different dashes keep equal lines visible.
    for form, (variant, by_bits) in zip(itertools.cycle(("-", "--", ":")), found.items()):
        missed = [100 * max(1 - share, fewest) for share in by_bits.values()]
        texts = ", ".join(f"{b} bits {100 * s:.1f} %" for b, s in by_bits.items())
        drawn.append(Line(variant, list(by_bits), missed, form, marker="o", text=texts))
    chart = lines(
        drawn,
        title="Digits that are not recognised",
        x="bits per weight",
        y="missed, %",
        log="y",
        level=[100 * max(1 - full, fewest)],
    )
    caption = f"Logarithmic. Grey: with 32-bit floats, {100 * (1 - full):.1f} %."
    text = f"Digits recognised. {chart.text} With 32-bit floats {100 * full:.1f} %."
    return show(chart, caption=caption, text=text)


def in_integers(seeds: Sequence[int]) -> dict[str, list[nn.Module]]:
    """Return a network per seed in floats and, with torchao, in three integer variants."""
    from hpml.course.runtimes import RuntimesError, int8, int8_missing

    x, _, _, _ = images()
    batches = [x[start : start + BATCH] for start in range(0, 4 * BATCH, BATCH)]
    found: dict[str, list[nn.Module]] = {"floats": [trained(seed).eval() for seed in seeds]}
    if quick() or int8_missing():
        return found
    for way in ("dynamic", "static", "aware"):
        found[way] = []
        for seed, model in zip(seeds, found["floats"], strict=True):
            train = partial(trained, seed, epochs=2)
            try:
                quantised = int8(model, batches[0], way, calibration=batches, train=train)
            except RuntimesError as error:  # torchao does not work here
                put(say(f"Integers are left out: {error}"), uuid.uuid4().hex)
                return {"floats": found["floats"]}
            found[way].append(quantised)
    return found


def race_integers(found: Mapping[str, Sequence[nn.Module]]) -> Comparison | Page:
    """Compare the first network of each variant, compiled, or say why that is left out."""
    from hpml.course.runtimes import compile_int8, int8_missing

    if len(found) == 1 and quick():
        return say("A short run leaves out integers.")
    if len(found) == 1:
        return say(f"Integers are left out: {(int8_missing() or 'see above').rstrip('.')}.")
    if reason := why_not_inductor():
        return say(f"Integer kernels are left out: PyTorch cannot compile here, because {reason}.")
    batch = images()[0][:BATCH]
    ready = {way: compile_int8(models[0], batch) for way, models in found.items()}
    return race({way: partial(run, batch) for way, run in ready.items()})


def integer_table(found: Mapping[str, Sequence[nn.Module]], raced: Comparison | Page) -> Table:
    """Return the accuracy, size and time of each variant."""
    from hpml.course.runtimes import weight_bytes

    size = weight_bytes(found["floats"][0])
    rows: list[list[object]] = []
    for way, models in found.items():
        right = [100 * accuracy(model) for model in models]
        spread = f"{min(right):.1f} to {max(right):.1f} %"
        time = "not compiled"
        if isinstance(raced, Comparison):
            time = "1" if way == "floats" else str(raced.ratio(way))
        rows.append([way, spread, f"{weight_bytes(models[0]) / size:.2f}", time])
    caption = f"Networks: {len(found['floats'])}. Times: batches of {BATCH}, one thread, compiled."
    if len(found) > 1 and (machine := platform.machine()) not in ("x86_64", "AMD64"):
        caption += f" They are quantised for x86 processors, and this one is {machine}."
    columns = ["weights and activations", "recognised", "size / floats", "time / floats"]
    return Table(columns, rows, caption=caption)
