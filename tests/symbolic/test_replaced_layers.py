"""Layers that are replaced, deleted or patched: what explain says, and what is an error."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrize

from hpml.symbolic import useful_layers
from tests.symbolic.events import Twice
from tests.symbolic.hazards import (
    LAYERS,
    Pair,
    called_layers,
    each_mode,
    model_of,
    network,
    obstacles,
    value,
)
from tests.symbolic.processes import run_python
from tests.symbolic.programs import assert_same


@pytest.mark.parametrize("name", ["gelu", "softmin"])
@each_mode
def test_a_function_among_the_submodules_is_called(
    execution: str, training: bool, name: str
) -> None:
    """It is no module, and much of ``nn.Module`` fails on it; the forward does not."""
    pair = Pair(execution, training)
    pair.agree()
    for owner in (pair.model, pair.twin):
        owner._modules[name] = torch.sin
    for _ in range(2):
        results = []
        for owner in (pair.model, pair.twin):
            torch.manual_seed(0)
            results.append(owner(value()))
        assert_same(*results)


@pytest.mark.parametrize("name", LAYERS)
@each_mode
def test_a_layer_that_was_deleted_is_an_error(execution: str, training: bool, name: str) -> None:
    pair = Pair(execution, training)
    pair.agree()
    delattr(pair.model, name)
    with pytest.raises(KeyError, match=name):
        pair.model(value())


def test_an_operator_whose_method_was_replaced_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(network(training=False), "inlined")
    monkeypatch.setattr(useful_layers.AddOpLayer, "forward", staticmethod(lambda a, b: a - b))
    expected = model_of(network(training=False), "codegen")(value())
    assert_same(model(value()), expected)
    assert called_layers(model) == set(model._modules)
    monkeypatch.undo()
    assert not torch.equal(model(value()), expected)


def doubling(function: Any) -> Any:
    return lambda *args, **kwargs: function(*args, **kwargs) * 2


def test_explain_names_what_was_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Pair("inlined", training=False).model
    for owner, name, layer, why in [
        (nn.Linear, "forward", "head", "the forward of Linear was replaced"),
        (F, "linear", "head", "torch.nn.functional.linear was replaced"),
        (nn.GELU, "__call__", "gelu", "the __call__ of GELU was replaced"),
        (nn.Module, "__call__", "relu", "torch.nn.Module.__call__ is replaced"),
    ]:
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, doubling(getattr(owner, name)))
            assert obstacles(model)[layer].startswith(why)
    model.linear.forward = lambda x: x
    model.head = Twice(6, 4)
    model.gelu._compiled_call_impl = lambda x: x
    assert obstacles(model) == {
        "linear": "it has a forward of its own",
        "head": "the source was written for another layer than this Twice; "
        "assign model.execution once more to write it anew",
        "gelu": "it was compiled by itself",
        "softmin": "Softmin has no functional form in the layer rules",
    }
    assert model.explain().title == "execution 'inlined'"


def test_explain_names_what_became_of_a_parameter() -> None:
    model = Pair("inlined", training=False).model
    model.linear.__dict__["weight"] = torch.randn(6, 16)
    parametrize.register_parametrization(model.head, "weight", nn.Identity())
    model.conv.padding_mode = "reflect"
    why = obstacles(model)
    assert why["linear"] == "its weight is hidden by an attribute"
    assert "ParametrizedLinear" in why["head"]
    assert why["conv"] == "its padding_mode is 'reflect'"


EARLY = """
import torch
from torch import nn

forward = nn.Linear.forward
nn.Linear.forward = lambda self, x: forward(self, x) * 2  # before hpml is imported
from hpml.symbolic import Input, SymbolicModel

x = Input(shape=(4,))
layer = nn.Linear(4, 4)
model = SymbolicModel(x, layer(x).relu(), execution="inlined")
value = torch.ones(1, 4)
assert torch.equal(model(value), layer(value).relu())
assert torch.equal(layer(value), forward(layer, value) * 2)
print(model.explain().rows[0][3])
"""


def test_a_method_that_was_replaced_before_the_package_was_imported_is_used() -> None:
    assert run_python(EARLY) == "the forward of Linear was replaced\n"
