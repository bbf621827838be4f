"""A model split into what is computed once and what remains gives the same results."""

from __future__ import annotations

import copy
import operator
import pickle

import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, CustomInput, Input, SymbolicModel, add_to_graph
from hpml.symbolic.errors import ArgumentError

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


def test_the_other_input_may_be_known_too() -> None:
    model = recurrent()
    step = model.partial_run({model.inputs[1]: STATE})
    assert step.evaluated == ("Linear_3",)
    assert torch.equal(step(X)[0], model(X, STATE)[0])


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


def test_a_random_function_is_called_each_time() -> None:
    x, y = Input(shape=(4,)), Input(shape=(4,))
    model = SymbolicModel([x, y], torch.rand_like(x) + y)
    assert model.partial_run({x: X}).evaluated == ()


def test_a_change_in_place_never_reaches_the_values_held() -> None:
    x, state = Input(shape=(4,)), Input(shape=(4,))
    shared = nn.Linear(4, 4)(x)
    after = (shared + state, nn.ReLU(inplace=True)(shared), shared * 2)
    model = SymbolicModel([x, state], after)
    step = model.partial_run({x: X})
    assert step.evaluated == ("Linear_1",)
    for _ in range(2):
        for mine, its in zip(step(STATE), model(X, STATE), strict=True):
            assert torch.equal(mine, its)


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_a_reader_in_the_rest_comes_before_a_change_in_place_of_a_view(execution: str) -> None:
    x, state = Input(shape=(4,)), Input(shape=(4,))
    shared = nn.Linear(4, 4)(x)
    part, read_before = shared[:, :2], shared + state
    model = SymbolicModel(
        [x, state], [nn.ReLU(inplace=True)(part), read_before], execution=execution
    )
    copied = copy.deepcopy(model)
    rebuilt = SymbolicModel(copied.inputs, copied.outputs, execution=execution)
    with torch.no_grad():
        expected = model(X, STATE)
        for results in (model.partial_run({x: X})(STATE), rebuilt(X, STATE)):
            for mine, its in zip(results, expected, strict=True):
                assert torch.equal(mine, its)


def test_an_in_place_operator_never_reaches_the_values_held() -> None:
    x, state = Input(shape=(4,)), Input(shape=(4,))
    shared = nn.Linear(4, 4)(x)
    model = SymbolicModel([x, state], [add_to_graph(operator.iadd, shared, state), shared * 2])
    with torch.no_grad():
        step = model.partial_run({x: X})
        for _ in range(2):
            for mine, its in zip(step(STATE), model(X, STATE), strict=True):
                assert torch.equal(mine, its)


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


def with_held_values(layer: nn.Module | None = None) -> SymbolicModel:
    x, state = Input(shape=(4,)), Input(shape=(4,))
    held = nn.Linear(4, 4)(x)
    return SymbolicModel([x, state], [x * state, held, (layer or nn.Tanh())(held), held + state])


def test_a_layer_that_changes_its_argument_without_saying_so_gets_a_copy() -> None:
    class Unsaid(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.mul_(2)

    model = with_held_values(Unsaid())
    with torch.no_grad():
        step = model.partial_run({model.inputs[0]: X.clone()})
        for one, two in zip(step(STATE), step(STATE), strict=True):
            assert torch.equal(one, two)


def test_a_moved_copied_or_compiled_one_is_not_taken_for_changed() -> None:
    model = with_held_values()
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
    with pytest.raises(ArgumentError):
        model.partial_run({})
    with pytest.raises(ArgumentError):
        model.partial_run({x: X, state: STATE})
    with pytest.raises(ArgumentError):
        model.partial_run({other.inputs[0]: X})
    with pytest.raises(ArgumentError):
        model.partial_run({0: X})
    with pytest.raises(ArgumentError):
        model.partial_run(X)
    with pytest.raises(ArgumentError):
        model.partial_run({x: X})(X, STATE)
