"""The small layers that operators, functions and indexing turn into, by themselves."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import Input, SymbolicModel, add_to_graph, useful_layers
from tests.symbolic.models import assert_same

X = torch.arange(6.0).reshape(1, 2, 3)
Y = X + 10

LAYERS: list[tuple[nn.Module, tuple[Any, ...], Any]] = [
    (useful_layers.ConcatLayer(dim=1), (X, Y), torch.cat([X, Y], 1)),
    (useful_layers.StackLayer(dim=0), (X, Y), torch.stack([X, Y])),
    (useful_layers.ReshapeLayer((3, 2)), (X,), X.reshape(1, 3, 2)),
    (useful_layers.ReshapeLayer((6,), batch_size_included=True), (X,), X.reshape(6)),
    (useful_layers.ViewCopyLayer((6,)), (X,), X.reshape(1, 6)),
    (useful_layers.ViewCopyLayer((3, 2), batch_size_included=True), (X,), X.reshape(3, 2)),
    (useful_layers.AggregateLayer(torch.mean), (X,), X.mean()),
    (useful_layers.AggregateLayer(torch.sum, dim=1, keepdim=True), (X,), X.sum(1, True)),
    (useful_layers.LambdaOpLayer(torch.add), (X, Y), X + Y),
    (useful_layers.NamedLambdaOpLayer(torch.neg, name="negate"), (X,), -X),
    (useful_layers.AddOpLayer(), (X, Y), X + Y),
    (useful_layers.SubOpLayer(), (X, Y), X - Y),
    (useful_layers.MulOpLayer(), (X, Y), X * Y),
    (useful_layers.ModOpLayer(), (X, Y), X % Y),
    (useful_layers.MatmulOpLayer(), (X, Y.mT), X @ Y.mT),
    (useful_layers.UnpackLayer(), (X, Y), (X, Y)),
    (useful_layers.SliceLayer((slice(None), 1)), (X,), X[:, 1]),
    (useful_layers.SliceLayerSymbolicIdx(), ([X, Y], 1), Y),
    (useful_layers.MethodCall("sum", 1, keepdim=True), (X,), X.sum(1, keepdim=True)),
    (useful_layers.GetAttr("mT"), (X,), X.mT),
]


@pytest.mark.parametrize(("layer", "values", "expected"), LAYERS, ids=lambda v: type(v).__name__)
def test_a_layer_does_what_its_name_says(layer: nn.Module, values: Any, expected: Any) -> None:
    assert_same(layer(*values), expected)
    assert_same(copy.deepcopy(layer)(*values), expected)
    assert_same(pickle.loads(pickle.dumps(layer))(*values), expected)


def _is_layer(kind: object) -> bool:
    return isinstance(kind, type) and kind.__module__ == useful_layers.__name__


def test_every_layer_of_the_module_is_tested_here() -> None:
    tested = {type(layer).__name__ for layer, _, _ in LAYERS}
    assert {name for name, kind in vars(useful_layers).items() if _is_layer(kind)} - tested == {
        "CallbackLayer",
        "FunctionLayer",
        "SharedCall",
    }


def test_a_callback_sees_values_when_the_model_runs_and_not_before() -> None:
    seen: list[Any] = []
    x = Input(shape=(2, 3))
    y = useful_layers.CallbackLayer(seen.append)(x)
    assert y.shape == x.shape
    model = SymbolicModel(x, y + 1)
    assert seen == []
    assert_same(model(X), X + 1)
    assert len(seen) == 1
    assert seen[0] is X


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
