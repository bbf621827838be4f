from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import CustomInput, Input, SymbolicModel, add_to_graph, useful_layers
from hpml.symbolic.errors import ArgumentError
from tests.parts import raises

X, STATE = torch.randn(3, 4), torch.randn(3, 4)


def recurrent(*, execution: str | None = None, middle: nn.Module | None = None) -> SymbolicModel:
    x, state = Input(shape=(4,)), Input(shape=(4,))
    encoded = nn.Linear(4, 8)(x)(middle or nn.Tanh())(nn.Linear(8, 4))
    after = (encoded + nn.Linear(4, 4)(state))(nn.Tanh())
    return SymbolicModel([x, state], [after, encoded], execution=execution)


@pytest.mark.parametrize("execution", ["lazy", "ordered", "codegen", "inlined", "numba"])
def test_what_remains_gives_the_same_in_every_execution(execution: str) -> None:
    model = recurrent(execution=execution)
    with torch.no_grad():
        step = model.partial_run({model.inputs[0]: X})
        assert step.rest.execution == execution
        assert step.evaluated == ("Linear_1", "Tanh_1", "Linear_2")
        for state in (STATE, STATE + 1):
            for mine, its in zip(step(state), model(X, state), strict=True):
                torch.testing.assert_close(mine, its, rtol=1e-6, atol=1e-6)


def test_gradients_flow_through_what_was_computed_once() -> None:
    model = recurrent()
    step = model.partial_run({model.inputs[0]: X})
    (step(STATE)[0].sum() + step(STATE + 1)[0].sum()).backward()
    found = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    (model(X, STATE)[0].sum() + model(X, STATE + 1)[0].sum()).backward()
    for mine, parameter in zip(found, model.parameters(), strict=True):
        torch.testing.assert_close(mine, parameter.grad)


class OwnNoise(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.randn_like(x)


class OwnAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, dropout=0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.attention(x, x, x)[0]
        return found


@pytest.mark.parametrize(
    "layer", [nn.Dropout(), nn.BatchNorm1d(8), nn.RReLU(), OwnNoise(), OwnAttention()]
)
def test_a_layer_that_draws_or_counts_is_called_each_time(layer: nn.Module) -> None:
    model = recurrent(middle=layer)
    assert model.partial_run({model.inputs[0]: X}).evaluated == ("Linear_1",)
    model.eval()
    known = type(layer).__module__.startswith("torch.")
    assert len(model.partial_run({model.inputs[0]: X}).evaluated) == (3 if known else 1)


@pytest.mark.parametrize("noise", [torch.rand_like, useful_layers.LambdaOpLayer(torch.rand_like)])
def test_a_random_function_and_one_of_unknown_code_are_called_each_time(noise: Any) -> None:
    x, y = Input(shape=(4,)), Input(shape=(4,))
    model = SymbolicModel([x, y], noise(x) + y)
    assert model.partial_run({x: X}).evaluated == ()


def test_a_model_that_changes_values_in_place_is_refused() -> None:
    x, state = Input(shape=(4,)), Input(shape=(4,))
    shared = nn.Linear(4, 4)(x)
    model = SymbolicModel([x, state], (shared + state, nn.ReLU(inplace=True)(shared)))
    with raises(ArgumentError, object="model of partial_run", received="ReLU_1"):
        model.partial_run({x: X})


def test_what_is_no_tensor_may_be_known() -> None:
    scale, x = CustomInput(2.0), Input(shape=(4,))
    model = SymbolicModel([scale, x], add_to_graph(lambda a, b: a * b, scale, x))
    assert torch.equal(model.partial_run({scale: 3.0})(X), 3 * X)


def test_a_replaced_layer_is_used_and_the_mode_is_kept() -> None:
    model = recurrent().eval()
    model.Linear_3 = nn.Linear(4, 4)
    step = model.partial_run({model.inputs[0]: X})
    assert torch.equal(step(STATE)[0], model(X, STATE)[0])
    assert not step.rest.training


def test_a_layer_keeps_its_own_mode() -> None:
    x, state = Input(shape=(4,)), Input(shape=(4,))
    frozen = nn.BatchNorm1d(4)
    model = SymbolicModel([x, state], x + frozen(state))
    frozen.eval()
    assert model.partial_run({x: X}).rest.training
    assert not frozen.training


def test_weights_changed_later_show_in_the_remaining_calls_only() -> None:
    x, state = Input(shape=(4,)), Input(shape=(4,))
    once, again = nn.Linear(4, 4), nn.Linear(4, 4)
    model = SymbolicModel([x, state], once(x) + again(state))
    with torch.no_grad():
        held = once(X)
        step = model.partial_run({x: X})
        for parameter in model.parameters():
            parameter.add_(1)
        assert torch.equal(step(STATE), held + again(STATE))


def test_a_moved_copied_or_compiled_one_is_not_taken_for_changed() -> None:
    x, state = Input(shape=(4,)), Input(shape=(4,))
    held = nn.Linear(4, 4)(x)
    model = SymbolicModel([x, state], [x * state, held, nn.Tanh()(held), held + state])
    with torch.no_grad():
        step = model.partial_run({model.inputs[0]: X.clone().add_(1).add_(1)})
        before = step(STATE)
        for other in (
            copy.deepcopy(step),
            pickle.loads(pickle.dumps(step)),
            torch.compile(step, backend="eager", fullgraph=True),
            copy.deepcopy(step).double().float(),
        ):
            for mine, its in zip(other(STATE), before, strict=True):
                torch.testing.assert_close(mine, its)
    with torch.inference_mode():
        assert len(model.partial_run({model.inputs[0]: X.clone()})(STATE)) == 4


def test_it_says_what_was_expected() -> None:
    model, other = recurrent(), recurrent()
    x, state = model.inputs
    some = "some of the model's 2 inputs"
    for known, expected, received in (
        ({}, some, "0"),
        ({x: X, state: STATE}, some, "2"),
        ({other.inputs[0]: X}, "a dict from inputs of this model", "SymbolicTensor"),
        ({0: X}, "a dict from inputs of this model", "0: Tensor"),
        (X, "a dict from inputs of this model", "Tensor"),
    ):
        with raises(
            ArgumentError, object="known of partial_run", expected=expected, received=received
        ):
            model.partial_run(known)  # type: ignore[arg-type]
    with raises(ArgumentError, object="inputs of the remaining model", expected="1", received="2"):
        model.partial_run({x: X})(X, STATE)
