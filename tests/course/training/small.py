"""What the tests of training train: a network with dropout, a few digits, few steps."""

from __future__ import annotations

import dataclasses

import torch
from torch import nn

from hpml.course.datasets import Dataset, digits
from hpml.course.training import RECIPES, Recipe

EPOCHS, STEPS = 2, 8
"""Steps of all epochs together."""


def data() -> Dataset:
    return digits().head(140, 40)


def recipe(name: str = "vanilla", **changes: object) -> Recipe:
    return dataclasses.replace(RECIPES[name], **{"batch": 32, **changes})


def network(seed: int = 0) -> nn.Module:
    """Draws random numbers in training, so that the generators matter."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(
            nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Dropout(0.3), nn.Linear(144, 10)
        )
