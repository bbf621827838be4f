"""Random programs for the compiled kernel: places used again, results that share one."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hpml.symbolic import Input, SymbolicModel
from tests.symbolic.hazards import called_layers

WIDTH = 6
PROGRAMS = 150 if os.environ.get("HPML_LONG") else 12

ONE: list[Callable[[Any], Any]] = [
    torch.tanh,
    lambda h: F.relu(h) - 0.25,
    lambda h: h.flatten(1),
    lambda h: h.view(-1, 2, 3).sigmoid().flatten(1),
]
TWO: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: a - b / 2,
]
LAYERS: list[Callable[[], nn.Module]] = [
    lambda: nn.Linear(WIDTH, WIDTH),
    lambda: nn.Sequential(nn.Linear(WIDTH, 20), nn.Linear(20, WIDTH, bias=False)),
    lambda: nn.GELU(),
    lambda: nn.ReLU(inplace=False),
]


def program(seed: int) -> Callable[[Any, Any], tuple[Any, ...]]:
    """Return a forward of two inputs: the same calls each time, on layers of its own."""
    generator = random.Random(seed)
    torch.manual_seed(seed)
    steps: list[tuple[Any, tuple[int, ...]]] = []
    layers: list[nn.Module] = []
    for count in range(2, generator.randint(5, 40)):
        kind = generator.randrange(4)
        values = (generator.randrange(max(0, count - 4), count), generator.randrange(count))
        if kind == 0:
            steps.append((generator.choice(TWO), values))
        elif kind == 1:
            steps.append((generator.choice(ONE), values[:1]))
        else:
            if not layers or generator.random() < 0.8:
                layers.append(generator.choice(LAYERS)().double())
            steps.append((generator.choice(layers), values[:1]))
    returned = [generator.randrange(2, len(steps) + 2) for _ in range(generator.randint(1, 3))]

    def forward(x: Any, y: Any) -> tuple[Any, ...]:
        values = [x, y]
        for step, arguments in steps:
            parts = list(step) if isinstance(step, nn.Sequential) else [step]
            value = parts[0](*[values[argument] for argument in arguments])
            for part in parts[1:]:
                value = part(value)
            values.append(value)
        return tuple([values[value] for value in returned])

    return forward


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_the_kernel_computes_what_the_program_says(seed: int) -> None:
    forward = program(seed)
    x, y = (Input((WIDTH,), dtype=torch.float64) for _ in range(2))
    model = SymbolicModel((x, y), forward(x, y), execution="numba")
    given = torch.randn(2, 3, WIDTH, dtype=torch.float64)
    with torch.no_grad():
        for one in (given, given[:, :1]):
            expected = forward(*one)
            assert called_layers(model, *one) == set()
            received = model(*one)
            received = received if isinstance(received, tuple) else (received,)
            assert len(received) == len(expected)
            for result, wanted in zip(received, expected, strict=True):
                scale = wanted.abs().max().item()
                torch.testing.assert_close(result, wanted, rtol=1e-9, atol=1e-9 * scale)
