"""Accuracies of several seeds: a nudged weight, a table, and which hypothesis they fit."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hpml.base.page import Page, say
from hpml.base.tables import Table

if TYPE_CHECKING:
    from torch import nn


def nudge(model: nn.Module) -> None:
    """Move every weight to the next number of float32; a single one could be rounded away."""
    import torch

    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(torch.nextafter(weight, weight + 1))


def accuracy_table(runs: Mapping[str, Sequence[float]]) -> Table:
    """Return a row for each seed and a column for each recipe."""
    rows = [[seed, *(f"{a:.2f} %" for a in each)]
            for seed, each in enumerate(zip(*runs.values(), strict=True))]  # fmt: skip
    return Table(["seed", *runs], rows)


def spread(accuracies: Sequence[float]) -> str:
    """Return a mean with the lowest and the highest.

    >>> spread([90.0, 92.0])
    '91.00 % (90.00 to 92.00)'
    """
    low, high = min(accuracies), max(accuracies)
    return f"{statistics.fmean(accuracies):.2f} % ({low:.2f} to {high:.2f})"


def accuracy_verdict(runs: Mapping[str, Sequence[float]]) -> Page:
    """Say how far seeds, precision and a digit move the accuracy, and which hypothesis this fits.

    >>> said = accuracy_verdict({"vanilla": [90, 92], "nudged": [90, 92], "amp": [90.1, 92]}).plain
    >>> said.splitlines()[-1]
    'That fits B: the seed moves it more than twice as far as mixed precision does.'
    """
    vanilla = runs["vanilla"]
    seeds = max(vanilla) - min(vanilla)
    gains = [a - v for a, v in zip(runs["amp"], vanilla, strict=True)]
    precision = max(map(abs, gains))
    digit = max(abs(n - v) for n, v in zip(runs["nudged"], vanilla, strict=True))
    seen = (
        f"From seed to seed vanilla moves by up to **{seeds:.2f}** points. With equal seeds, "
        f"mixed precision is up to **{precision:.2f}** points from it, and the nudged one "
        f"up to **{digit:.2f}**."
    )
    if min(gains) > 0:
        told = "That fits **A**: mixed precision wins with each seed."
    elif 2 * precision < seeds:
        told = "That fits **B**: the seed moves it more than twice as far as mixed precision does."
    elif 2 * digit > precision:
        told = "That fits **C**: a last digit moves it about as far as mixed precision does."
    else:
        told = "That fits none of them alone."
    return say(f"{seen}\n\n{told}")
