"""Where the lazy execution's order of side effects shows, it says so when the model is built."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import CustomInput, Input, SymbolicModel, add_to_graph
from hpml.symbolic.errors import GraphWarning
from hpml.symbolic.execution.side_effects import lazy_order
from tests.symbolic.programs import assert_same


class Own(nn.Module):
    def forward(self, x: Any, scale: float = 1.0) -> Any:
        return x + torch.rand_like(x) * scale


TWICE = Own()
COUNTING = nn.BatchNorm1d(4)


def swapped(first: Callable[[Any], Any], second: Callable[[Any], Any]) -> SymbolicModel:
    """Return a model in which the lazy execution asks for the second call first."""
    x = Input(shape=(4,))
    h = x * 1
    a, b = first(h), second(h)
    return SymbolicModel(x, b - a, execution="ordered")


SHOWING = {
    "two dropouts": (nn.Dropout(0.5), nn.Dropout(0.5)),
    "inside of blocks": (nn.Sequential(nn.Dropout(0.5)), nn.Sequential(nn.RReLU())),
    "functions": (lambda h: nn.functional.dropout(h, 0.5), torch.rand_like),
    "layers of the user's": (Own(), Own()),
    "a layer in two ways": (lambda h: TWICE(h, 2.0), lambda h: TWICE(h, scale=3.0)),
    "functions of the user's": (lambda h: add_to_graph(Own().forward, h), Own()),
    "running statistics of one layer": (COUNTING, lambda h: COUNTING(h + 1)),
    "a layer in place later": (nn.Tanh(), nn.ReLU(inplace=True)),
}


def test_a_sum_of_three_gradients_counts_too() -> None:
    x = Input(shape=(4,))
    h = x * 1
    a, b = h * 2, h * 3
    model = SymbolicModel(x, (b + a, h), execution="ordered")
    with pytest.warns(GraphWarning, match="mul_3 before mul_2"):
        model.execution = "lazy"


HIDDEN = {
    "no side effect": (nn.Tanh(), nn.Sequential(nn.Linear(4, 4), nn.Sigmoid())),
    "one dropout": (nn.Dropout(0.5), nn.Tanh()),
    "running statistics of two layers": (nn.BatchNorm1d(4), nn.BatchNorm1d(4)),
    "functions": (torch.tanh, lambda h: h + 1),
    "not in place": (nn.functional.relu, torch.tanh),
}


def test_a_value_that_dropout_hands_on_is_read_under_both_names() -> None:
    """While evaluating, what comes out of a dropout is what went in: three gradients add up."""
    x = Input((4,))
    h = nn.Tanh()(x)
    dropped = nn.Dropout(0.5)(h)
    late, early = nn.GELU()(h), dropped * 2
    with pytest.warns(GraphWarning, match="sums of three or more"):
        SymbolicModel(x, (dropped, early, late), execution="lazy")


@pytest.mark.parametrize("name", SHOWING)
def test_a_difference_that_can_show_is_said_when_lazy_is_chosen(name: str) -> None:
    model = swapped(*SHOWING[name])
    with pytest.warns(GraphWarning, match="execution 'lazy' computes .* before"):
        model.execution = "lazy"


@pytest.mark.parametrize("name", HIDDEN)
def test_a_difference_that_cannot_show_is_not(name: str) -> None:
    model = swapped(*HIDDEN[name])
    assert lazy_order(model.graph) != list(range(len(model.graph.calls)))
    value = torch.rand(3, 4)
    torch.manual_seed(0)
    expected = model(value)
    model.execution = "lazy"
    torch.manual_seed(0)
    assert_same(model(value), expected)


def test_without_a_warning_the_random_numbers_are_the_same() -> None:
    x = h = Input(shape=(4,))
    for _ in range(3):
        h = h + nn.Dropout(0.5)(nn.Linear(4, 4)(h))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SymbolicModel(x, h, execution="lazy")
    value, results = torch.rand(3, 4), []
    for execution in ("lazy", "ordered"):
        model.execution = execution
        torch.manual_seed(0)
        results.append(model(value))
    assert_same(*results)


# --- changes that by hand reach other readers -----------------------------------------------------


def assigned(y: Any) -> Any:
    old = y
    y += 1
    return old * y


def dropped(change: Any) -> Any:
    def build(y: Any) -> Any:
        change(y)
        return y

    return build


STALE = {
    "assigned": (assigned, "an assignment such as"),
    "a layer": (dropped(nn.ReLU(inplace=True)), "after ReLU was applied"),
    "a function": (dropped(lambda y: nn.functional.relu(y, inplace=True)), "after relu was"),
}


def test_assignments_in_the_usual_places_are_not() -> None:
    x = Input(shape=(4,))
    y = nn.Linear(4, 4)(x)
    y += x
    z = nn.ReLU(inplace=True)(y)
    z += nn.functional.relu(y)  # by hand this, too, is the changed value
    z *= 2
    count = CustomInput(3)
    more = count
    more += 1
    SymbolicModel([x, count], [z, count * more])
