"""What lab 12's exercises hold to be right, and how a run of steps is simulated."""

from __future__ import annotations

import math
import random
import statistics
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from hpml.course.exercises.check import run
from hpml.course.exercises.exercise import Case
from hpml.labs.catalogue import find
from hpml.labs.lab_12_training.exercises import (
    FORMATS,
    estimated_epoch,
    scaled_run,
    surviving_format,
)


@pytest.mark.parametrize("seed", range(10))
def test_an_epoch_without_warm_up_is_the_mean_with_two_standard_errors(seed: int) -> None:
    chance = random.Random(seed)
    seconds = [chance.uniform(0.9, 1.1) for _ in range(chance.randint(6, 20))]
    half = 2 * statistics.stdev(seconds) / math.sqrt(len(seconds))
    mean = statistics.fmean(seconds)
    expected = (50 * mean, 50 * (mean - half), 50 * (mean + half))
    assert estimated_epoch(seconds, 50) == pytest.approx(expected)
    assert estimated_epoch([30.0, 2.0, *seconds], 50) == pytest.approx(expected)


def test_the_formats_are_those_of_pytorch() -> None:
    for name, limits in FORMATS.items():
        known = torch.finfo(getattr(torch, name))
        assert limits == (known.tiny, known.max, known.eps)


@pytest.mark.parametrize("seed", range(10))
def test_what_survives_comes_back_from_its_format(seed: int) -> None:
    chance = random.Random(seed)
    values = [chance.uniform(-1, 1) * 10 ** chance.uniform(-9, 6) for _ in range(5)]
    name = surviving_format(values, FORMATS, 0.01, False)
    assert name is not None
    exact = torch.tensor(values, dtype=torch.float64)
    back = exact.to(getattr(torch, name)).double()
    assert ((back - exact).abs() <= 0.01 * exact.abs().max()).all()


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


def test_a_run_hands_on_what_a_step_returned_and_ends_where_it_is_no_triple() -> None:
    exercise = find("grad_scaler", "12")
    data = {"true": [[1.0]] * 4, "scale": 2.0, "good": 0, "interval": 9}
    seen: list[Any] = []

    def counts(scaled: list[float], scale: float, good: int, interval: int) -> Any:
        seen.append((scaled, scale, good))
        return (scaled, scale + 1, good + 1) if good < 2 else None

    case = Case("a run", data, "run")
    (outcome,) = run(exercise, counts, [case])
    assert seen == [([2.0], 2.0, 0), ([3.0], 3.0, 1), ([4.0], 4.0, 2)]
    wrong = exercise.judge(case, outcome)
    assert wrong is not None
    assert wrong.why.startswith("step 1 of the run: [0][0]")
