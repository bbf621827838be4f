"""What a program that was written for pytorch-symbolic expects of the model builder."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, CustomInput, Input, SymbolicModel
from hpml.symbolic.errors import ArgumentError, GraphError
from tests.parts import raises
from tests.symbolic.programs import assert_same

VALUE = torch.rand(5, 4)
each_execution = pytest.mark.parametrize("execution", EXECUTIONS)


# --- assignments to inputs ------------------------------------------------------------------------


@each_execution
def test_rows_are_added_up_in_an_input_and_the_callers_data_stays(execution: str) -> None:
    x, total = Input(batch_shape=(3, 4)), Input(batch_shape=(4,))
    start = total
    for number, row in enumerate(x):
        total += row * (number + 1)
    model = SymbolicModel((x, start), (total, start * 2), execution=execution)
    rows, zeros = torch.rand(3, 4), torch.ones(4)
    expected = zeros.clone()
    for number, row in enumerate(rows):
        expected += row * (number + 1)
    # By hand the name `start` is the same tensor, so that its later readers see the sum.
    assert_same(model(rows, zeros), (expected, expected * 2))
    assert torch.equal(zeros, torch.ones(4))


def test_an_assignment_that_a_view_would_see_is_refused_when_the_view_is_read() -> None:
    x = Input(shape=(4,))
    view = x[:, :2]
    y = x
    y += 1
    with raises(ArgumentError, object="use of a value", expected="(add)", received="SliceLayer"):
        view * 2
    assert SymbolicModel(x, y)(VALUE).shape == (5, 4)


# --- an unknown batch and a known one -------------------------------------------------------------


def test_an_unknown_batch_that_meets_a_known_one_is_that_one() -> None:
    known, unknown = Input(batch_shape=(4, 8)), Input(shape=(8,))
    assert known.batch_size_known
    assert not unknown.batch_size_known
    for total in (known + unknown, unknown + known):
        assert total.shape == (4, 8)
        assert not total.batch_size_known
    assert not unknown.mean(0).batch_size_known
    assert torch.stack([known, unknown]).shape == (2, 4, 8)
    model = SymbolicModel((known, unknown), nn.Linear(8, 2)(known * unknown))
    assert model(torch.rand(4, 8), torch.rand(4, 8)).shape == (4, 2)
    with pytest.raises(RuntimeError):
        model(torch.rand(4, 8), torch.rand(3, 8))
    with raises(GraphError, object="AddOpLayer()", received=("(4, 8)", "(None, 7)")):
        known + Input(shape=(7,))


# --- names ----------------------------------------------------------------------------------------


@each_execution
def test_a_layer_called_by_two_names_has_both(execution: str) -> None:
    x, layer = Input(shape=(4,)), nn.Linear(4, 4)
    y = x(layer, custom_name="first") + layer(x, custom_name="second")
    model = SymbolicModel(x, y, execution=execution)
    assert model.first is model.second is layer
    assert "(second)" in str(model)
    assert torch.equal(model(VALUE), layer(VALUE) * 2)
    assert len(list(model.parameters())) == 2


@each_execution
def test_names_may_be_hierarchical(execution: str) -> None:
    x = Input(shape=(4,))
    h = nn.Linear(4, 4)(x, custom_name="encoder.block1.linear")
    h = nn.ReLU()(h, custom_name="encoder.relu")
    h = nn.Linear(4, 2)(h, custom_name="head")
    model = SymbolicModel(x, h, execution=execution)
    assert model.encoder.block1.linear is model.get_submodule("encoder.block1.linear")
    assert list(model.state_dict()) == [
        "encoder.block1.linear.weight",
        "encoder.block1.linear.bias",
        "head.weight",
        "head.bias",
    ]
    for owner in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model.to_fx()):
        assert torch.equal(owner(VALUE), model(VALUE))
    model.encoder.block1.linear = nn.Linear(4, 4)
    assert torch.equal(model(VALUE), model.head(model.encoder.block1.linear(VALUE).relu()))
    model.summary()
    del model.encoder.relu
    with raises(ArgumentError, object="layer 'encoder.relu' of the model", received="deleted"):
        model(VALUE)


@pytest.mark.parametrize("name", ["a.", ".a", "a..b", "a.1", "a.class", "a b", "train.x"])
def test_a_name_that_is_no_path_of_names_is_refused(name: str) -> None:
    x = Input(shape=(4,))
    wrong = next(p for p in name.split(".") if p == "train" or not p.isidentifier() or p == "class")
    with raises(ArgumentError, object="custom_name", received=repr(wrong)):
        SymbolicModel(x, nn.ReLU()(x, custom_name=name))


def test_a_layer_and_a_group_cannot_have_one_name() -> None:
    x = Input(shape=(4,))
    y = nn.Linear(4, 4)(nn.ReLU()(x, custom_name="a"), custom_name="a.b")
    z = nn.Linear(4, 4)(nn.ReLU()(x, custom_name="a.b"), custom_name="a")
    for output in (y, z):
        with raises(ArgumentError, object="custom_name", received=("'a'", "'a.…'")):
            SymbolicModel(x, output)


# --- copies stay symbolic -------------------------------------------------------------------------


def saved(model: Any) -> Any:
    stream = io.BytesIO()
    torch.save(model, stream)
    stream.seek(0)
    return torch.load(stream, weights_only=False)


COPIES = {
    "copied": copy.deepcopy,
    "pickled": lambda model: pickle.loads(pickle.dumps(model)),
    "saved": saved,
    "copied twice": lambda model: copy.deepcopy(pickle.loads(pickle.dumps(model))),
}


@each_execution
@pytest.mark.parametrize("way", COPIES)
def test_a_copy_can_be_extended_with_its_own_layers(way: str, execution: str) -> None:
    x = Input(shape=(4,), name="x")
    h = nn.Linear(4, 8)(x)
    first, second = h.chunk(2, 1)
    y = nn.ReLU(inplace=True)(first * 2) + second + x.shape[0]
    y += 1
    model = SymbolicModel(x, y, execution=execution)
    del x, h, first, second, y
    loaded = COPIES[way](model)
    head = nn.Linear(4, 3)
    tuned = SymbolicModel(loaded.inputs, head(loaded.outputs[0]), execution=execution)
    assert torch.equal(tuned(VALUE), head(model(VALUE)))
    assert tuned.Linear_1 is loaded.Linear_1
    assert tuned.Linear_1 is not model.Linear_1
    assert loaded.outputs[0].shape == (None, 4)
    features = SymbolicModel(loaded.inputs, loaded.outputs[0].parents[0], execution=execution)
    assert features(VALUE).shape == (5, 4)
    loaded.add_output(loaded.outputs[0].parents[0])
    assert len(loaded(VALUE)) == 2


def test_a_deep_model_is_copied_and_stays_symbolic() -> None:
    x = y = Input(shape=(4,))
    for _ in range(3_000):
        y = nn.Identity()(y)
    loaded = pickle.loads(pickle.dumps(SymbolicModel(x, y)))
    assert len(SymbolicModel(loaded.inputs, loaded.outputs[0] + 1).graph.calls) == 3_001


def test_a_detached_model_and_one_of_an_object_that_cannot_be_stored_are_not_symbolic() -> None:
    x = Input(shape=(4,))
    what = "symbolic data of the model"
    with raises(ArgumentError, object=what, received="detached"):
        _ = SymbolicModel(x, x + 1).detach_from_graph().inputs
    data = CustomInput(lambda: 3)
    loaded = pickle.loads(pickle.dumps(SymbolicModel(data, nn.Identity()(data))))
    with raises(ArgumentError, object=what, received="could not be stored"):
        _ = loaded.inputs


# --- partial_run ----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_what_the_caller_changes_in_place_changes_no_stored_value(mode: Any) -> None:
    x, state = Input(shape=(4,)), Input(shape=(4,))
    held = nn.Linear(4, 4)(x)
    model = SymbolicModel([x, state], (held + state, held, held[:, :2], x))
    with mode():
        value = VALUE.clone()
        step = model.partial_run({model.inputs[0]: value})
        expected = model(value, VALUE)
        results = step(VALUE)
        assert_same(results, expected)
        expected = tuple(part.clone() for part in expected)
        for result in results:
            result.zero_()
        value.zero_()
        assert_same(step(VALUE), expected)
