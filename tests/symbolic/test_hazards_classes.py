"""Layers that become others: another forward, another class, another layer in their place."""

from __future__ import annotations

import copy
import functools
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hpml.symbolic import useful_layers
from tests.symbolic.hazards import (
    LAYERS,
    Pair,
    always_called,
    called_layers,
    check_row,
    check_row_before_building,
    each_mode,
    model_of,
    network,
    observe,
    obstacles,
    row_list,
    rows_of,
    value,
)
from tests.symbolic.processes import run_python
from tests.symbolic.programs import assert_same

ROWS, row = row_list()
REPLACED, replaced = row_list()
Undo = Callable[[], object]


# --- the same layer does something else -----------------------------------------------------------


@row(called=True)
def forward_of_its_own(owner: Any, log: list[Any]) -> Undo:
    owner.linear.forward = lambda x: F.linear(x, owner.linear.weight) * 2
    return lambda: delattr(owner.linear, "forward")


@row(called=True)
def forward_of_its_own_while_another_attribute_goes(owner: Any, log: list[Any]) -> Undo:
    owner.linear.note = 1
    owner(value())
    del owner.linear.note
    owner.linear.forward = lambda x: F.linear(x, owner.linear.weight) * 2
    return lambda: delattr(owner.linear, "forward")


@row(called=True)
def forward_wrapped_as_libraries_do(owner: Any, log: list[Any]) -> Undo:
    """As for offloading: the old forward is kept on the layer, the new one calls it."""
    layer = owner.gelu
    layer._old_forward = layer.forward

    @functools.wraps(layer.forward)
    def forward(*args: Any, **kwargs: Any) -> Any:
        log.append("wrapped")
        return layer._old_forward(*args, **kwargs)

    layer.forward = forward

    def undo() -> None:
        del layer.forward, layer._old_forward

    return undo


@row(called=True)
def inner_method_of_its_own(owner: Any, log: list[Any]) -> Undo:
    """As for images that can be tiled."""

    def circular(self: Any, x: Any, weight: Any, bias: Any) -> Any:
        return F.conv2d(F.pad(x, (1, 1, 1, 1), "circular"), weight, bias)[..., 1:-1, 1:-1]

    owner.conv._conv_forward = types.MethodType(circular, owner.conv)
    return lambda: delattr(owner.conv, "_conv_forward")


@row(called=True)
def check_of_its_own(owner: Any, log: list[Any]) -> Undo:
    owner.norm._check_input_dim = lambda x: log.append(x.dim())
    return lambda: delattr(owner.norm, "_check_input_dim")


@row(called=True)
def call_of_its_own(owner: Any, log: list[Any]) -> Undo:
    before = owner.linear._call_impl
    owner.linear._call_impl = lambda *args, **kwargs: before(*args, **kwargs) * 2
    return lambda: delattr(owner.linear, "_call_impl")


class Twice(nn.Linear):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * 2


class Inverted(nn.ReLU):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return -super().forward(-x)


@row(called=True)
def class_changed_to_a_subclass(owner: Any, log: list[Any]) -> Undo:
    owner.linear.__class__ = Twice
    return lambda: setattr(owner.linear, "__class__", nn.Linear)


@row(called=True)
def class_changed_to_another_registered_one(owner: Any, log: list[Any]) -> Undo:
    owner.gelu.__class__ = nn.Sigmoid
    return lambda: setattr(owner.gelu, "__class__", nn.GELU)


@row(called=True)
def class_and_attributes_changed(owner: Any, log: list[Any]) -> Undo:
    layer, other = owner.head, nn.LayerNorm(6)
    before = dict(layer.__dict__)
    layer.__class__ = nn.LayerNorm
    layer.__dict__.clear()
    layer.__dict__.update(other.__dict__)

    def undo() -> None:
        layer.__class__ = nn.Linear
        layer.__dict__.clear()
        layer.__dict__.update(before)

    return undo


@row(called=True)
def compiled_by_itself(owner: Any, log: list[Any]) -> Undo:
    def backend(graph: Any, inputs: Any) -> Any:
        log.append("compiled")
        return graph.forward

    owner.linear.compile(backend=backend)
    return lambda: setattr(owner.linear, "_compiled_call_impl", None)


# --- another layer in its place -------------------------------------------------------------------


@replaced(called=False)
def layer_of_the_same_type(owner: Any, log: list[Any]) -> None:
    owner.linear = nn.Linear(16, 6, bias=False)
    owner.gelu = nn.GELU("tanh")


@replaced(called=False)
def layer_of_the_same_type_by_add_module(owner: Any, log: list[Any]) -> None:
    owner.add_module("conv", nn.Conv2d(2, 4, 3, dtype=torch.float32))


@replaced(called=False)
def layer_of_the_same_type_in_the_dictionary(owner: Any, log: list[Any]) -> None:
    owner._modules["head"] = nn.Linear(6, 5)


@replaced(called=False)
def layer_exchanged_and_back(owner: Any, log: list[Any]) -> Undo:
    before = owner.linear
    owner.linear = nn.Linear(16, 6)
    return lambda: setattr(owner, "linear", before)


@replaced(called=True)
def subclass(owner: Any, log: list[Any]) -> Undo:
    before = owner.linear
    torch.manual_seed(0)
    owner.linear = Twice(16, 6)
    return lambda: setattr(owner, "linear", before)


@replaced(called=True)
def another_type(owner: Any, log: list[Any]) -> Undo:
    before = owner.gelu
    owner.gelu = nn.Sequential(nn.Linear(6, 6), nn.Tanh())
    return lambda: setattr(owner, "gelu", before)


@replaced(called=True)
def another_registered_type(owner: Any, log: list[Any]) -> Undo:
    before = owner.pool
    owner.pool = nn.AvgPool2d(2)
    return lambda: setattr(owner, "pool", before)


@replaced(called=True)
def nothing_in_its_place(owner: Any, log: list[Any]) -> Undo:
    before = owner.linear
    owner.linear = None
    return lambda: setattr(owner, "linear", before)


@replaced(called=False)
def called_layer_by_a_registered_one(owner: Any, log: list[Any]) -> Undo:
    before = owner.softmax
    owner.softmax = nn.Tanh()
    return lambda: setattr(owner, "softmax", before)


@rows_of(ROWS)
@each_mode
def test_a_layer_that_does_something_else_does_it_in_the_model(
    row: Any, execution: str, training: bool
) -> None:
    check_row(row, execution, training)
    torch._dynamo.reset()


@rows_of(ROWS)
@each_mode
def test_a_layer_that_did_something_else_before_building_does_it_in_the_model(
    row: Any, execution: str, training: bool
) -> None:
    check_row_before_building(row, execution, training)
    torch._dynamo.reset()


@rows_of(REPLACED)
@each_mode
def test_a_layer_in_the_place_of_another_is_used(row: Any, execution: str, training: bool) -> None:
    pair = Pair(execution, training)
    assert pair.agree()
    pair.do(row)
    pair.agree()
    if execution == "inlined" and not training:
        with_reason = set(obstacles(pair.model)) - {"softmax"}
        assert bool(with_reason) == row.called
    if pair.undo():
        assert pair.agree()
        pair.check_how(called=False)


@pytest.mark.parametrize("name", ["gelu", "softmax"])
@each_mode
def test_a_function_among_the_submodules_is_called(
    execution: str, training: bool, name: str
) -> None:
    """It is no module, and much of ``nn.Module`` fails on it; the forward does not."""
    pair = Pair(execution, training)
    pair.agree()
    for owner in (pair.model, pair.twin):
        owner._modules[name] = torch.sin
    for _ in range(2):
        results = []
        for owner in (pair.model, pair.twin):
            torch.manual_seed(0)
            results.append(owner(value()))
        assert_same(*results)


@pytest.mark.parametrize("name", LAYERS)
@each_mode
def test_a_layer_that_was_deleted_is_an_error(execution: str, training: bool, name: str) -> None:
    pair = Pair(execution, training)
    pair.agree()
    delattr(pair.model, name)
    with pytest.raises(KeyError, match=name):
        pair.model(value())


# --- what holds for all layers of a type ----------------------------------------------------------


@contextmanager
def patched(owner: Any, name: str, make: Callable[[Any], Any]) -> Iterator[None]:
    own = vars(owner).get(name)
    setattr(owner, name, make(getattr(owner, name)))
    try:
        yield
    finally:
        if own is not None:
            setattr(owner, name, own)
        else:
            delattr(owner, name)


def doubling(function: Any) -> Any:
    @functools.wraps(function)
    def doubled(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs) * 2

    return doubled


PATCHES = [
    (nn.Linear, "forward", doubling),
    (nn.Linear, "__call__", doubling),
    (nn.Linear, "_call_impl", doubling),
    (nn.GELU, "forward", lambda _: lambda self, x: x.sin()),
    (nn.Conv2d, "_conv_forward", doubling),
    (nn.modules.batchnorm._BatchNorm, "forward", doubling),
    (nn.BatchNorm2d, "_check_input_dim", lambda _: lambda self, x: None),
    (nn.Flatten, "forward", doubling),
    (nn.Dropout, "forward", lambda _: lambda self, x: x),
    (F, "linear", doubling),
    (F, "relu", doubling),
    (F, "conv2d", doubling),
    (F, "batch_norm", doubling),
    (F, "dropout", lambda _: lambda x, *rest: x),
    (F, "layer_norm", doubling),
    (F, "max_pool2d", doubling),
    (F, "gelu", lambda _: lambda x, **rest: x),
    (nn.Softmax, "forward", doubling),
    (useful_layers.AddOpLayer, "forward", lambda _: staticmethod(lambda a, b: a - b)),
]


@pytest.mark.parametrize(
    ("owner", "name", "make"), PATCHES, ids=[f"{o.__name__}.{n}" for o, n, _ in PATCHES]
)
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
def test_a_method_or_function_that_someone_replaced_is_used_while_it_is(
    owner: Any, name: str, make: Any, training: bool
) -> None:
    made = network(training)
    model, twin = model_of(made, "inlined"), model_of(copy.deepcopy(made), "codegen")
    expected = observe(twin, [])
    assert_same(observe(model, []), expected)
    with patched(owner, name, make):
        for _ in range(2):
            changed = observe(twin, [])
            assert_same(observe(model, []), changed)
        if not (name in ("_check_input_dim", "dropout") or owner is nn.Dropout) or (
            training and name != "_check_input_dim"
        ):
            assert changed["result"].ne(expected["result"]).any()
        inside = model_of(made, "inlined")
        assert_same(observe(inside, []), observe(twin, []))
    for built in (model, inside):
        observe(twin, [])
        assert_same(observe(built, [])["result"], observe(model, [])["result"])
        assert called_layers(built) == always_called(built)


def test_explain_names_what_was_replaced() -> None:
    pair = Pair("inlined", training=False)
    with patched(nn.Linear, "forward", doubling):
        assert obstacles(pair.model)["head"] == "the forward of Linear was replaced"
    with patched(F, "linear", doubling):
        assert obstacles(pair.model)["head"] == "torch.nn.functional.linear was replaced"
    with patched(nn.GELU, "__call__", doubling):
        assert obstacles(pair.model)["gelu"] == "the __call__ of GELU was replaced"
    with patched(nn.Module, "__call__", doubling):
        assert obstacles(pair.model)["relu"].startswith("torch.nn.Module.__call__ is replaced")
    pair.model.linear.forward = lambda x: x
    pair.model.head = Twice(6, 4)
    pair.model.gelu._compiled_call_impl = lambda x: x
    assert obstacles(pair.model) == {
        "linear": "it has a forward of its own",
        "head": "the source was written for another layer than this Twice; "
        "assign model.execution once more to write it anew",
        "gelu": "it was compiled by itself",
        "softmax": "Softmax has no functional form in the layer rules",
    }
    assert pair.model.explain().title == "execution 'inlined'"


EARLY = """
import torch
from torch import nn

forward = nn.Linear.forward
nn.Linear.forward = lambda self, x: forward(self, x) * 2  # before hpml is imported
from hpml.symbolic import Input, SymbolicModel

x = Input(shape=(4,))
layer = nn.Linear(4, 4)
model = SymbolicModel(x, layer(x).relu(), execution="inlined")
value = torch.ones(1, 4)
assert torch.equal(model(value), layer(value).relu())
assert torch.equal(layer(value), forward(layer, value) * 2)
print(model.explain().rows[0][3])
"""


def test_a_method_that_was_replaced_before_the_package_was_imported_is_used() -> None:
    assert run_python(EARLY) == "the forward of Linear was replaced\n"
