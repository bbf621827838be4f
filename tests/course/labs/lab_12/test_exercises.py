from __future__ import annotations

import math
import random

import pytest
import torch

from hpml.course.labs.lab_12_training.exercises import FORMATS, scaled_run


def test_the_formats_are_those_of_pytorch() -> None:
    for name, limits in FORMATS.items():
        known = torch.finfo(getattr(torch, name))
        assert limits == (known.tiny, known.max, known.eps)


@pytest.mark.parametrize("seed", range(5))
def test_the_scale_moves_as_pytorchs_does(seed: int) -> None:
    chance = random.Random(seed)
    true = [[chance.choice([1.0, 900.0, math.nan])] for _ in range(60)]
    data = {"true": true, "scale": 64.0, "good": 0, "interval": 3}
    scale, growth = torch.tensor(64.0), torch.tensor(0, dtype=torch.int32)
    for (gradient,), (_, ours, good) in zip(true, scaled_run(data), strict=True):
        scaled = torch.tensor(gradient) * scale
        overflow = torch.tensor(float(not 0 <= scaled <= 65504))
        torch._amp_update_scale_(scale, growth, overflow, 2.0, 0.5, 3)
        assert (scale.item(), growth.item()) == (ours, good)
