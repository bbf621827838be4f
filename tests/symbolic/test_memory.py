from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel, config
from tests.symbolic.memory import peak_bytes
from tests.symbolic.models import follow

IMAGE = torch.rand(1, 2, 32, 32)
ONE = 2 * 32 * 32 * 4


def convolutions(count: int) -> list[nn.Module]:
    return [nn.Conv2d(2, 2, 3, padding=1) for _ in range(count)]


def with_residuals(x: Any, layers: list[nn.Module]) -> Any:
    for first, second in zip(layers[::2], layers[1::2], strict=True):
        y = first(x)
        y = second(y)
        x = x + y
    return x


def with_outputs_on_the_way(x: Any, layers: list[nn.Module]) -> Any:
    kept = []
    for position, layer in enumerate(layers):
        x = layer(x)
        if position % 8 == 3:
            small = x[:, :, :1, :1] + 0
            kept.append(small)
    return (*kept, x)


def with_full_outputs_on_the_way(x: Any, layers: list[nn.Module]) -> Any:
    kept = []
    for position, layer in enumerate(layers):
        x = layer(x)
        if position % 10 == 4:
            kept.append(x)
    return (*kept, x)


def with_unpacking(x: Any, layers: list[nn.Module]) -> Any:
    for layer in layers:
        x = layer(x)
        first, second = torch.chunk(x, 2, dim=1)
        x = torch.cat([second, first], dim=1)
    return x


SHAPES_OF_GRAPHS = [
    follow,
    with_residuals,
    with_outputs_on_the_way,
    with_full_outputs_on_the_way,
    with_unpacking,
]


@pytest.mark.parametrize("loop", [2, float("inf")])
@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("graph", SHAPES_OF_GRAPHS, ids=lambda function: function.__name__)
def test_the_peak_is_that_of_a_forward_written_by_hand(
    graph: Any, execution: str, loop: float
) -> None:
    layers = convolutions(40)
    config.CODEGEN_MIN_LOOP_LENGTH = loop
    x = Input(shape=(2, 32, 32))
    model = SymbolicModel(x, graph(x, layers), execution=execution)
    del x
    by_hand = peak_bytes(lambda x: graph(x, layers), IMAGE)
    assert by_hand >= 2 * ONE
    assert peak_bytes(model, IMAGE) <= 1.1 * by_hand


def test_the_count_sees_a_forward_that_names_every_value() -> None:
    layers = convolutions(40)

    def hoarding(x: Any) -> Any:
        values = [x]
        for layer in layers:
            values.append(layer(values[-1]))
        return values[-1]

    assert peak_bytes(hoarding, IMAGE) == 40 * ONE
    assert peak_bytes(lambda x: follow(x, layers), IMAGE) == 2 * ONE
