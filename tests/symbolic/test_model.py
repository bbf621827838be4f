from __future__ import annotations

import copy
import sys
import threading
import weakref
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, FunctionalModel, Input, SymbolicModel, config
from tests.symbolic.models import VALUE, small_model
from tests.symbolic.programs import assert_same

each_execution = pytest.mark.parametrize("execution", EXECUTIONS)


def test_the_older_documents_name_the_same_class() -> None:
    assert FunctionalModel is SymbolicModel


@pytest.mark.parametrize(
    ("settings", "by_default", "expected"),
    [
        ({"enable_forward_codegen": True}, False, "codegen"),
        ({"enable_forward_codegen": False}, True, "ordered"),
        ({"enable_forward_codegen": None, "execution": "lazy"}, True, "lazy"),
        ({"execution": "ordered"}, True, "ordered"),
        ({}, False, "ordered"),
        ({}, True, "inlined"),
    ],
)
def test_the_switches_choose_the_execution(
    settings: dict[str, Any], by_default: bool, expected: str
) -> None:
    config.CODEGEN_BY_DEFAULT = by_default
    x = Input(shape=(4,))
    assert SymbolicModel(x, x + 1, **settings).execution == expected


def test_a_model_can_be_switched_and_stays_the_same_function() -> None:
    model = small_model("lazy").eval()
    expected = model(VALUE)
    for execution in (*EXECUTIONS, *EXECUTIONS[::-1]):
        model.execution = execution
        assert model.execution == execution
        assert_same(model(VALUE), expected)


@each_execution
def test_an_added_output_is_returned_last(execution: str) -> None:
    x = Input(shape=(4,))
    h = nn.Linear(4, 4)(x)
    first, second = h.relu().chunk(2, dim=1)
    model = SymbolicModel(x, first, execution=execution)
    before = model(VALUE)
    model.add_output(h)
    model.add_output(first)
    result = model(VALUE)
    assert_same(result, (before, model.Linear_1(VALUE), before))
    assert model.outputs == (first, h, first)
    assert model.output_shape == ((None, 2), (None, 4), (None, 2))
    assert second.shape == (None, 2)


@pytest.mark.parametrize(
    "replace",
    [
        lambda model, layer: setattr(model, "Linear_1", layer),
        lambda model, layer: model.set_submodule("Linear_1", layer),
        lambda model, layer: model._modules.update(Linear_1=layer),
    ],
)
@each_execution
def test_a_replaced_layer_is_used_from_then_on(execution: str, replace: Any) -> None:
    model = small_model(execution)
    model(VALUE)
    for layer in (nn.Linear(4, 6, bias=False), nn.Sequential(nn.Linear(4, 6), nn.Tanh())):
        replace(model, layer)
        assert_same(model(VALUE)[1], layer(VALUE))
        assert_same(copy.deepcopy(model)(VALUE)[1], layer(VALUE))


@each_execution
def test_running_stores_nothing(execution: str) -> None:
    seen: list[Any] = []

    def note(*tensors: torch.Tensor) -> None:
        seen.extend(map(weakref.ref, tensors))

    x = Input(shape=(4,))
    y = nn.Linear(4, 4)(x)
    for _ in range(3):
        y = nn.Linear(4, 4)(y) + x
    model = SymbolicModel(x, y, execution=execution)
    hooks = [
        layer.register_forward_hook(lambda _, args, out: note(*args, out))
        for layer in model.children()
    ]
    value = torch.rand(2, 4)
    result = model(value)
    assert len(seen) > 10
    del value, result
    assert [reference for reference in seen if reference() is not None] == []
    assert len(hooks) == 7


class Recursive(nn.Module):
    """Calls the model that it is part of on a smaller input."""

    def __init__(self) -> None:
        super().__init__()
        self.models: list[Any] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.models and len(x) > 1:
            return x + self.models[0](x[1:]).sum()
        return x


@each_execution
def test_a_layer_may_call_the_model_that_it_is_part_of(execution: str) -> None:
    layer = Recursive()
    x = Input(shape=(4,))
    h = nn.Linear(4, 4)(x)
    model = SymbolicModel(x, layer(h) * h, execution=execution)
    layer.models.append(model)

    def by_hand(value: torch.Tensor) -> torch.Tensor:
        hidden = model.Linear_1(value)
        inner = hidden + by_hand(hidden[1:]).sum() if len(value) > 1 else hidden
        return inner * hidden

    assert_same(model(torch.ones(5, 4)), by_hand(torch.ones(5, 4)))
    layer.models.clear()


@each_execution
def test_threads_run_one_model_at_the_same_time(execution: str) -> None:
    x = inputs = Input(shape=(4,))
    for _ in range(20):
        x = nn.Linear(4, 4)(x) + inputs
    model = SymbolicModel(inputs, x, execution=execution)
    values = [torch.full((2, 4), float(i)) for i in range(2)]
    expected = [model(value) for value in values]
    failures: list[Any] = []

    def run(which: int) -> None:
        try:
            for _ in range(150):
                assert_same(model(values[which]), expected[which])
        except BaseException as error:  # noqa: BLE001 - handed to the main thread
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run, args=(which,)) for which in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert failures == []


def test_shapes_are_those_of_the_symbolic_data() -> None:
    x, y = Input(shape=(4,)), Input(batch_shape=(3, 4))
    assert SymbolicModel(x, x + 1).input_shape == (None, 4)
    assert SymbolicModel(x, x.sum(1)).output_shape == (None,)
    model = SymbolicModel((x, y), (x, y.tolist()))
    assert model.input_shape == ((None, 4), (3, 4))
    assert model.output_shape == ((None, 4), None)
