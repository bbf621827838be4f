"""Train a network with recipes that differ in speed.

`train` runs a complete training; a `Trainer` runs single epochs.

>>> import torch
>>> from torch import nn
>>> from hpml.datasets import digits
>>> from hpml.training import RECIPES, train
>>> _ = torch.manual_seed(0)
>>> model = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
>>> result = train(model, digits(), RECIPES["bf16"], epochs=2, device="cpu")
>>> len(result.accuracies), result.accuracy > 0.25
(2, True)

In the order in which values flow: ``recipe`` → ``batches`` → ``trainer`` (one step or epoch;
``processes`` connects several processes) → ``checkpoint`` → ``loop`` → ``result``.
"""

from __future__ import annotations

from hpml.training.batches import prepared
from hpml.training.errors import NotFiniteError, ProcessEndedError, TrainingError
from hpml.training.loop import train
from hpml.training.recipe import PUBLISHED, RECIPES, Recipe, recipe_by_name
from hpml.training.result import Training
from hpml.training.trainer import Trainer

__all__ = [
    "PUBLISHED",
    "RECIPES",
    "NotFiniteError",
    "ProcessEndedError",
    "Recipe",
    "Trainer",
    "Training",
    "TrainingError",
    "prepared",
    "recipe_by_name",
    "train",
]
