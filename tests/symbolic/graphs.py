"""Random programs for property tests: a list of steps, run on symbolic or on real data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from hypothesis import strategies as st
from torch import nn

from tests.symbolic.models import Program, tensor_input

WIDTH = 4


class Step(NamedTuple):
    kind: str
    first: int
    second: int
    layer: int
    length: int


@dataclass(frozen=True)
class Recipe:
    """A program as plain data: Hypothesis prints it and makes it smaller."""

    inputs: int
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    loop_length: float

    def program(self) -> Program:
        torch.manual_seed(1)
        linears = [nn.Linear(WIDTH, WIDTH) for _ in range(3)]
        half = nn.Linear(WIDTH // 2, WIDTH)
        dropout = nn.Dropout(0.3)

        def forward(*inputs: Any) -> Any:
            values = list(inputs)

            def pick(number: int) -> Any:
                return values[number % len(values)]

            for kind, first, second, layer, length in self.steps:
                x, y = pick(first), pick(second)
                if kind == "layer":
                    values.append(linears[layer](x))
                elif kind == "chain":
                    for i in range(length):
                        x = linears[(layer + i) % 3](x) if i % 2 else torch.tanh(x)
                    values.append(x)
                elif kind == "long chain, middle kept":
                    for i in range(length):
                        x = linears[layer](x)
                        if i == length // 2:
                            values.append(x)
                    values.append(x)
                elif kind == "add":
                    values.append((x + y) / 2)
                elif kind == "unpack all":
                    left, right = x.chunk(2, dim=1)
                    values += [half(left), half(right)]
                elif kind == "unpack, first unused":
                    _, right = torch.chunk(x, 2, dim=1)
                    values.append(half(right))
                elif kind == "join":
                    values.append(torch.cat([x[:, :2], y[:, 2:]], dim=1))
                else:
                    values.append(dropout(x))
            results = tuple(pick(number) for number in self.outputs)
            return results if len(results) > 1 else results[0]

        samples = [torch.rand(2, WIDTH) for _ in range(self.inputs)]
        return Program(
            forward,
            [tensor_input(WIDTH)] * self.inputs,
            samples,
            [*linears, half, dropout],
            loop_length=self.loop_length,
        )


KINDS = (
    "layer",
    "chain",
    "long chain, middle kept",
    "add",
    "unpack all",
    "unpack, first unused",
    "join",
    "dropout",
)
_numbers = st.integers(0, 30)
_steps = st.builds(
    Step, st.sampled_from(KINDS), _numbers, _numbers, st.integers(0, 2), st.integers(1, 7)
)
recipes = st.builds(
    Recipe,
    inputs=st.integers(1, 3),
    steps=st.lists(_steps, min_size=1, max_size=14).map(tuple),
    outputs=st.lists(_numbers, min_size=1, max_size=4).map(tuple),
    loop_length=st.sampled_from([2, 3, 50, float("inf")]),
)
