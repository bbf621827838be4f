"""The shape of a result before anything is computed: rules, meta propagation, one real run."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hpml.symbolic import CustomInput, Input, add_to_graph
from hpml.symbolic.building.node import Concrete, TensorSpec
from hpml.symbolic.building.shapes import inference, shape_memory
from hpml.symbolic.errors import GraphError, ShapeError
from tests.symbolic.models import PROGRAMS, tensors_in


@pytest.fixture(autouse=True)
def _empty_memory() -> Iterator[None]:
    shape_memory._remembered.clear()
    yield
    shape_memory._remembered.clear()


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record how often a layer is run to find a shape, and on what."""
    seen: list[str] = []
    on_meta, once = inference._call_on_meta, inference._run_once

    def meta(*args: Any, **kwargs: Any) -> Any:
        seen.append("meta")
        return on_meta(*args, **kwargs)

    def real(*args: Any, **kwargs: Any) -> Any:
        seen.append("real")
        return once(*args, **kwargs)

    monkeypatch.setattr(inference, "_call_on_meta", meta)
    monkeypatch.setattr(inference, "_run_once", real)
    return seen


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_inferred_shapes_and_types_are_those_of_a_real_run(name: str) -> None:
    torch.manual_seed(0)
    program = PROGRAMS[name]("ordered")
    model = program.model("ordered")
    # Real inputs of the shapes that the symbolic ones had, placeholders as they are.
    with torch.no_grad():
        inputs = [
            sample
            if value.shape is None
            else torch.rand(value.shape).to(sample.dtype)
            if sample.is_floating_point()
            else sample[: value.shape[0]]
            for sample, value in zip(
                program.samples,
                [model.graph.values[i] for i in model.graph.inputs],
                strict=True,
            )
        ]
        program.modules.eval()
        outputs = model(*inputs)
    outputs = outputs if len(model.graph.outputs) > 1 else (outputs,)
    for output, number in zip(outputs, model.graph.outputs, strict=True):
        value = model.graph.values[number]
        if isinstance(output, torch.Tensor):
            if name != "symbolic_indices":  # there the shape depends on the given numbers
                assert value.shape == tuple(output.shape)
            assert value.kind == str(output.dtype).removeprefix("torch.")
        else:
            assert value.shape is None
            assert value.kind == type(output).__name__


def test_a_layer_with_a_rule_is_never_run(runs: list[str]) -> None:
    x = Input(shape=(3, 8, 8))
    layers = [nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()]
    for layer in [*layers, nn.Linear(36, 5), nn.LayerNorm(5), nn.Dropout()]:
        x = layer(x)
    assert (x + x).shape == (1, 5)
    assert runs == []


def test_meta_propagation_is_remembered_by_configuration_and_shape(runs: list[str]) -> None:
    x = Input(shape=(4,))
    for _ in range(5):
        x = nn.Softplus(beta=2)(x)
        x = nn.Sequential(nn.Linear(4, 4), nn.Softplus())(x)
        x = x.clamp(min=0, max=1)[:, 0:4]
    assert runs == ["meta"] * 4
    nn.Softplus(beta=3)(x)
    nn.Softplus(beta=2)(Input(shape=(5,)))
    nn.Softplus(beta=2)(Input(batch_shape=(1, 4)))
    assert runs == ["meta"] * 7


def test_what_is_equal_to_python_but_not_to_torch_is_not_confused() -> None:
    x = Input(batch_shape=(3, 4))
    whole = Input(batch_shape=(3, 4), dtype=torch.int64)
    for _ in range(2):
        assert [x[0].shape, x[False].shape] == [(4,), (0, 3, 4)]
        assert [x[1].shape, x[True].shape] == [(4,), (1, 3, 4)]
        assert [(whole + 1).dtype, (whole + 1.0).dtype] == [torch.int64, torch.float32]
        assert [(whole * True).dtype, (whole * 1).dtype] == [torch.int64, torch.int64]
        assert [x[(0, 1)].shape, x[[0, 1]].shape] == [(), (2, 4)]
        assert [x.sum((0, 1)).shape, x.sum(0).shape] == [(), (4,)]


def test_the_default_dtype_is_part_of_what_is_remembered() -> None:
    whole = Input(batch_shape=(3, 4), dtype=torch.int64)
    assert (whole / 2).dtype is torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert (whole / 2).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_training_is_part_of_what_is_remembered() -> None:
    class Trains(nn.Module):
        def forward(self, x: Any) -> Any:
            return x[0] if self.training else x

    x = Input(shape=(4,))
    assert Trains()(x).shape == (4,)
    assert Trains().eval()(x).shape == (1, 4)
    assert nn.Sequential(Trains())(x).shape == (4,)
    assert nn.Sequential(Trains()).eval()(x).shape == (1, 4)


def test_the_memory_of_shapes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shape_memory, "_REMEMBER_AT_MOST", 3)
    x = Input(shape=(4,))
    for beta in range(1, 8):
        nn.Softplus(beta=beta)(x)
    assert len(shape_memory._remembered) == 3


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * 2,
        lambda x: F.softmax(x, dim=1) @ torch.ones(4, 3),
        lambda x: torch.cat([x, torch.zeros(5, 4)]),
        lambda x: F.linear(x, torch.ones(7, 4), torch.zeros(7)),
        lambda x: x if x.sum() > 0 else x[0],
        lambda x: torch.unique(x > 2),
        lambda x: x.tolist(),
        lambda x: x.sum().item(),
        lambda x: {"a": [x, (x[0], 3)]},
        lambda x: x.shape,
        lambda x: len(x),
        lambda x: x.numpy().sum(),
        lambda x: torch.jit.annotate(int, 3),
        lambda x: None,
    ],
)
def test_any_function_may_be_called(function: Any) -> None:
    x = Input(batch_shape=(2, 4))
    expected = function(torch.ones(2, 4))
    received = add_to_graph(function, x)
    spec = received._node.spec
    if isinstance(expected, torch.Tensor):
        assert spec == TensorSpec(tuple(expected.shape), expected.dtype)
    else:
        assert isinstance(spec, Concrete)
        assert type(spec.value) is type(expected)
        shapes = [tensor.shape for tensor in tensors_in(expected)]
        assert [tensor.shape for tensor in tensors_in(spec.value)] == shapes


def test_a_function_that_can_run_on_meta_tensors_is_not_run_on_numbers(runs: list[str]) -> None:
    x = Input(shape=(4,))
    add_to_graph(lambda t: {"a": [t, t + 1]}, x)
    add_to_graph(lambda t: torch.cat([t, torch.zeros(5, 4)]) @ torch.eye(4), x)
    nn.LSTM(4, 3)(x)
    nn.MultiheadAttention(4, 2)(x, x, x)
    torch.stft(torch.tanh(x), 4, return_complex=True)
    assert "real" not in runs


def test_tensors_in_containers_stay_without_numbers() -> None:
    x = Input(shape=(1024, 1024, 64))
    parts = x.chunk(4, dim=1)
    assert [t.device.type for t in parts._node.spec.value] == ["meta"] * 4
    assert [part.shape for part in parts] == [(1, 256, 1024, 64)] * 4


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Linear(4, 4), (5,)),
        (nn.Sequential(nn.ReLU(), nn.Linear(4, 4)), (5,)),
        (nn.Conv2d(3, 4, 3), (2, 8, 8)),
        (nn.Conv2d(3, 4, 9), (3, 8, 8)),
        (nn.Bilinear(4, 4, 4), (5,)),
        (nn.LayerNorm(4), (3, 5)),
        (nn.BatchNorm1d(4), (5,)),
    ],
)
def test_a_wrong_shape_is_an_error_that_names_both(layer: nn.Module, shape: tuple[int]) -> None:
    x = Input(shape=shape)
    with pytest.raises(ShapeError) as caught:
        layer(x, x) if isinstance(layer, nn.Bilinear) else layer(x)
    message = str(caught.value)
    assert type(layer).__name__ in message
    assert f"(None, {', '.join(map(str, shape))}{',' if not shape else ''})" in message
    assert "made by the input at test_inference.py:" in message


def test_two_shapes_that_do_not_fit_are_both_named_with_the_lines_that_made_them() -> None:
    x = nn.Linear(4, 3)(Input(shape=(4,)))
    y = Input(shape=(5,))
    with pytest.raises(ShapeError) as caught:
        x + y
    message = str(caught.value)
    assert "shape (None, 3), float32 and shape (None, 5), float32" in message
    line = test_two_shapes_that_do_not_fit_are_both_named_with_the_lines_that_made_them
    first = line.__code__.co_firstlineno + 1
    assert (
        f"Linear at test_inference.py:{first} and the input at test_inference.py:{first + 1}"
        in (message)
    )


def test_a_wrong_dtype_is_an_error_that_names_it() -> None:
    x = Input(shape=(4,), dtype=torch.float64)
    with pytest.raises(GraphError, match=r"Embedding.* shape \(None, 4\), float64"):
        nn.Embedding(4, 4)(x)


def test_an_operation_that_is_not_defined_is_an_error() -> None:
    x = CustomInput([1])
    with pytest.raises(GraphError, match=r"type list.*TypeError"):
        x - 1


def test_a_lazy_layer_takes_its_shape_from_its_symbolic_argument() -> None:
    layer = nn.LazyLinear(3)
    y = layer(Input(shape=(7,)))
    assert y.shape == (1, 3)
    assert type(layer) is nn.Linear
    assert layer.weight.shape == (3, 7)
    assert not layer.weight.is_meta


def test_custom_objects_are_run_once_on_what_they_are(runs: list[str]) -> None:
    received = []

    class Looks(nn.Module):
        def forward(self, data: Any, x: Any) -> Any:
            received.append(data)
            return x * data["scale"]

    example = {"scale": 2}
    y = Looks()(CustomInput(example), Input(shape=(4,)))
    assert y.shape == (1, 4)
    assert runs == ["real"]
    assert received == [example]
    assert received[0] is example


def test_a_layer_on_a_real_value_uses_the_layers_own_device_and_dtype() -> None:
    layer = nn.Linear(4, 2, dtype=torch.float64)
    y = layer(Input(shape=(4,), dtype=torch.float64))
    assert y.dtype is torch.float64
    assert y.v.dtype is torch.float64


# --- how long a shape is remembered ---------------------------------------------------------------

WIDTH = 3


def widened(x: Any) -> Any:
    return torch.cat([x] * WIDTH, dim=1)


def layer_of(body: str, **names: Any) -> nn.Module:
    """Return a layer whose class is made anew, as by running a cell of a notebook again."""
    scope = {"nn": nn, "torch": torch, **names}
    exec(f"class Cell(nn.Module):\n    def forward(self, x):\n        return {body}", scope)
    scope["Cell"].__module__ = "__main__"
    return scope["Cell"]()


def test_a_class_that_is_written_again_is_asked_again(runs: list[str]) -> None:
    x = Input(shape=(4,))
    assert layer_of("x").forward is not None
    assert layer_of("x")(x).shape == (1, 4)
    assert layer_of("x[:, :2]")(x).shape == (1, 2)
    layer = layer_of("x[:, :1]")
    assert layer(x).shape == layer(x).shape == (1, 1)
    assert runs == ["meta"] * 3


def test_a_method_a_global_or_a_closure_that_changed_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Uses(nn.Module):
        factor = 1

        def forward(self, x: Any) -> Any:
            return widened(x).repeat(1, factor * self.factor)

    factor = 1
    x = Input(shape=(4,))
    assert Uses()(x).shape == (1, 12)
    monkeypatch.setitem(globals(), "WIDTH", 2)  # what a function that it calls names
    assert Uses()(x).shape == (1, 8)
    monkeypatch.setitem(globals(), "widened", lambda x: x)
    assert Uses()(x).shape == (1, 4)
    factor = 2
    assert Uses()(x).shape == (1, 8)
    Uses.factor = 3
    assert Uses()(x).shape == (1, 24)
    monkeypatch.setattr(Uses, "forward", lambda self, x: x[:, :1])
    assert Uses()(x).shape == (1, 1)


def test_a_remembered_shape_keeps_no_class_alive() -> None:
    layer = layer_of("x")
    layer(Input(shape=(4,)))
    kind = weakref.ref(type(layer))
    del layer
    gc.collect()
    assert kind() is None
