from __future__ import annotations

import copy
import gc
import weakref
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
import torch
from torch import fx, nn

from hpml.benchmark import compare
from hpml.profiling import profile, profile_calls
from hpml.symbolic import CustomInput, Input, SymbolicModel, graph_algorithms, optimize_module_calls
from hpml.symbolic.building import interception
from hpml.symbolic.compat import SymbolicData
from hpml.symbolic.errors import ArgumentError
from tests.parts import raises
from tests.symbolic.processes import run_python

ORIGINAL = nn.Module._wrapped_call_impl
ORIGINAL_NEW = nn.Module.__new__


def is_original() -> bool:
    gc.collect()
    return nn.Module.__call__ is ORIGINAL and nn.Module.__new__ is ORIGINAL_NEW


def test_the_class_is_changed_only_while_a_handle_is_alive() -> None:
    assert is_original()
    attributes = dict(vars(nn.Module))
    x = Input(shape=(4,))
    assert nn.Module.__call__ is not ORIGINAL
    assert nn.Module.__new__ is ORIGINAL_NEW
    y = nn.Linear(4, 4)(x)
    del x
    assert nn.Module.__call__ is not ORIGINAL, "y is alive"
    del y
    assert is_original()
    assert dict(vars(nn.Module)) == attributes


def test_handles_of_a_function_go_when_it_returns_and_the_model_keeps_none() -> None:
    def build() -> SymbolicModel:
        x = inputs = CustomInput(torch.rand(2, 4))
        return SymbolicModel(inputs, nn.Linear(4, 4)(x))

    model = build()
    assert is_original()
    model(torch.rand(2, 4))
    assert is_original()
    copied = copy.deepcopy(model)
    assert is_original()
    outputs = model.outputs
    assert nn.Module.__call__ is not ORIGINAL, "the outputs are handles"
    del outputs
    copied.summary()
    assert is_original()


@pytest.mark.parametrize("fails_in", ["the layer", "the builder", "the model"])
def test_handles_go_with_an_exception(fails_in: str) -> None:
    def build() -> None:
        x = Input(shape=(4,))
        if fails_in == "the layer":
            nn.Linear(5, 4)(x)
        if fails_in == "the builder":
            raise KeyError
        SymbolicModel(x, x + Input(shape=(4,)))

    with pytest.raises((ValueError, KeyError)):
        build()
    assert is_original()


class Strange(nn.Module):
    def forward(self, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        return args, kwargs


def test_ordinary_calls_are_what_they_were_while_a_handle_is_alive() -> None:
    x = Input(shape=(4,))
    layer = nn.Linear(4, 4)
    seen = []
    layer.register_forward_pre_hook(lambda *_: seen.append("before"))
    layer.register_forward_hook(lambda *_: seen.append("after"))
    value = torch.rand(2, 4)
    assert torch.equal(layer(value), nn.functional.linear(value, layer.weight, layer.bias))
    assert seen == ["before", "after"]
    assert Strange()() == ((), {})
    assert Strange()([1], a={2: (3,)}) == (([1],), {"a": {2: (3,)}})
    compiled = nn.Linear(4, 4)
    compiled.compile(backend="eager")
    assert compiled(value).shape == (2, 4)
    assert x.children == ()


@pytest.mark.parametrize(
    "call",
    [
        lambda layer, x: layer(x),
        lambda layer, x: layer([1, x]),
        lambda layer, x: layer(0, {"a": (x,)}),
        lambda layer, x: layer(a=x),
        lambda layer, x: layer(1, b=[{"c": [x]}]),
        lambda layer, x: layer(slice(0, x)),
    ],
)
def test_symbolic_data_is_noticed_anywhere_among_the_arguments(call: Any) -> None:
    x = CustomInput(3)
    y = call(Strange(), x)
    assert isinstance(y, SymbolicData)
    model = SymbolicModel(x, y)
    assert len(model.graph.calls) == 1
    assert model(7) == call(Strange(), 7)


@pytest.mark.parametrize("put", [lambda t, x: [t, x], lambda t, x: {"a": t, "b": x}])
def test_symbolic_data_is_noticed_beside_a_tensor_in_a_container(put: Any) -> None:
    x = Input(shape=(4,))
    assert isinstance(Strange()(put(torch.ones(1), x)), SymbolicData)
    assert isinstance(Strange()(torch.ones(1), a=put(torch.ones(1), x)), SymbolicData)


def test_a_function_mode_adds_no_search_of_arguments_to_ordinary_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layer, x, data = nn.Linear(4, 4), Input(shape=(4,)), torch.ones(1, 4)
    with torch.device("cpu"):  # a TorchFunctionMode, with which every tensor looks like a subclass
        assert tuple(layer(x).shape)[1:] == (4,)
        monkeypatch.setattr(interception, "find", None)
        assert layer(data).shape == (1, 4)


@dataclass
class Batch:
    values: Any


@pytest.mark.parametrize(
    "data",
    [[torch.ones(1, 4)] * 2, {"a": torch.ones(2)}, numpy.ones(2), object(), nn.Parameter()],
    ids=lambda data: type(data).__name__,
)
def test_arguments_of_ordinary_calls_are_not_searched(
    data: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = Input(shape=(4,))
    assert x.children == ()
    monkeypatch.setattr(interception, "_record", None)
    assert Strange()(data, 1) == ((data, 1), {})
    assert Strange()(1, a=data) == ((1,), {"a": data})


def test_symbolic_data_in_an_object_is_refused_and_no_type_is_kept() -> None:
    x = Input(shape=(4,))
    kept = weakref.ref(made := type("Made", (), {"__slots__": ("__weakref__",)}))
    assert Strange()(made(), Batch([1])) is not None
    for data in (Batch([x]), SimpleNamespace(x=x), {x: 1, "y": {x}}):
        kind = "set" if isinstance(data, dict) else type(data).__name__
        with raises(ArgumentError, object="symbolic data in an argument", received=kind):
            Strange()(data)
    del x, data, made
    gc.collect()  # the errors, whose frames refer to x; with x goes what the builder keeps
    gc.collect()
    assert kept() is None


def test_calls_are_as_torch_made_them_after_optimize_module_calls() -> None:
    x = Input(shape=(4,))
    optimize_module_calls()
    assert nn.Module.__call__ is ORIGINAL
    layer = nn.Linear(4, 4)
    y = x(layer)(nn.ReLU())
    y = torch.tanh(y) + 1
    model = SymbolicModel(x, y)
    assert [c.layer_type for c in model.graph.calls] == ["Linear", "ReLU", "tanh", "add"]
    assert nn.Module.__call__ is ORIGINAL


@pytest.mark.parametrize(
    "layer", [nn.Linear(4, 4), nn.Sequential(nn.Dropout(), nn.ReLU()), nn.BatchNorm1d(4).eval()]
)
def test_a_layer_called_after_optimize_module_calls_is_refused(layer: nn.Module) -> None:
    x = Input(shape=(4,))
    optimize_module_calls()
    called = next(each for each in layer.modules() if not isinstance(each, nn.Sequential))
    who = type(called).__name__
    with raises(ArgumentError, object=who, remedy=("x(layer)", "a new Input")):
        layer(x)


def test_looking_at_a_model_does_not_switch_calls_on_again() -> None:
    def build() -> SymbolicModel:
        x = Input(shape=(4,))
        return SymbolicModel(x, nn.Linear(4, 4)(x))

    model = build()
    optimize_module_calls()
    handles = (*model.inputs, *model.outputs)
    assert [handle.shape for handle in handles] == [(None, 4), (None, 4)]
    graph_algorithms.draw_graph(model=model)
    assert nn.Module.__call__ is ORIGINAL
    assert not interception.is_active()


def test_symbolic_trace_works_under_living_handles_and_they_work_after_it() -> None:
    x = Input(shape=(4,))
    network = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    traced = fx.symbolic_trace(network)
    assert [node.op for node in traced.graph.nodes] == [
        "placeholder",
        "call_module",
        "call_module",
        "output",
    ]
    assert network(x).layer is network
    value = torch.rand(2, 4)
    assert torch.equal(traced(value), network(value))


def test_a_call_that_another_library_keeps_from_us_is_an_error_and_not_another_graph() -> None:
    x = Input(shape=(4,))
    ours = nn.Module.__call__
    nn.Module.__call__ = ORIGINAL  # as a library does that wraps the original itself
    try:
        with raises(ArgumentError, object="Linear", received="does not record it"):
            nn.Linear(4, 4)(x)
        assert x(nn.Linear(4, 4)).shape == (None, 4)
    finally:
        nn.Module.__call__ = ours


def test_a_wrapper_that_someone_put_below_or_above_ours_stays() -> None:
    def below(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        seen.append("below")
        return ORIGINAL(self, *args, **kwargs)

    def above(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        seen.append("above")
        return ours(self, *args, **kwargs)

    seen: list[str] = []
    value = torch.rand(2, 4)
    layer = nn.Linear(4, 4)
    try:
        nn.Module.__call__ = below
        x = Input(shape=(4,))
        ours = nn.Module.__call__
        assert layer(x).layer is layer
        assert seen == []
        nn.Module.__call__ = above
        layer(value)
        assert layer(x).layer is layer
        assert seen == ["above", "below", "above"]
        del x
        gc.collect()
        assert nn.Module.__call__ is above
        nn.Module.__call__ = ours
        x = Input(shape=(4,))
        del x
        gc.collect()
        assert nn.Module.__call__ is below
    finally:
        nn.Module.__call__ = ORIGINAL


@pytest.mark.parametrize("first", ["hpml.symbolic", "pytorch_symbolic"])
def test_the_peer_works_in_the_same_process(first: str) -> None:
    """It wraps `Module.__new__` for good and `Module.__call__` whenever a module is made."""
    printed = run_python(
        """
        import importlib, sys
        import torch
        from torch import nn
        for name in sorted(["hpml.symbolic", "pytorch_symbolic"], key=sys.argv[1].__eq__)[::-1]:
            importlib.import_module(name)
        import hpml.symbolic as ours, pytorch_symbolic as theirs
        from hpml.symbolic.errors import ArgumentError

        layer = nn.Linear(4, 4)
        value = torch.rand(2, 4)
        for _ in range(2):
            x, y = ours.Input(shape=(4,)), theirs.Input(shape=(4,))
            h, g = layer(x), layer(y)
            models = ours.SymbolicModel(x, h), theirs.SymbolicModel(y, g)
            for model in models:
                assert torch.equal(model(value), layer(value))
            made_later = nn.Linear(4, 4)
            try:
                assert made_later(x).layer is made_later
            except ArgumentError as error:
                assert (error.object, "x(layer)" in error.remedy) == ("Linear", True)
            assert x(made_later).layer is made_later
        print("done")
        """,
        first,
    )
    assert printed == "done\n"


@pytest.mark.parametrize(
    "measure",
    [profile_calls, profile, lambda run: compare({"a": run}, rounds=1, min_sample_time=1e-9)],
)
def test_a_profiler_and_a_benchmark_measure_calls_as_torch_made_them(measure: Any) -> None:
    x = Input(shape=(4,))
    seen = []

    def run() -> None:
        seen.append(nn.Module.__call__)
        nn.Linear(4, 4)(torch.rand(2, 4))

    measure(run)
    assert set(seen) == {ORIGINAL}
    assert nn.ReLU()(x).shape == (None, 4)
