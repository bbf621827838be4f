from __future__ import annotations

import copy
import pickle
import sys
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel, config

DEEP = 50_000


class Increment(nn.Module):
    """The cheapest layer there is, so that 50,000 of them are quickly run."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.add_(1)

    def __deepcopy__(self, memo: Any) -> Increment:
        return Increment()  # torch's own takes 100 µs


def deep_model(execution: str, layers: list[nn.Module]) -> SymbolicModel:
    assert sys.getrecursionlimit() < DEEP // 10, "recursion over the layers must fail"
    x = inputs = Input(shape=(1,))
    for layer in layers:
        x = layer(x)
    assert x.depth == len(layers)
    return SymbolicModel(inputs, x, execution=execution)


WAYS = [*((execution, 50) for execution in EXECUTIONS), ("codegen", float("inf"))]


@pytest.mark.thorough
def test_fifty_thousand_layers_in_every_execution() -> None:
    model = deep_model("ordered", [Increment() for _ in range(DEEP)])
    assert len(model.graph.calls) == DEEP
    for execution, loop in WAYS:
        config.CODEGEN_MIN_LOOP_LENGTH = loop
        model.execution = execution
        assert model(torch.zeros(1, 1)).item() == DEEP
    del model  # the chain of nodes goes without recursion too


def test_a_deep_model_is_deep_copied() -> None:
    config.CODEGEN_MIN_LOOP_LENGTH = float("inf")
    model = deep_model("inlined", [Increment() for _ in range(DEEP // 10)])
    copied = copy.deepcopy(model)
    assert copied(torch.zeros(1, 1)).item() == DEEP // 10


def test_a_model_of_2500_layers_is_pickled() -> None:
    model = deep_model("codegen", [nn.Linear(1, 1) for _ in range(2500)])
    value = torch.rand(3, 1)
    copied: Any = pickle.loads(pickle.dumps(model))
    assert torch.equal(copied(value), model(value))


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_a_deep_graph_of_many_branches(execution: str) -> None:
    x = inputs = Input(shape=(1,))
    for _ in range(1200):
        x = (x + inputs) / 2 + x.mean(dim=1, keepdim=True) / 2
    model = SymbolicModel(inputs, (x, inputs), execution=execution)
    value = expected = torch.rand(3, 1)
    for _ in range(1200):
        expected = (expected + value) / 2 + expected.mean(dim=1, keepdim=True) / 2
    assert torch.equal(model(value)[0], expected)


def test_looking_at_a_deep_graph() -> None:
    x = inputs = Input(shape=(4,))
    for _ in range(5000):
        x = x + 1
    assert torch.equal(x.v.sub(inputs.v).round(), torch.full((1, 4), 5000.0))
    assert repr(x).startswith("<SymbolicTensor")
    traced = SymbolicModel(inputs, x).to_fx()
    assert len(traced.graph.nodes) == 5002
