"""What happens to a model after it was built: every execution goes on doing what the layers do."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel
from tests.symbolic.models import assert_same

Event = Callable[[SymbolicModel], Any]


def build(execution: str) -> SymbolicModel:
    torch.manual_seed(0)
    x = Input(shape=(4,))
    h = nn.Linear(4, 4)(x, custom_name="first")
    h = nn.BatchNorm1d(4)(h, custom_name="norm").tanh()
    h = nn.Dropout(0.5)(h, custom_name="dropout") + x
    y = nn.Linear(4, 3)(h, custom_name="second")
    model = SymbolicModel(x, y, execution=execution).eval()
    model(VALUE)  # whatever is remembered at the first run is remembered now
    return model


def by_hand(model: SymbolicModel, x: torch.Tensor) -> torch.Tensor:
    h = torch.tanh(model.norm(model.first(x)))
    return model.second(model.dropout(h) + x)


VALUE = torch.linspace(-2, 2, 20).reshape(5, 4)


def trains(model: SymbolicModel) -> None:
    model.train()


def registers_a_hook(model: SymbolicModel) -> None:
    model.first.register_forward_hook(lambda *parts: parts[2] * 2)


def registers_a_pre_hook(model: SymbolicModel) -> None:
    model.second.register_forward_pre_hook(lambda _, args: (args[0] + 1,))


def removes_a_hook(model: SymbolicModel) -> None:
    handle = model.first.register_forward_hook(lambda *parts: parts[2] * 2)
    model(VALUE)
    handle.remove()


def registers_a_backward_hook(model: SymbolicModel) -> None:
    model.first.register_full_backward_hook(lambda _, into, out: (into[0] * 2,))


def parametrizes(model: SymbolicModel) -> None:
    class Symmetric(nn.Module):
        def forward(self, weight: torch.Tensor) -> torch.Tensor:
            return weight + weight.T

    parametrize.register_parametrization(model.first, "weight", Symmetric())


def normalises_a_weight(model: SymbolicModel) -> None:
    parametrizations.weight_norm(model.first)
    with torch.no_grad():
        model.first.parametrizations.weight.original0.mul_(3)


def prunes(model: SymbolicModel) -> None:
    prune.l1_unstructured(model.first, "weight", 0.5)


def takes_an_optimiser_step(model: SymbolicModel) -> None:
    optimiser = torch.optim.SGD(model.parameters(), lr=0.5)
    model(VALUE).square().sum().backward()
    optimiser.step()


def changes_a_weight_in_place(model: SymbolicModel) -> None:
    with torch.no_grad():
        model.first.weight.mul_(2)


def sets_the_data_of_a_weight(model: SymbolicModel) -> None:
    model.first.weight.data = torch.ones(4, 4)


def sets_a_new_parameter(model: SymbolicModel) -> None:
    model.first.weight = nn.Parameter(torch.ones(4, 4))


def takes_a_bias_away(model: SymbolicModel) -> None:
    model.first.bias = None


def replaces_a_parameter_by_a_tensor(model: SymbolicModel) -> None:
    del model.first.weight
    model.first.weight = torch.ones(4, 4)


def loads_a_state(model: SymbolicModel) -> None:
    model.load_state_dict({k: v + 1 for k, v in model.state_dict().items()})


def loads_a_state_by_assignment(model: SymbolicModel) -> None:
    model.load_state_dict({k: v + 1 for k, v in model.state_dict().items()}, assign=True)


def sets_a_forward_on_an_instance(model: SymbolicModel) -> None:
    model.first.forward = lambda x: x * 2


def deletes_a_forward_of_an_instance(model: SymbolicModel) -> None:
    model.first.forward = lambda x: x * 2
    model(VALUE)
    del model.first.forward


class Doubling(nn.Linear):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * 2


def changes_the_class_of_a_layer(model: SymbolicModel) -> None:
    model.first.__class__ = Doubling


def replaces_a_layer_by_another_type(model: SymbolicModel) -> None:
    model.first = nn.Sequential(nn.Linear(4, 4), nn.ReLU())


def replaces_a_layer_by_one_of_its_type(model: SymbolicModel) -> None:
    model.first = nn.Linear(4, 4, bias=False)


def changes_a_setting(model: SymbolicModel) -> None:
    model.norm.eps = 0.5
    model.norm.running_var.mul_(3)


def stops_tracking(model: SymbolicModel) -> None:
    model.norm.track_running_stats = False
    model.norm.running_mean = None
    model.norm.running_var = None


def freezes(model: SymbolicModel) -> None:
    model.first.requires_grad_(False)


def compiles_a_layer(model: SymbolicModel) -> None:
    torch._dynamo.reset()
    model.first.compile(backend="eager")


def is_moved_and_back(model: SymbolicModel) -> None:
    model.double().float()


def runs_nothing(model: SymbolicModel) -> None:
    pass


EVENTS = [
    *(runs_nothing, trains, registers_a_hook, registers_a_pre_hook, removes_a_hook),
    *(registers_a_backward_hook, parametrizes, normalises_a_weight, prunes),
    *(takes_an_optimiser_step, changes_a_weight_in_place, sets_the_data_of_a_weight),
    *(sets_a_new_parameter, takes_a_bias_away, replaces_a_parameter_by_a_tensor),
    *(loads_a_state, loads_a_state_by_assignment, sets_a_forward_on_an_instance),
    *(deletes_a_forward_of_an_instance, changes_the_class_of_a_layer),
    *(replaces_a_layer_by_another_type, replaces_a_layer_by_one_of_its_type, changes_a_setting),
    *(stops_tracking, freezes, compiles_a_layer, is_moved_and_back),
]


def observed(model: SymbolicModel, run: Callable[..., torch.Tensor]) -> tuple[Any, ...]:
    model.zero_grad()
    torch.manual_seed(1)
    value = VALUE.clone().requires_grad_()
    state = copy.deepcopy({name: b.clone() for name, b in model.named_buffers()})
    result = run(value)
    result.square().sum().backward()
    gradients = [None if p.grad is None else p.grad.clone() for p in model.parameters()]
    changed = {name: b.clone() for name, b in model.named_buffers()}
    with torch.no_grad():
        for name, buffer in model.named_buffers():
            buffer.copy_(state[name])
    return result.detach(), value.grad, gradients, changed


@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
@pytest.mark.filterwarnings("ignore:.*weight_norm.*:FutureWarning")
def test_a_model_goes_on_doing_what_its_layers_do(event: Event, execution: str) -> None:
    model = build(execution)
    event(model)
    expected = observed(model, lambda x: by_hand(model, x))
    assert_same(observed(model, model), expected)
    assert_same(observed(model, model), expected)


@contextmanager
def global_hook() -> Iterator[None]:
    handle = nn.modules.module.register_module_forward_hook(
        lambda module, args, out: out + 1 if isinstance(module, nn.Linear) else None
    )
    try:
        yield
    finally:
        handle.remove()


@contextmanager
def replaced_class_forward() -> Iterator[None]:
    before = nn.Linear.forward
    nn.Linear.forward = lambda self, x: before(self, x) * 2
    try:
        yield
    finally:
        nn.Linear.forward = before


@contextmanager
def replaced_module_call() -> Iterator[None]:
    before = nn.Module.__call__

    def call(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        result = before(self, *args, **kwargs)
        return result + 1 if isinstance(self, nn.Linear) else result

    nn.Module.__call__ = call
    try:
        yield
    finally:
        nn.Module.__call__ = before


SURROUNDINGS = [
    lambda: torch.autocast("cpu", torch.bfloat16),
    torch.inference_mode,
    torch.no_grad,
    lambda: torch.autograd.graph.save_on_cpu(),
    global_hook,
    replaced_class_forward,
    replaced_module_call,
]


@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("surround", SURROUNDINGS)
def test_a_model_does_what_its_layers_do_wherever_it_runs(surround: Any, execution: str) -> None:
    model = build(execution)
    before = model(VALUE)
    with surround():
        expected = by_hand(model, VALUE)
        received = model(VALUE)
    assert_same(received, expected)
    assert received.requires_grad == expected.requires_grad
    assert_same(model(VALUE), before)


def test_the_events_change_what_is_computed() -> None:
    """Else the comparison would pass for a model that notices nothing."""
    unchanged = {"runs_nothing", "removes_a_hook", "deletes_a_forward_of_an_instance"}
    unchanged |= {"freezes", "compiles_a_layer", "is_moved_and_back", "registers_a_backward_hook"}
    for event in EVENTS:
        model = build("ordered")
        before = by_hand(model, VALUE)
        event(model)
        torch.manual_seed(0)
        same = torch.equal(by_hand(model, VALUE), before)
        assert same == (event.__name__ in unchanged), event.__name__
