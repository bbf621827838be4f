"""Whatever is called on symbolic data is recorded as a call, or refused with what to write."""

from __future__ import annotations

import copy
import operator
import pickle
from collections import OrderedDict, deque
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel, add_to_graph
from hpml.symbolic.errors import ArgumentError
from tests.parts import raises
from tests.symbolic.programs import assert_same

VALUE = torch.linspace(-1, 2, 20).reshape(5, 4)
each_execution = pytest.mark.parametrize("execution", EXECUTIONS)


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return -ctx.scale * gradient, None


early = Reversed.apply


class Same(torch.autograd.Function):
    """Uses no operator on its argument, and saves no tensor."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return -gradient


@pytest.mark.parametrize(
    "call",
    [
        lambda x: early(x, 1.0),
        lambda x: Reversed.apply(x, 1.0),
        lambda x: Same.apply(x),
        lambda x: torch.vmap(square_sum)(x),
        lambda x: torch.func.grad(square_sum)(x),
        lambda x: torch.func.grad_and_value(square_sum)(x),
        lambda x: torch.func.jacrev(square_sum)(x),
        lambda x: torch.func.jacfwd(square_sum)(x),
        lambda x: torch.func.hessian(square_sum)(x),
        lambda x: torch.func.vjp(square_sum, x),
        lambda x: torch.func.jvp(square_sum, (x,), (x,)),
        lambda x: torch.func.functionalize(square_sum)(x),
        lambda x: torch.autograd.functional.jacobian(square_sum, x),
    ],
)
def test_a_call_that_torch_would_not_record_is_refused(call: Any) -> None:
    for gradients in (True, False):
        with torch.set_grad_enabled(gradients):
            x = Input(shape=(4,))
            with pytest.raises(ArgumentError) as refused:
                call(x)
            error = refused.value
            assert error.object in ("A transform of torch.func", "Reversed.apply", "Same.apply")
            assert error.received.startswith("symbolic data")
            assert "add_to_graph" in error.remedy
            assert x.children == ()


@each_execution
def test_an_autograd_function_is_recorded_with_its_backward(execution: str) -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, add_to_graph(Reversed.apply, x * 2, 3.0), execution=execution)
    del x
    assert [call.name for call in model.graph.calls] == ["mul_1", "Reversed_1"]
    for owner in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        value = VALUE.clone().requires_grad_()
        owner(value).sum().backward()
        assert_same(value.grad, torch.full((5, 4), -6.0))


@each_execution
@pytest.mark.parametrize("by_name", [False, True])
def test_functional_call_is_recorded_with_the_weights_that_it_is_given(
    by_name: bool, execution: str
) -> None:
    layer = nn.Linear(4, 4)
    weights = {"weight": torch.ones(4, 4), "bias": nn.Parameter(torch.zeros(4))}

    def program(x: Any) -> Any:
        args, kwargs = ((), {"input": x}) if by_name else ((x,), {})
        return torch.func.functional_call(layer, weights, args, kwargs)

    x = Input(shape=(4,))
    model = SymbolicModel(x, program(x) + 1, execution=execution)
    for owner in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert_same(owner(VALUE), program(VALUE) + 1)
    assert weights["bias"] in set(model.parameters())


def square_sum(x: torch.Tensor) -> torch.Tensor:
    return x.square().sum()


TRANSFORMED: dict[str, Any] = {
    "vmap": torch.vmap(square_sum),
    "grad": torch.func.grad(square_sum),
    "grad_and_value": torch.func.grad_and_value(square_sum),
    "vmap of grad": torch.vmap(torch.func.grad(square_sum)),
    "vmap of a layer": torch.vmap(nn.Linear(4, 3)),
}


@each_execution
@pytest.mark.parametrize("name", TRANSFORMED)
def test_a_transformed_function_is_recorded_as_one_call(name: str, execution: str) -> None:
    x = Input(shape=(4,))
    y = add_to_graph(TRANSFORMED[name], x)
    outputs = list(y) if name == "grad_and_value" else y
    model = SymbolicModel(x, outputs, execution=execution)
    expected = TRANSFORMED[name](VALUE)
    assert_same(model(VALUE), expected)
    assert_same(copy.deepcopy(model)(VALUE), expected)


class Both(NamedTuple):
    a: Any
    b: Any


class Listed(list):  # type: ignore[type-arg]
    pass


CONTAINERS = {
    "list": lambda a, b: [a, b],
    "tuple": lambda a, b: (a, b),
    "dict": lambda a, b: {"a": a, "b": b},
    "named tuple": Both,
    "nested": lambda a, b: [Both(a, 1), {"b": [b]}],
}


def parts_of(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, int):
        return []
    parts = value.values() if isinstance(value, dict) else value
    return [tensor for part in parts for tensor in parts_of(part)]


class Takes(nn.Module):
    """Adds up what it is given, whatever holds it; drops out while it trains."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.seen: list[type] = []

    def forward(self, data: Any) -> Any:
        self.seen.append(type(data))
        total = self.linear(sum(parts_of(data)))
        return total * 0 if self.training else total


@each_execution
@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("keyword", [False, True])
def test_a_module_given_a_container_is_recorded_as_a_call(
    name: str, keyword: bool, execution: str
) -> None:
    torch.manual_seed(0)
    make, layer = CONTAINERS[name], Takes()
    x = Input(shape=(4,))
    given = make(x, x * 2)
    y = layer(data=given) if keyword else layer(given)
    model = SymbolicModel(x, y, execution=execution)
    del x, y, given
    assert layer.seen == []
    assert len(model.graph.calls) == 2
    hooked: list[Any] = []
    layer.register_forward_hook(lambda *_: hooked.append(1))
    for training in (False, True):
        expected = layer.train(training)(make(VALUE, VALUE * 2))
        assert_same(model.train(training)(VALUE), expected)
    assert hooked == [1] * 4
    assert set(layer.seen) == {type(make(1, 2))}
    assert_same(copy.deepcopy(model).eval()(VALUE), model.eval()(VALUE))


@pytest.mark.parametrize(
    "make",
    [
        *(lambda x, kind=kind: kind([x]) for kind in (set, frozenset, deque, Listed)),
        lambda x: OrderedDict(a=x),
    ],
)
def test_symbolic_data_in_another_container_is_refused(make: Any) -> None:
    x = Input(shape=(4,))
    what, kind = "symbolic data in an argument", type(make(x)).__name__
    with raises(ArgumentError, object=what, received=kind):
        Takes()(make(x))


def test_an_ordinary_container_that_contains_itself_passes() -> None:
    x = Input(shape=(4,))
    ordinary: dict[str, Any] = {"a": VALUE}
    ordinary["self"] = ordinary

    class First(nn.Module):
        def forward(self, data: Any) -> Any:
            return data["a"]

    assert First()(ordinary) is VALUE
    assert x.children == ()


def test_building_changes_no_object_that_a_builtin_function_would_change() -> None:
    x, kept = Input(shape=(4,)), {"bias": torch.ones(4)}
    add_to_graph(operator.setitem, kept, "x", x)
    assert list(kept) == ["bias"]


def test_a_forward_may_have_parameters_of_any_name() -> None:
    class Odd(nn.Module):
        def forward(self, x: Any, func: Any = None, args: Any = None) -> Any:
            return x + func + args

    x = Input(shape=(4,))
    model = SymbolicModel(x, Odd()(x, func=x * 2, args=1.0))
    assert_same(model(VALUE), VALUE + VALUE * 2 + 1.0)


@pytest.mark.parametrize(
    "expression", [lambda p: p[:4], lambda p: p * 2, lambda p: p.view(1, 8)[:, :4]]
)
def test_what_was_computed_from_a_parameter_is_refused(expression: Any) -> None:
    x, parameter = Input(shape=(4,)), nn.Parameter(torch.rand(8))
    computed = "computed from a parameter"
    with raises(ArgumentError, object="constant tensor", received=computed, remedy="detach()"):
        x + expression(parameter)[..., :4]
    SymbolicModel(x, x + expression(parameter.detach())[..., :4])


CALLS_WITH_A_LIST: dict[str, tuple[Any, Any]] = {
    "index": (list, lambda x, s: x[:, s]),
    "array": (np.array, lambda x, s: x[:, s]),
    "method": (list, lambda x, s: x.sum(s)),
    "method by keyword": (list, lambda x, s: x.mean(dim=s)),
    "function": (list, lambda x, s: F.pad(x, s)),
    "list in a tuple": (list, lambda x, s: torch.tensordot(x, x, (s, s))),
}


@each_execution
@pytest.mark.parametrize("name", CALLS_WITH_A_LIST)
def test_a_call_keeps_the_list_that_it_was_given_when_the_program_changes_it(
    name: str, execution: str
) -> None:
    make, call = CALLS_WITH_A_LIST[name]

    def program(x: Any) -> tuple[Any, Any]:
        sizes = make([0, 1])
        first = call(x, sizes)
        sizes[0] = sizes[1] = 1
        return first, x[:, sizes]

    x = Input(batch_shape=(5, 4))
    model = SymbolicModel(x, program(x), execution=execution)
    assert_same(model(VALUE), program(VALUE))


def steps_with(mask: torch.Tensor, copied: bool) -> Any:
    def program(x: Any) -> Any:
        results = []
        for i in range(3):
            mask[i] = 1
            results.append(x * (mask.clone() if copied else mask))
        return tuple(results)

    return program


def test_a_constant_that_was_changed_in_place_after_a_call_is_refused() -> None:
    x = Input(shape=(4,))
    results = steps_with(torch.zeros(4), copied=False)(x)
    changed = "changed in place"
    with raises(ArgumentError, object="constant tensor", received=changed, remedy="clone()"):
        SymbolicModel(x, results)
    SymbolicModel(x, results[-1])


@each_execution
def test_copies_of_a_constant_and_one_that_is_changed_later_are_used(execution: str) -> None:
    x, scale = Input(shape=(4,)), torch.ones(4)
    results = steps_with(torch.zeros(4), copied=True)(x)
    model = SymbolicModel(x, (*results, x * scale), execution=execution)
    scale += 1
    assert_same(model(VALUE), (*steps_with(torch.zeros(4), copied=True)(VALUE), VALUE * scale))


@each_execution
def test_a_buffer_in_an_expression_stays_that_of_its_layer_while_that_changes(
    execution: str,
) -> None:
    x, norm = Input(shape=(4,)), nn.BatchNorm1d(4)
    y = norm(x) * norm.running_mean
    norm(VALUE)
    model = SymbolicModel(x, y, execution=execution).double()
    model(VALUE.double())
    model.eval()
    assert_same(model(VALUE.double()), norm(VALUE.double()) * norm.running_mean)
