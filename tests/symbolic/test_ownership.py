"""What a model owns: each layer once, every parameter that it uses, and copies of its own."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel, add_to_graph
from hpml.symbolic.errors import ArgumentError
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


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:.*quantize.*:UserWarning")
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@each_execution
def test_quantised_layers_are_layers_of_a_graph(execution: str) -> None:
    if not torch.backends.quantized.supported_engines[:-1]:
        pytest.skip("needs a quantized engine, such as fbgemm or qnnpack")
    quantised = torch.ao.nn.quantized
    block = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
    layers = [
        torch.ao.quantization.quantize_dynamic(block, {nn.Linear}),
        *(quantised.dynamic.Linear(4, 3), quantised.Quantize(0.1, 0, torch.quint8)),
        *(quantised.Linear(3, 2), quantised.DeQuantize()),
    ]
    h, value = Input(shape=(4,)), VALUE
    x = h
    for layer in layers:
        h, value = layer(h), layer(value)
    model = SymbolicModel(x, h, execution=execution)
    assert model.output_shape == (None, 2)
    assert_same(model(VALUE), value)
    assert_same(pickle.loads(pickle.dumps(model))(VALUE), value)


def test_a_shared_layer_has_the_first_name_that_was_chosen() -> None:
    x, layer = Input(shape=(4,)), nn.Linear(4, 4)
    h = layer(x)
    model = SymbolicModel(x, h(layer, custom_name="second")(layer, custom_name="third"))
    assert list(model._modules) == ["second"]
    assert [call.name for call in model.graph.calls] == ["Linear_1", "second", "third"]
    assert model.second is layer
    assert len(model.to_fx().graph.find_nodes(op="call_module", target="second")) == 3
    restored = pickle.loads(pickle.dumps(model))
    assert_same(restored(VALUE), model(VALUE))
    assert len(restored.outputs[0].parents) == 1


class Scaled(nn.Linear):
    def forward(self, x: Any, scale: float = 1.0) -> Any:
        return super().forward(x) * scale

    def twice(self, x: Any) -> Any:
        return self(self(x))


WAYS = {
    "a keyword": lambda layer, x: layer(input=layer(x)),
    "settings": lambda layer, x: layer(layer(layer(x, scale=2.0), 3.0), scale=2.0),
    "settings and none": lambda layer, x: layer(layer(x, scale=2.0)),
    "a method": lambda layer, x: (
        layer(x) + (layer.twice(x) if type(x) is torch.Tensor else add_to_graph(layer.twice, x))
    ),
}


@each_execution
@pytest.mark.parametrize("way", WAYS)
def test_a_layer_called_in_several_ways_is_replaced_in_all_of_them(
    way: str, execution: str
) -> None:
    call, kind = WAYS[way], nn.Linear if way == "a keyword" else Scaled
    layer, other, x = kind(4, 4), kind(4, 4), Input(shape=(4,))
    model = SymbolicModel(x, call(layer, x), execution=execution)
    del x
    assert len(model.state_dict()) == 2
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model):
        assert_same(copied(VALUE), call(layer, VALUE))
        names = [name for name, part in copied.named_modules() if type(part) is kind]
        assert len(names) == 1
        copied.set_submodule(names[0], other)
        assert_same(copied(VALUE), call(other, VALUE))
        weights = {name: torch.randn_like(p) for name, p in other.named_parameters()}
        named = {f"{names[0]}.{name}": weight for name, weight in weights.items()}
        received = torch.func.functional_call(copied, named, (VALUE,))
        by_hand = copy.deepcopy(other)
        by_hand.load_state_dict(weights)
        assert_same(received, call(by_hand, VALUE))
        assert_same(copied(VALUE), call(other, VALUE))


def applied(x: Any, layer: nn.Module) -> Any:
    return 2 * layer(x)


@each_execution
@pytest.mark.parametrize("called", [False, True])
def test_a_module_among_the_arguments_of_a_function_belongs_to_the_model(
    execution: str, called: bool
) -> None:
    x, layer = Input(shape=(4,)), nn.Linear(4, 4)
    outputs = [add_to_graph(applied, x, layer), add_to_graph(applied, x, layer=layer)]
    model = SymbolicModel(x, [*outputs, *([layer(x)] if called else [])], execution=execution)
    assert {id(p) for p in model.parameters()} == {id(p) for p in layer.parameters()}
    assert len(model.state_dict()) == 2
    before = model(VALUE)
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        nn.init.zeros_(next(twin.parameters()))
        assert_same(model(VALUE), before)
        assert not torch.equal(twin(VALUE)[0], before[0])
    zeros = {name: torch.zeros_like(p) for name, p in model.named_parameters()}
    received = torch.func.functional_call(model, zeros, (VALUE,))
    assert not any(result.any() for result in received)
    assert_same(model(VALUE), before)


# --- copies of compiled models --------------------------------------------------------------------


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


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a\n    raise SystemExit\n    #", "a b", "", "1a", "for", "a.b"])
def test_a_custom_name_is_an_identifier(name: str) -> None:
    x = Input(shape=(4,))
    with pytest.raises(ArgumentError):
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
