from __future__ import annotations

import random
from typing import Any

import pytest
import torch

from hpml.course.labs.lab_13_activations.exercises import (
    _FAST_SWISH,
    _drawn_operations,
    _interval_cases,
    _slope,
    kept,
)
from hpml.course.labs.lab_13_activations.harness import ACTIVATIONS, activation_and_interval
from hpml.course.models.activations import fast_swish_slope
from hpml.profiling import saved_tensors

OPERATORS: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "reciprocal": torch.reciprocal,
    "relu": torch.relu,
    "exp": torch.exp,
    "clamp": lambda a, b: a.clamp(max=b),
    "hardswish": torch.nn.functional.hardswish,
    "less": lambda a, b: a < b,
    "where": torch.where,
}


def executed(operations: Any, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Execute operations; return all results, so that autograd drops none of them."""
    values: dict[Any, Any] = {"x": x}
    for result, operation, operands in operations:
        values[result] = OPERATORS[operation](*(values.get(each, each) for each in operands))
    return tuple(values.values())


@pytest.mark.parametrize("seed", range(30))
def test_the_rules_for_saved_bytes_are_autograds_own(seed: int) -> None:
    operations = _FAST_SWISH if seed == 0 else _drawn_operations(random.Random(seed))
    x = torch.rand(1000, requires_grad=True)
    saved = saved_tensors(lambda x: executed(operations, x), x)
    assert kept(operations) == saved.total / 1000, operations


def test_the_dead_intervals_of_the_table_are_those_that_gradients_show() -> None:
    for seed in range(5):
        for case in _interval_cases(random.Random(seed), True):
            data: Any = case.data
            given = activation_and_interval(data)
            x = torch.linspace(*given["interval"], 1001, requires_grad=True)
            (slope,) = torch.autograd.grad(given["activation"](x).sum(), x)
            low, high = given["interval"]
            dead = any(a < low and high < b for a, b in ACTIVATIONS[data["activation"]])
            assert bool((slope == 0).all()) is dead, case


def test_the_slope_by_hand_is_the_librarys() -> None:
    x = torch.tensor([-9.0, -2.0, -1.5, 0.0, 2.5, 3.0, 7.0], dtype=torch.float64)
    expected = torch.tensor([_slope(each) for each in x.tolist()], dtype=torch.float64)
    torch.testing.assert_close(fast_swish_slope(x), expected)
