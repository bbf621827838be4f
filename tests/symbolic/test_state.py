"""Shared layers, and buffers in expressions."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel
from tests.symbolic.hazards import each_mode
from tests.symbolic.programs import assert_same


class Doubled(nn.Module):
    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight * 2


@each_mode
def test_a_hook_and_a_parametrization_of_a_layer_count_for_each_of_its_uses(
    execution: str, training: bool
) -> None:
    torch.manual_seed(0)
    layer, relu = nn.Linear(4, 4), nn.ReLU(inplace=True)

    def by_hand(x: Any) -> Any:
        h = layer(x)
        g = relu(layer(h))
        return h + g, layer(relu(h - 1)), h

    x = Input(shape=(4,))
    model = SymbolicModel(x, by_hand(x), execution=execution).train(training)
    del x
    seen: list[Any] = []
    handle = layer.register_forward_hook(lambda *_: seen.append(1))
    model(torch.rand(1, 4))
    assert len(seen) == 3
    handle.remove()
    nn.utils.parametrize.register_parametrization(layer, "weight", Doubled())
    value = torch.rand(2, 4)
    assert_same(model(value), by_hand(value))


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_a_buffer_in_an_expression_stays_that_of_its_layer_when_the_model_is_converted(
    execution: str,
) -> None:
    x, norm = Input(shape=(4,)), nn.BatchNorm1d(4)
    model = SymbolicModel(x, norm(x) * norm.running_mean, execution=execution).double()
    value = torch.rand(5, 4, dtype=torch.float64)
    model(value)  # changes the mean
    model.eval()
    assert_same(model(value), norm(value) * norm.running_mean)
