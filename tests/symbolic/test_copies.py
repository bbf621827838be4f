"""Models are copied, pickled and saved, with weights of their own."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel, config
from tests.symbolic.models import VALUE, assert_same, small_model

each_execution = pytest.mark.parametrize("execution", EXECUTIONS)


@pytest.fixture(autouse=True)
def _switches() -> Iterator[None]:
    before = config.CODEGEN_BY_DEFAULT, config.CODEGEN_MIN_LOOP_LENGTH
    yield
    config.CODEGEN_BY_DEFAULT, config.CODEGEN_MIN_LOOP_LENGTH = before


def through_pickle(model: SymbolicModel) -> SymbolicModel:
    return pickle.loads(pickle.dumps(model))


def through_torch_save(model: SymbolicModel) -> SymbolicModel:
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


def detached(model: SymbolicModel) -> SymbolicModel:
    return model.detach_from_graph()


COPIES = [copy.deepcopy, through_pickle, through_torch_save, detached]
each_copy = pytest.mark.parametrize("copied", COPIES, ids=lambda function: function.__name__)


@each_copy
@each_execution
def test_a_copy_does_the_same_with_weights_of_its_own(copied: Any, execution: str) -> None:
    model = small_model(execution).eval()
    other = copied(model)
    assert type(other) is SymbolicModel
    assert other.execution == execution
    assert other.graph == model.graph
    assert not other.training
    assert_same(other(VALUE), model(VALUE))
    assert_same(other.state_dict(), model.state_dict())
    expected = model(VALUE)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.zero_()
    assert_same(model(VALUE), expected)
    assert (other(VALUE)[1] == 0).all()


def test_a_shared_layer_stays_shared_in_a_copy_and_inside_a_larger_module() -> None:
    x = Input(shape=(4,))
    layer = nn.Linear(4, 4)
    model = SymbolicModel(x, layer(layer(x)))
    pair = nn.ModuleList([model, layer])
    copied = copy.deepcopy(pair)
    assert list(copied[0].children()) == [copied[0].Linear_1]
    assert copied[0].Linear_1 is copied[1]
    assert copied[1] is not layer


class Keeps(nn.Module):
    """Keeps the symbolic data that its model was made with."""

    def __init__(self, depth: int = 2) -> None:
        super().__init__()
        self.x = h = Input(shape=(4,))
        for _ in range(depth):
            h = nn.Linear(4, 4)(h)
        self.parts = list(h.split(2, dim=1))
        self.model = SymbolicModel(self.x, h, execution="ordered")

    def forward(self, x: Any) -> Any:
        return self.model(x)


@pytest.mark.parametrize("depth", [2, 1500])
@pytest.mark.parametrize("copied", [through_pickle, through_torch_save])
def test_a_module_that_keeps_symbolic_data_is_pickled_with_it(copied: Any, depth: int) -> None:
    kept = Keeps(depth)
    other = copied(kept)
    assert_same(other(VALUE), kept(VALUE))
    assert [part.shape for part in other.parts] == [(None, 2), (None, 2)]
    assert other.parts[0].parents == other.parts[1].parents
    again = SymbolicModel(other.x, other.parts[1] + other.parts[0])
    first, second = kept(VALUE).split(2, dim=1)
    assert_same(again(VALUE), second + first)
    assert again.Linear_1 is other.model.Linear_1


@pytest.mark.parametrize("expression", ["x + 1", "x.sum(1)", "x[:, 1:3]", "-x", "torch.relu(x)"])
def test_an_expression_can_be_pickled(expression: str) -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, eval(expression, {"x": x, "torch": torch}))
    assert_same(through_pickle(model)(VALUE), eval(expression, {"x": VALUE, "torch": torch}))


def test_a_copy_has_symbolic_data_of_its_own_and_takes_further_outputs() -> None:
    model = small_model().eval()
    copied = copy.deepcopy(model)
    product, hidden = copied.outputs
    assert product.shape == (None, 3)
    assert hidden.layer is copied.Linear_1
    copied.add_output(hidden.children[0])
    assert len(copied(VALUE)) == 3
    assert_same(copied(VALUE)[2], copied(VALUE)[1] + 1)
    assert len(model(VALUE)) == 2
