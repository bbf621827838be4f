from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel
from hpml.symbolic.errors import ArgumentError
from hpml.symbolic.graph_algorithms import draw_graph
from tests.parts import raises
from tests.symbolic.models import VALUE, small_model
from tests.symbolic.programs import assert_same

each_execution = pytest.mark.parametrize("execution", EXECUTIONS)


def through_pickle(model: SymbolicModel) -> SymbolicModel:
    return pickle.loads(pickle.dumps(model))


def through_torch_save(model: SymbolicModel) -> SymbolicModel:
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


COPIES = [copy.deepcopy, through_pickle, through_torch_save, SymbolicModel.detach_from_graph]
each_copy = pytest.mark.parametrize("copied", COPIES, ids=lambda function: function.__name__)


@each_copy
@each_execution
def test_a_copy_does_the_same_with_weights_of_its_own(copied: Any, execution: str) -> None:
    model = small_model(execution).eval()
    other = copied(model)
    assert type(other) is type(model)
    assert isinstance(other, SymbolicModel)
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


def test_symbolic_data_is_not_pickled() -> None:
    assert issubclass(ArgumentError, TypeError)
    with raises(ArgumentError, object="pickle", expected="a model", received="SymbolicTensor"):
        pickle.dumps(Input(shape=(4,)))


FUNCTIONS: dict[str, Any] = {
    "an operator": lambda x: -x + 1,
    "an index": lambda x: x[:, 1:3].sum(1),
    "relu": torch.relu,
    "max_pool2d": lambda x: F.max_pool2d(x, 2),
    "max_pool3d": lambda x: F.max_pool3d(x, 2),
    "max_pool2d_with_indices": lambda x: F.max_pool2d(x, 2, return_indices=True)[0],
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x, 2),
    "adaptive_max_pool3d": lambda x: F.adaptive_max_pool3d(x, 2),
    "expand": lambda x: x.expand(2, -1, -1, -1, -1),
    "new_zeros": lambda x: x.new_zeros(x.shape[0], 3),
    "new_ones": lambda x: x.new_ones((x.shape[0], 3)),
    "zeros": lambda x: torch.zeros(x.shape[0], 3),
}


@each_copy
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_model_of_a_function_of_torch_can_be_copied(name: str, copied: Any) -> None:
    x = Input(shape=(4, 4, 4))
    model = SymbolicModel(x, FUNCTIONS[name](x))
    value = torch.rand(5, 4, 4, 4)
    assert_same(copied(model)(value), FUNCTIONS[name](value))


def test_a_copy_is_drawn() -> None:
    assert draw_graph(model=copy.deepcopy(small_model())).axes[0].texts


def test_a_copy_and_a_partial_run_check_the_sizes_that_were_read() -> None:
    x, y = Input(shape=(4,)), Input(shape=(4,))
    model = SymbolicModel([x, y], x.sum(1) / x.shape[1] + y.sum(1) / y.shape[1])
    wide = torch.rand(5, 8)
    for other in (model, copy.deepcopy(model)):
        with raises(ArgumentError, object="input 0 of the model", received="(5, 8)"):
            other(wide, wide)
    with raises(ArgumentError, object="input 0 of the model", expected="(None, 4)"):
        model.partial_run({x: VALUE})(wide)
