"""A function keeps the values that it captured; modules and parameters become part of the model."""

from __future__ import annotations

import copy
import functools
import gc
import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel, add_to_graph
from hpml.symbolic.building import interception
from hpml.symbolic.errors import ArgumentError
from tests.parts import raises

VALUE = torch.rand(5, 4)
FACTOR = 2.0
TABLE = {"factor": [2.0]}
each_execution = pytest.mark.parametrize("execution", EXECUTIONS)


def scaled(a: Any) -> Any:
    return a * FACTOR * TABLE["factor"][0]


def outer(a: Any) -> Any:
    return scaled(a) + 1


def recursive(a: Any, depth: int = 2) -> Any:
    return recursive(a + FACTOR, depth - 1) if depth else a


class Scale:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, a: Any) -> Any:
        return a * self.factor

    def other(self, a: Any) -> Any:
        return self(a) + self.factor


class Pair(NamedTuple):
    one: Any
    two: Any


@each_execution
def test_functions_made_in_a_loop_keep_their_variables(execution: str) -> None:
    ways: list[Callable[[Any, Any], Any]] = [
        lambda x, f: x(f),
        lambda x, f: add_to_graph(f, x),
        lambda x, f: add_to_graph(torch.vmap(f), x),
        lambda x, f: add_to_graph(functools.partial(f), x),
        lambda x, f: x(lambda a: f(a)),
    ]
    for way in ways:
        x = Input(shape=(4,))
        outputs = []
        for k in (1, 2, 3):
            outputs.append(way(x, lambda a: a * k))  # noqa: B023 - the point of this test
        model = SymbolicModel(x, outputs, execution=execution)
        for _ in range(2):
            assert [torch.equal(y, VALUE * k) for y, k in zip(model(VALUE), (1, 2, 3), strict=True)]
            received = model(VALUE)
            assert all(torch.equal(y, VALUE * k) for y, k in zip(received, (1, 2, 3), strict=True))


@each_execution
@pytest.mark.parametrize("function", [scaled, outer, recursive])
def test_globals_that_change_later_do_not_change_the_model(
    function: Any, execution: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, table = Input(shape=(4,)), {"factor": [2.0]}
    monkeypatch.setitem(globals(), "TABLE", table)
    expected = function(VALUE)
    model = SymbolicModel(x, x(function), execution=execution)
    monkeypatch.setitem(globals(), "FACTOR", 50.0)
    monkeypatch.setitem(globals(), "TABLE", {"factor": [60.0]})
    table["factor"].append(3.0)
    table["factor"][0] = 60.0
    assert not torch.equal(function(VALUE), expected)
    copies = copy.deepcopy(model), pickle.loads(pickle.dumps(model))
    for owner in (model, *copies):
        assert torch.equal(owner(VALUE), expected)


def test_a_gradient_of_a_function_keeps_its_variables() -> None:
    x = Input(shape=(4,))
    outputs = []
    for k in (1.0, 2.0):
        outputs.append(add_to_graph(torch.func.grad(lambda a: (a * k).sum()), x))  # noqa: B023
    first, second = SymbolicModel(x, outputs)(VALUE)
    assert torch.equal(first, torch.full_like(VALUE, 1.0))
    assert torch.equal(second, torch.full_like(VALUE, 2.0))


@pytest.mark.parametrize("way", ["call", "method", "partial", "namespace"])
def test_attributes_of_an_object_that_change_later_do_not_change_the_model(way: str) -> None:
    scale, settings = Scale(2.0), SimpleNamespace(factor=2.0)
    function = {
        "call": scale,
        "method": scale.other,
        "partial": functools.partial(Scale.other, scale),
        "namespace": lambda a: a * settings.factor,
    }[way]
    x = Input(shape=(4,))
    expected = function(VALUE)
    model = SymbolicModel(x, x(function))
    scale.factor = settings.factor = 9.0
    assert torch.equal(model(VALUE), expected)
    assert not torch.equal(function(VALUE), expected)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.k = 2

    def other(self, a: Any) -> Any:
        return a * self.k


def test_attributes_of_a_module_stay_live() -> None:
    block, x = Block(), Input(shape=(4,))
    model = SymbolicModel(x, [x(block.other), x(lambda a: block.other(a))])
    block.k = 5
    assert all(torch.equal(y, VALUE * 5) for y in model(VALUE))


class Holder:
    def __init__(self, layer: nn.Module) -> None:
        self.layer = layer

    def run(self, a: Any) -> Any:
        return self.layer(a)


def capturing(first: nn.Module, second: nn.Module, weight: nn.Parameter) -> dict[str, Any]:
    layers, named = [first, second], {"a": first}
    holder, pair = Holder(first), Pair(first, [second])

    def with_default(a: Any, layer: Any = first) -> Any:
        return layer(a)

    return {
        "a variable": lambda a: first(a),
        "a list": lambda a: layers[1](layers[0](a)),
        "a dictionary": lambda a: named["a"](a),
        "a named tuple": lambda a: pair.two[0](pair.one(a)),
        "a partial": functools.partial(lambda layer, a: layer(a), first),
        "a partial of torch": functools.partial(torch.mul, weight),
        "a parameter": lambda a: a * weight,
        "an object": lambda a: holder.layer(a),
        "a method": holder.run,
        "a default": with_default,
        "a vmap": torch.vmap(first),
    }


@each_execution
@pytest.mark.parametrize("name", list(capturing(nn.ReLU(), nn.ReLU(), nn.Parameter())))
def test_captured_modules_and_parameters_are_part_of_the_model(name: str, execution: str) -> None:
    first, second, weight = nn.Linear(4, 4), nn.Linear(4, 4), nn.Parameter(torch.rand(4))
    function = capturing(first, second, weight)[name]
    x = Input(shape=(4,))
    model = SymbolicModel(x, add_to_graph(function, x), execution=execution)
    expected = function(VALUE)
    assert torch.equal(model(VALUE), expected)
    own = {id(p) for p in (*first.parameters(), *second.parameters(), weight)}
    assert model.state_dict().keys()
    assert {id(p) for p in model.parameters()} <= own
    copied = copy.deepcopy(model)
    model.double()
    assert model(VALUE.double()).dtype is torch.float64
    model.float()
    with torch.no_grad():
        for parameter in copied.parameters():
            parameter.zero_()
    assert copied(VALUE).abs().sum() == 0, "the copy has parameters of its own"
    assert torch.equal(model(VALUE), expected)
    zeros = {key: torch.zeros_like(value) for key, value in model.named_parameters()}
    assert torch.func.functional_call(model, zeros, (VALUE,)).abs().sum() == 0
    copied.load_state_dict(model.state_dict(), assign=True)
    assert torch.equal(copied(VALUE), expected)
    model(VALUE).sum().backward()
    assert all(p.grad is not None for p in model.parameters())


@each_execution
@pytest.mark.parametrize(
    "pack", [lambda a, b: [a, b], lambda a, b: {0: a, 1: b}, lambda a, b: (a, [b])]
)
def test_layers_in_containers_of_arguments_are_part_of_the_model(pack: Any, execution: str) -> None:
    first, second = nn.Linear(4, 4), nn.Linear(4, 4)
    x = Input(shape=(4,))

    def run(a: Any, layers: Any) -> Any:
        last = layers[1]
        return (last[0] if isinstance(last, list) else last)(layers[0](a))

    y = add_to_graph(run, x, pack(first, second))
    model = SymbolicModel(x, y, execution=execution)
    assert torch.equal(model(VALUE), second(first(VALUE)))
    expected = {id(p) for p in (*first.parameters(), *second.parameters())}
    assert {id(p) for p in model.parameters()} == expected


@pytest.mark.parametrize("kind", ["a value", "a size", "in a list", "a helper", "an attribute"])
def test_captured_symbolic_data_is_refused_by_name(kind: str) -> None:
    x = Input(shape=(4,))
    secret, size = x * 2, x.shape[0]
    listed, holder = [secret], SimpleNamespace(secret=secret)

    def helper(a: Any) -> Any:
        return a + secret

    function: Any = {
        "a value": lambda a: a + secret,
        "a size": lambda a: a / size,
        "in a list": lambda a: a + listed[0],
        "a helper": lambda a: helper(a),
        "an attribute": lambda a: a + holder.secret,
    }[kind]
    name = {"a size": "size", "in a list": "listed"}.get(kind, "secret")
    who = "a lambda"
    with raises(ArgumentError, object=who, received=name, remedy=("add_to_graph(f, x, ", name)):
        x(function)


def test_the_module_that_will_contain_the_model_is_not_contained_in_it() -> None:
    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.ones(4) * 3)
            x = Input(shape=(4,))
            self.model = SymbolicModel(x, x(lambda a: a * self.scale))

        def forward(self, a: Any) -> Any:
            return self.model(a)

    network = Network()
    assert torch.equal(network.double()(VALUE.double()), VALUE.double() * 3)
    copied = copy.deepcopy(network)
    copied.scale.data.zero_()
    assert copied(VALUE.double()).abs().sum() == 0
    assert torch.equal(network(VALUE.double()), VALUE.double() * 3)


def test_a_list_that_a_function_fills_is_the_programs_own() -> None:
    seen: list[Any] = []

    def note(a: Any) -> Any:
        seen.append(tuple(a.shape))
        return a * FACTOR

    x = Input(shape=(4,))
    model = SymbolicModel(x, x(note))
    seen.clear()
    model(VALUE)
    assert seen == [(5, 4)]


def test_what_a_function_captured_keeps_no_symbolic_data_alive() -> None:
    class Builder:
        def __init__(self) -> None:
            self.factor, self.x = 2.0, Input(shape=(4,))

        def build(self) -> SymbolicModel:
            return SymbolicModel(self.x, self.x(lambda a: a * self.factor))

    model = Builder().build()
    gc.collect()
    assert not interception.is_active()
    assert torch.equal(model(VALUE), VALUE * 2)
