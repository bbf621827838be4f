from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import nn

from hpml.base.errors import describe
from hpml.symbolic import EXECUTIONS, Input, SymbolicModel, add_to_graph
from hpml.symbolic.errors import ArgumentError
from tests.parts import raises
from tests.symbolic.programs import assert_same

each_execution = pytest.mark.parametrize("execution", EXECUTIONS)


class ByHand(nn.Module):
    """A layer that is used twice, as one writes it by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.shared = nn.Linear(4, 4)
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x: Any) -> Any:
        return self.shared(self.norm(self.shared(x)))


def pair(execution: str) -> tuple[SymbolicModel, ByHand]:
    torch.manual_seed(0)
    made = ByHand()
    x = Input(shape=(4,))
    h = x(made.shared, custom_name="shared")(made.norm, custom_name="norm")
    model = SymbolicModel(x, h(made.shared), execution=execution)
    return model, copy.deepcopy(made)


VALUE = torch.linspace(-1, 2, 20).reshape(5, 4)


@each_execution
def test_a_layer_that_is_used_twice_is_one_submodule(execution: str) -> None:
    model, twin = pair(execution)
    assert list(model._modules) == ["shared", "norm"]
    assert list(model.state_dict()) == list(twin.state_dict())
    assert [call.name for call in model.graph.calls] == ["shared", "norm", "Linear_1"]
    assert_same(model(VALUE), twin(VALUE))


@each_execution
def test_whatever_replaces_children_replaces_every_use(execution: str) -> None:
    model, twin = pair(execution)
    for owner in (model, twin):
        torch.manual_seed(1)
        for name, child in list(owner.named_children()):
            if isinstance(child, nn.Linear):
                setattr(owner, name, nn.Linear(4, 4))
    assert_same(model(VALUE), twin(VALUE))
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    assert type(converted.norm) is nn.SyncBatchNorm


def test_a_shared_layer_has_the_name_of_its_first_call_and_those_that_the_user_gave() -> None:
    x, layer = Input(shape=(4,)), nn.Linear(4, 4)
    h = layer(x, custom_name="first")
    model = SymbolicModel(x, layer(h)(layer, custom_name="third"))
    assert list(model._modules) == ["first", "third"]
    assert model.first is model.third
    assert [call.name for call in model.graph.calls] == ["first", "Linear_1", "third"]
    assert len(model.to_fx().graph.find_nodes(op="call_module", target="first")) == 2
    restored = pickle.loads(pickle.dumps(model))
    assert_same(restored(VALUE), model(VALUE))


def applied(x: Any, layer: nn.Module) -> Any:
    return 2 * layer(x)


@each_execution
@pytest.mark.parametrize("called", [False, True])
def test_a_module_among_the_arguments_of_a_function_belongs_to_the_model(
    execution: str, called: bool
) -> None:
    x, layer = Input(shape=(4,)), nn.Linear(4, 4)
    outputs = [add_to_graph(applied, x, layer), *([layer(x)] if called else [])]
    model = SymbolicModel(x, outputs, execution=execution)
    assert {id(p) for p in model.parameters()} == {id(p) for p in layer.parameters()}
    before = model(VALUE)
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        nn.init.zeros_(next(twin.parameters()))
        assert_same(model(VALUE), before)
        assert_same(model(VALUE), before)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
@pytest.mark.parametrize("part", ["the model", "a function layer", "a layer"])
def test_a_copy_of_what_was_compiled_runs_its_own_weights(copied: Any, part: str) -> None:
    torch._dynamo.reset()
    x = Input(shape=(4,))
    model = SymbolicModel(x, add_to_graph(torch.add, nn.Linear(4, 4)(x), 1.0))
    del x
    parts = {"the model": model, "a function layer": model.add_1, "a layer": model.Linear_1}
    parts[part].compile(backend="eager")
    with torch.no_grad():  # a compiled function layer looks at gradients of its arguments
        before = model(VALUE)
    other = copied(model)
    averaged = torch.optim.swa_utils.AveragedModel(model)
    with torch.no_grad():
        assert_same(other(VALUE), before)
        other.Linear_1.weight.zero_()
        other.Linear_1.bias.zero_()
        assert_same(other(VALUE), torch.ones(5, 4))
        averaged.module.Linear_1.weight.zero_()
        assert not torch.equal(averaged(VALUE), before)
        assert_same(model(VALUE), before)
    torch._dynamo.reset()


@pytest.mark.parametrize(
    "name", ["a\n    raise SystemExit\n    #", "a b", "", "1a", "for", "a.", "a.1"]
)
def test_a_custom_name_is_an_identifier(name: str) -> None:
    x = Input(shape=(4,))
    wrong = next(part for part in name.split(".") if part != "a")
    with raises(ArgumentError, object="custom_name", received=describe(wrong)):
        x(nn.ReLU(), custom_name=name)


@each_execution
def test_a_layer_that_calls_itself_anything_does_not_run_as_code(execution: str) -> None:
    class Odd(nn.Module):
        def _get_name(self) -> str:
            return "odd\n    raise SystemExit\n    # a.b"

        def forward(self, x: Any) -> Any:
            return x + 1

    x = Input(shape=(4,))
    model = SymbolicModel(x, Odd()(Odd()(x)), execution=execution)
    assert all(name.isidentifier() for name in model._modules)
    assert_same(model(VALUE), VALUE + 1 + 1)
    compile(model._generated_forward_source, "<source>", "exec")
