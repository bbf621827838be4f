"""Train a network with recipes that differ in speed.

`train` runs a complete training; a `Trainer` runs single epochs.

>>> import torch
>>> from torch import nn
>>> from hpml.course.datasets import digits
>>> from hpml.course.training import RECIPES, train
>>> _ = torch.manual_seed(0)
>>> model = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
>>> result = train(model, digits(), RECIPES["bf16"], epochs=2, device="cpu")
>>> len(result.accuracies), result.accuracy > 0.25
(2, True)

In the order in which values flow: ``recipe`` → ``batches`` → ``trainer`` (one step or epoch;
``processes`` connects several processes) → ``checkpoint`` → ``loop`` → ``result``.
"""

from __future__ import annotations

from hpml.course.training.batches import prepared
from hpml.course.training.errors import NotFiniteError, ProcessEndedError, TrainingError
from hpml.course.training.loop import memory_suffices, train
from hpml.course.training.recipe import PUBLISHED, RECIPES, Recipe, recipe_by_name
from hpml.course.training.result import Training
from hpml.course.training.trainer import Trainer

__all__ = [
    "PUBLISHED",
    "RECIPES",
    "NotFiniteError",
    "ProcessEndedError",
    "Recipe",
    "Trainer",
    "Training",
    "TrainingError",
    "memory_suffices",
    "prepared",
    "recipe_by_name",
    "train",
]
