"""A model has the signature that a module written by hand has, for the tools that read it."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import fx, nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel
from hpml.symbolic.errors import ArgumentError
from tests.parts import raises

VALUE = torch.rand(3, 4)
each_execution = pytest.mark.parametrize("execution", EXECUTIONS)


def two_inputs(execution: str | None = None) -> SymbolicModel:
    image, mask = Input(shape=(4,), name="image"), Input(shape=(4,), name="mask")
    return SymbolicModel([image, mask], nn.Linear(4, 2)(image * mask), execution=execution)


@each_execution
def test_the_parameters_of_forward_are_the_inputs_also_in_copies(execution: str) -> None:
    model = two_inputs(execution)
    expected = model(VALUE, VALUE)
    for owner in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert list(inspect.signature(owner.forward).parameters) == ["image", "mask"]
        assert isinstance(owner, SymbolicModel)
        assert type(owner).__name__ == "SymbolicModel"
        assert list(inspect.signature(type(owner).forward).parameters) == ["self", "image", "mask"]
        assert torch.equal(SymbolicModel.forward(owner, VALUE, VALUE), expected)
        assert torch.equal(owner(mask=VALUE, image=VALUE), expected)
        assert torch.equal(owner(VALUE, mask=VALUE), expected)


def test_inputs_without_a_name_have_one_by_their_position() -> None:
    x, y = Input(shape=(4,)), Input(shape=(4,), name="input_0")
    model = SymbolicModel([x, y], x - y)
    first, second = inspect.signature(model.forward).parameters
    assert (first, second) == ("input_0_", "input_0")
    assert torch.equal(model(input_0_=VALUE * 3, input_0=VALUE), VALUE * 3 - VALUE)
    only = SymbolicModel(x, x * 2)
    assert list(inspect.signature(only.forward).parameters) == ["input_0"]


def test_a_symbolic_input_has_its_name() -> None:
    x = Input(shape=(4,), name="a")
    assert x.name == "a"
    assert Input(shape=(4,)).name is None
    assert (x + 1).name is None
    with raises(ArgumentError, object="name of an Input", received="'self'"):
        SymbolicModel(y := Input(shape=(4,), name="self"), y + 1)


class Named(SymbolicModel):
    """A class of the user."""

    def twice(self, value: Any) -> Any:
        return self(value) * 2


class Own(SymbolicModel):
    """A class with a forward of its own."""

    def forward(self, value: Any, scale: float = 1.0) -> Any:
        return super().forward(value) * scale


def test_subclasses_keep_what_they_define() -> None:
    x = Input(shape=(4,), name="x")
    named, own = Named(x, x + 1), Own(x, x + 1)
    for model in (named, pickle.loads(pickle.dumps(named)), copy.deepcopy(named)):
        assert isinstance(model, Named)
        assert torch.equal(model.twice(VALUE), (VALUE + 1) * 2)
    for model in (own, pickle.loads(pickle.dumps(own)), copy.deepcopy(own)):
        assert list(inspect.signature(model.forward).parameters) == ["value", "scale"]
        assert torch.equal(model(VALUE, scale=3.0), (VALUE + 1) * 3)


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("by_name", [True, False])
@each_execution
def test_export_with_a_dynamic_batch_has_the_names(
    strict: bool, by_name: bool, execution: str
) -> None:
    torch._dynamo.reset()
    model, batch = two_inputs(execution), {0: torch.export.Dim("batch")}
    shapes: Any = {"image": batch, "mask": batch} if by_name else (batch, batch)
    exported = torch.export.export(model, (VALUE, VALUE), dynamic_shapes=shapes, strict=strict)
    inputs = [s.arg.name for s in exported.graph_signature.input_specs if s.target is None]
    assert inputs == ["image", "mask"]
    other = torch.rand(7, 4)
    assert torch.equal(exported.module()(other, other), model(other, other))


def test_onnx_inputs_have_the_names() -> None:
    pytest.importorskip("onnxscript")
    batch = {0: torch.export.Dim("batch")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            two_inputs(),
            (VALUE, VALUE),
            dynamo=True,
            verbose=False,
            dynamic_shapes={"image": batch, "mask": batch},
        )
    assert program is not None
    assert [value.name for value in program.model.graph.inputs] == ["image", "mask"]


@pytest.mark.filterwarnings("ignore")
def test_fx_tools_take_the_model() -> None:
    from torch.ao.quantization import get_default_qconfig_mapping, quantize_fx

    model = two_inputs().eval()
    traced = fx.symbolic_trace(model)
    assert [n.name for n in traced.graph.nodes if n.op == "placeholder"] == ["image", "mask"]
    assert torch.equal(traced(VALUE, VALUE), model(VALUE, VALUE))
    prepared = quantize_fx.prepare_fx(model, get_default_qconfig_mapping(), (VALUE, VALUE))
    assert torch.equal(prepared(VALUE, VALUE), model(VALUE, VALUE))


OPERATIONS: dict[str, Any] = {
    "size": lambda x: x.view(x.shape[0], 2, 2).sum(1) / x.size(0) + x.numel(),
    "half": lambda x: x[: x.shape[0] // 2],
    "zeros": lambda x: x + torch.zeros(x.shape[0], 4),
    "expand": lambda x: torch.ones(1, 4).expand(x.shape[0], -1) + x,
    "new_zeros": lambda x: x.new_zeros(x.shape[0], 2),
    "full": lambda x: torch.full((x.shape[0], 4), 3.0) + x,
    "shape": lambda x: torch.ones(x.shape) + x,
    "arange": lambda x: x + torch.arange(x.shape[0], device=x.device).view(-1, 1),
    "repeat": lambda x: x.repeat(2, 1) / x.shape[0],
    "unbind": lambda x: sum(part for part in x.unbind(1)),
    "chunk": lambda x: torch.cat(list(x.chunk(2, 1)), 1),
    "max": lambda x: x.max(1)[0] + x.max(1).indices,
    "a real tensor first": lambda x: torch.ones(4).mul(x) - torch.ones(4) @ x.T.sum(1),
    "operators": lambda x: 2**x + 1 / x - (1 - x) // 0.3 + (x > 0.5).float() * -x,
    "functions": lambda x: F.pad(torch.where(x > 0.5, x, 0.0), (1, 1)).softmax(-1),
    "sizes in arithmetic": lambda x: x * (x.shape[0] % 4 + x.size(1)) / (x.shape[0] + 1),
}


@each_execution
@pytest.mark.parametrize("name", OPERATIONS)
def test_the_graph_of_to_fx_can_be_traced_again(name: str, execution: str) -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, OPERATIONS[name](x), execution=execution)
    expected = OPERATIONS[name](VALUE)
    again = fx.symbolic_trace(model.to_fx())
    assert torch.equal(model(VALUE), expected)
    assert torch.equal(again(VALUE), expected)
    other = torch.rand(5, 4)
    assert torch.equal(again(other), OPERATIONS[name](other))
    if execution == "inlined":
        assert torch.equal(fx.symbolic_trace(model)(other), OPERATIONS[name](other))
