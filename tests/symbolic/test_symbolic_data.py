from __future__ import annotations

import copy
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, CustomInput, Input, SymbolicModel, add_to_graph
from hpml.symbolic.errors import ArgumentError
from tests.parts import raises
from tests.symbolic.programs import assert_same


def test_example_data_lies_in_the_range_of_the_input() -> None:
    x = Input(shape=(1000,), min_value=-3, max_value=-1)
    assert -3 <= x.v.min() < -2.9
    assert -1.1 < x.v.max() <= -1
    y = Input(shape=(1000,), dtype=torch.int64, max_value=5)
    assert sorted(y.v.unique().tolist()) == [0, 1, 2, 3, 4]
    assert not Input(shape=(10,), dtype=torch.bool).v.any()
    z = Input(shape=(3,), dtype=torch.complex64)
    assert z.v.dtype is torch.complex64


def test_example_data_is_computed_and_the_same_at_each_look() -> None:
    x = Input(shape=(64,))
    y = nn.Dropout(0.5)(x)
    z = (y + torch.rand_like(y)).relu()
    first = x.v, y.v, z.v
    torch.rand(5)
    for received, expected in zip((x.v, y.v, z.v), first, strict=True):
        assert torch.equal(received, expected)
        assert received is not expected, "nothing is stored"
    assert torch.equal(nn.functional.dropout(x.v, 0.0), x.v)
    assert ((y.v == 0) | (y.v == 2 * x.v)).all(), "y shows what its layer makes of x.v"


def test_a_node_knows_its_layer_parents_children_and_depth() -> None:
    x = Input(shape=(4,))
    layer = nn.Linear(4, 4)
    y = layer(x)
    z = y + x
    assert y.layer is layer
    assert (y.parents, z.parents) == ((x,), (y, x))
    assert (x.children, y.children) == ((y, z), (z,))
    assert (x.depth, y.depth, z.depth) == (0, 1, 2)
    assert repr(z) == "<SymbolicTensor of shape (None, 4), float32; 2 parents; 0 children>"


@pytest.mark.parametrize(
    "call",
    [
        lambda x, layer: layer(x),
        lambda x, layer: x(layer),
        lambda x, layer: x.apply_module(layer),
        lambda x, layer: add_to_graph(layer, x),
        lambda x, layer: layer(x, custom_name="name"),
    ],
)
def test_all_ways_to_call_a_layer_make_the_same_node(call: Any) -> None:
    x = Input(shape=(4,))
    layer = nn.Linear(4, 3)
    y = call(x, layer)
    assert y.layer is layer
    assert y.parents == (x,)
    assert y.shape == (None, 3)


def test_functions_and_several_values_may_follow_a_value() -> None:
    x, y = Input(shape=(4,)), Input(shape=(5,))
    layer = nn.Bilinear(4, 5, 3)
    z = x(layer, y, custom_name="both")(torch.relu)(lambda t: t + 1)
    model = SymbolicModel((x, y), z)
    a, b = torch.rand(2, 4), torch.rand(2, 5)
    assert torch.equal(model(a, b), torch.relu(layer(a, b)) + 1)
    assert [call.name for call in model.graph.calls] == ["both", "relu_1", "lambda_1"]


def test_asking_whether_an_attribute_exists_adds_no_node() -> None:
    x = Input(shape=(4,))
    data = CustomInput({"a": 1})
    for name in ("T", "relu", "mean", "device", "no_such_name", "_private"):
        hasattr(x, name)
        hasattr(data, name)
    assert hasattr(x, "relu")
    assert not hasattr(x, "no_such_name")
    assert not hasattr(x, "_version"), "protocols probe for private names"
    assert hasattr(data, "keys")
    assert not hasattr(data, "relu")
    assert x.children == ()
    assert data.children == ()
    copy.copy(x.relu)
    assert x.children == ()


def test_unpacking_makes_one_call_with_all_results() -> None:
    x = Input(batch_shape=(3, 4))
    a, b, c = x
    assert a.layer is b.layer is c.layer
    assert [part.shape for part in (a, b, c)] == [(4,)] * 3
    assert len(x) == 3
    first, *rest = torch.chunk(x, 2, dim=1)
    assert [first.shape, rest[0].shape] == [(3, 2), (3, 2)]


@pytest.mark.parametrize("thing", [{5, 6}, [1, 2], (1, 2), "xy", range(2), {"a": 1}.items(), b"ab"])
def test_any_container_can_be_unpacked(thing: Any) -> None:
    data = CustomInput(thing)
    parts = list(data)
    assert [part.v for part in parts] == list(thing)
    model = SymbolicModel(data, parts)
    result = model(thing)
    assert (list(result) if len(parts) > 1 else [result]) == list(thing)


class Returns(nn.Module):
    def __init__(self, make: Any) -> None:
        super().__init__()
        self.make = make

    def forward(self, x: torch.Tensor) -> Any:
        return self.make(x)


ITERATIONS: dict[str, Any] = {
    "items": lambda o: {key: value + 1 for key, value in o.items()},
    "keys": lambda o: {key: o[key] + 1 for key in o.keys() if key in o.keys()},  # noqa: SIM118
    "dict": dict,
    "stars": lambda o: {**o},
    "values": lambda o: dict(zip(o, o.values(), strict=True)),
    "get": lambda o: {"out": o.get("out"), "other": o.get("other", o["aux"])},
}


@pytest.mark.parametrize("how", ITERATIONS)
@pytest.mark.parametrize("kind", [dict, OrderedDict])
@pytest.mark.parametrize("execution", EXECUTIONS)
def test_the_keys_of_a_dictionary_are_real(how: str, kind: Any, execution: str) -> None:
    layer, x, value = Returns(lambda x: kind(out=x, aux=x * 2)), Input(shape=(2,)), torch.rand(3, 2)
    model = SymbolicModel(x, ITERATIONS[how](layer(x)), execution=execution)
    assert_same(model(value), ITERATIONS[how](layer(value)))


class Output(NamedTuple):
    logits: Any
    loss: Any = None


@dataclass
class Record:
    logits: Any
    loss: Any = None


@pytest.mark.parametrize("kind", [Output, Record, partial(SimpleNamespace, loss=None)])
@pytest.mark.parametrize("execution", EXECUTIONS)
def test_an_attribute_that_is_none_is_none(kind: Any, execution: str) -> None:
    def program(x: Any) -> Any:
        output = layer(x)
        return output.logits if output.loss is None else -output.logits

    layer, x, value = Returns(lambda x: kind(logits=x)), Input(shape=(2,)), torch.rand(3, 2)
    model = SymbolicModel(x, program(x), execution=execution)
    assert_same(model(value), program(value))


def test_a_missing_or_empty_value_of_a_dictionary_is_none() -> None:
    output = Returns(lambda x: {"out": x, "loss": None})(Input(shape=(2,)))
    assert output.get("loss") is output.get("other") is output["loss"] is None


def test_values_of_a_dictionary_are_found_by_key_when_its_order_differs() -> None:
    data = CustomInput({"a": 1, "b": 2})
    model = SymbolicModel(data, {key: value + 1 for key, value in data.items()})
    assert model({"b": 20, "a": 10}) == {"a": 11, "b": 21}


def test_iterating_over_what_has_no_length_is_an_error() -> None:
    for data in (CustomInput(5), Input(shape=(4,)).sum()):
        with raises(ArgumentError, object="length", received=repr(data)):
            list(data)


def test_a_custom_object_is_used_through_attributes_methods_and_operators() -> None:
    class Account:
        def __init__(self, money: int) -> None:
            self.money = money

        def after(self, years: int, *, rate: int = 2) -> Account:
            return Account(self.money * rate**years)

        def __add__(self, other: Account) -> Account:
            return Account(self.money + other.money)

    a, b = CustomInput(Account(1)), CustomInput(Account(2))
    total = (a + b.after(3, rate=b.money)).money
    assert total.v == 1 + 2 * 8
    assert SymbolicModel((a, b), total)(Account(10), Account(3)) == 10 + 3 * 27


def test_numpy_numbers_and_tensors_on_the_left_leave_the_operation_to_the_symbol() -> None:
    x = Input(shape=(3,))
    for y in (np.float32(2) * x, torch.ones(3) * x, nn.Parameter(torch.ones(3)) - x, 2**x):
        assert y.shape == (None, 3)
        assert y.parents == (x,)
