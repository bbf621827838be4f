"""The pictures of lab 12: where parameters are, how large numbers are, how a scale moves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.old_charts import Bar, bars, name_rows
from hpml.base.page import Page, picture

if TYPE_CHECKING:
    import torch
    from torch import nn

KINDS = ("7 × 7 convolutions", "linear layers", "other convolutions", "normalisations")


def _kind(layer: nn.Module) -> str:
    from torch import nn

    if isinstance(layer, nn.Conv2d):
        return KINDS[0] if layer.groups > 1 else KINDS[2]
    return KINDS[1] if isinstance(layer, nn.Linear) else KINDS[3]


def shares(model: nn.Module) -> dict[str, float]:
    """Return the share of the parameters in each kind of layer.

    >>> from hpml.models import convnext
    >>> found = shares(convnext("small"))
    >>> list(found) == list(KINDS), round(sum(found.values()), 6)
    (True, 1.0)
    """
    found = dict.fromkeys(KINDS, 0.0)
    for layer in model.modules():
        own = sum(weight.numel() for weight in layer.parameters(recurse=False))
        if own:
            found[_kind(layer)] += own
    whole = sum(found.values())
    return {kind: count / whole for kind, count in found.items()}


def draw_shares(models: Mapping[str, nn.Module]) -> Page:
    """Draw which layers hold the parameters of each network."""
    fig, ax = style.figure(width=7.6, height=1.0 + 1.3 * len(models))
    rows, said = [], []
    for name, model in models.items():
        for kind, share in shares(model).items():
            role = "accent" if kind == KINDS[0] else "handwritten"
            text = f"{share:.1%}"
            rows.append(Bar(f"{name}: {kind}", [(100 * share, style.PALETTE[role])], text))
            said.append(f"{name}, {kind} {text}")
    bars(ax, rows)
    ax.set_xlim(0, 110)
    style.finish(ax, title="Where the parameters are", x="% of the network's parameters", y="")
    return picture(fig, f"Shares of the parameters: {'; '.join(said)}.")


def draw_magnitudes(
    tensors: Mapping[str, torch.Tensor], formats: Mapping[str, tuple[float, float, float]]
) -> Page:
    """Draw how large the numbers of tensors are, over the ranges of some formats."""
    fig, axes = style.figure(
        len(tensors) + 1, 1, width=8.0, height=1.0 + 1.1 * (len(tensors) + 1), sharex=True,
        height_ratios=[1] * len(tensors) + [0.8],
    )  # fmt: skip
    low, high, said = -26, 18, []
    for ax, (name, tensor) in zip(axes, tensors.items(), strict=False):
        sizes = tensor.detach().abs().flatten()
        powers = sizes[sizes > 0].log2().clamp(low, high).tolist()
        with style.apply():
            ax.hist(powers, bins=range(low, high + 1), color=style.PALETTE["handwritten"])
        ax.set_yticks([])
        ax.set_ylabel(name, rotation=0, ha="right", va="center", fontsize=9)
        middle = sorted(powers)[len(powers) // 2]
        said.append(f"{name}: half of the numbers below 2 to the power {middle:.0f}")
    ranges = axes[-1]
    for row, (name, (smallest, largest, _)) in enumerate(formats.items()):
        left, right = (max(low, math.log2(smallest)), min(high, math.log2(largest)))
        ranges.barh(row, right - left, left=left, height=0.6, color=style.colour(name))
        said.append(f"{name} from 2 to the power {math.log2(smallest):.0f} on")
    name_rows(ranges, list(formats))
    ranges.set_xlim(low, high)
    edge = math.log2(formats["float16"][0])
    for ax in axes:
        ax.axvline(edge, color=style.PALETTE["accent"], linewidth=1.2)
    style.finish(axes[0], title="How large the numbers are, in powers of two", x="", y="")
    axes[0].set_ylabel(next(iter(tensors)), rotation=0, ha="right", va="center", fontsize=9)
    ranges.set_xlabel("power of two; the line is float16's smallest ordinary number")
    return picture(fig, "; ".join(said) + ".")


def draw_scales(histories: Mapping[str, Sequence[float]]) -> Page:
    """Draw the scale of each step; where it falls, the step before was skipped."""
    fig, ax = style.figure(width=7.6, height=3.4)
    said = []
    with style.apply():
        for place, (name, scales) in enumerate(histories.items()):
            line = "-" if place == 0 else "--"
            powers = [math.log2(scale) for scale in scales]
            ax.step(range(1, len(powers) + 1), powers, line, where="mid", label=name,
                    color=style.colour("accent" if place else "codegen"))  # fmt: skip
            skipped = sum(b < a for a, b in itertools.pairwise(powers))
            said.append(f"{name}: {skipped} steps skipped, last scale {scales[-1]:g}")
    style.finish(ax, title="The loss is scaled by ...", x="step", y="power of two")
    return picture(fig, "; ".join(said) + ".")


def draw_steps(seconds: Sequence[float]) -> Page:
    """Draw what each step of a training took, one after the other."""
    fig, ax = style.figure(width=7.6, height=3.0)
    milliseconds = [1e3 * s for s in seconds]
    with style.apply():
        ax.bar(range(1, len(seconds) + 1), milliseconds, color=style.PALETTE["handwritten"])
    style.finish(ax, title="The first steps of a training", x="step", y="ms")
    told = ", ".join(f"{ms:.1f}" for ms in milliseconds[:10])
    return picture(fig, f"Milliseconds of the first steps: {told}.")
