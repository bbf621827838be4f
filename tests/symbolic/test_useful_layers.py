from __future__ import annotations

from typing import Any

import torch
from torch import nn

from hpml.symbolic import Input, SymbolicModel, add_to_graph, useful_layers
from tests.symbolic.programs import assert_same


def test_a_callback_sees_values_when_the_model_runs_and_not_before() -> None:
    seen: list[Any] = []
    x = Input(shape=(2, 3))
    y = useful_layers.CallbackLayer(seen.append)(x)
    assert y.shape == x.shape
    model = SymbolicModel(x, y + 1)
    assert seen == []
    value = torch.rand(5, 2, 3)
    assert_same(model(value), value + 1)
    assert len(seen) == 1
    assert seen[0] is value


def test_named_layers_print_and_count_under_their_names() -> None:
    x = Input(shape=(3,))
    y = useful_layers.NamedLambdaOpLayer(torch.neg, name="negate")(x)
    z = add_to_graph(torch.sum, y, dim=1)
    model = SymbolicModel(x, z)
    assert [call.name for call in model.graph.calls] == ["negate_1", "sum_1"]
    assert repr(model.negate_1) == "negate"
    assert repr(model.sum_1) == "sum(a0, dim=k[0])"


def test_captured_tensors_move_with_the_model_and_are_not_saved() -> None:
    x = Input(shape=(3,), dtype=torch.float32)
    constant, weight = torch.ones(3), nn.Parameter(torch.full((3,), 2.0))
    model = SymbolicModel(x, x * constant + weight)
    assert [name for name, _ in model.named_buffers()] == ["mul_1.constant_0"]
    assert [parameter is weight for parameter in model.parameters()] == [True]
    assert list(model.state_dict()) == ["add_1.constant_0"]
    model.double()
    value = torch.rand(2, 3, dtype=torch.float64)
    assert_same(model(value), value + 2)
    assert constant.dtype is torch.float32
