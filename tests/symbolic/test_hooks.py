"""Hooks of every kind, before and after building, on one layer and on all, taken away again."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.modules import module as torch_module
from torch.utils.hooks import RemovableHandle

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel
from tests.symbolic.hazards import (
    LAYERS,
    Pair,
    always_called,
    called_layers,
    observe,
    obstacles,
    value,
)
from tests.symbolic.programs import assert_same

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*non-full backward hooks.*:FutureWarning",
    # A full backward hook makes a view, which the in-place ReLU behind it changes.
    "ignore:.*a view and is being modified inplace.*",
)


@pytest.mark.parametrize("name", LAYERS)
def test_a_hook_on_any_layer_is_called_once_a_forward(name: str) -> None:
    pair = Pair("inlined", training=False)
    pair.agree()
    seen: list[Any] = []
    handle = getattr(pair.model, name).register_forward_hook(lambda *_: seen.append(1))
    pair.model(value())
    assert seen == [1]
    handle.remove()
    pair.model(value())
    assert seen == [1]
    assert called_layers(pair.model) == always_called(pair.model)


def test_hooks_on_every_layer_see_what_they_see_when_layers_are_called() -> None:
    pair = Pair("inlined", training=True)
    pair.agree()
    for owner, log in zip((pair.model, pair.twin), pair.logs, strict=True):
        for name in LAYERS:
            getattr(owner, name).register_forward_hook(
                lambda _, args, result, log=log, name=name: log.extend(
                    [name, args[0].detach().clone(), result.detach().clone()]
                )
            )
    pair.agree()


def operators(execution: str) -> SymbolicModel:
    torch.manual_seed(0)
    x, y = Input(shape=(4,)), Input(shape=(4,))
    h = (x + y) * (2 - x)
    first, second = torch.chunk(nn.Linear(4, 4)(h) @ nn.Linear(4, 4).weight, 2, dim=1)
    return SymbolicModel((x, y), (first[:, :1], second.sigmoid(), h.T), execution=execution)


PAIR = (torch.linspace(0, 1, 12).reshape(3, 4), torch.linspace(-1, 1, 12).reshape(3, 4))


def test_a_hook_on_an_operator_a_function_or_an_unpacking_is_called() -> None:
    model, twin = operators("inlined"), operators("codegen")
    expected = twin(*PAIR)
    assert len(model._modules) == 10
    for name in model._modules:
        assert_same(model(*PAIR), expected)
        logs: list[list[Any]] = [[], []]
        for owner, log in zip((model, twin), logs, strict=True):
            layer = getattr(owner, name)
            with layer.register_forward_hook(lambda *seen, log=log: log.append(seen[1:])):
                assert_same(owner(*PAIR), expected)
        assert_same(*logs)
        assert len(logs[0]) == 1, name


@pytest.mark.parametrize("everywhere", [False, True], ids=["one layer", "all modules"])
def test_a_hook_that_another_thread_is_just_registering_is_not_missed(everywhere: bool) -> None:
    """Registering takes a number first and writes the hook next; a forward runs in between."""
    pair = Pair("inlined", training=False)
    pair.agree()
    name = "_global_forward_hooks"
    hooks = getattr(torch_module, name) if everywhere else pair.model.linear._forward_hooks
    handle = RemovableHandle(hooks)
    pair.model(value())
    pair.model(value())
    seen: list[Any] = []
    hooks[handle.id] = lambda *_: seen.append(1)
    try:
        pair.model(value())
    finally:
        handle.remove()
    assert len(seen) == (len(pair.model._modules) + 1 if everywhere else 1)
    pair.agree()


def test_a_hook_that_raises_is_seen_by_the_hooks_that_are_always_called() -> None:
    pair = Pair("inlined", training=False)
    pair.agree()

    def fails(*_: Any) -> None:
        raise KeyError("weight")

    for owner, log in zip((pair.model, pair.twin), pair.logs, strict=True):
        owner.head.register_forward_hook(fails)
        owner.head.register_forward_hook(lambda *_, log=log: log.append("always"), always_call=True)
    pair.agree()
    assert pair.logs[0] == ["always"]


def test_hooks_on_tensors_in_each_step_change_nothing() -> None:
    pair = Pair("inlined", training=True)
    optimisers = [torch.optim.SGD(owner.parameters(), lr=0.1) for owner in (pair.model, pair.twin)]
    for _ in range(4):
        for owner, optimiser in zip((pair.model, pair.twin), optimisers, strict=True):
            x = value().requires_grad_()
            x.register_hook(lambda gradient: gradient * 2)
            torch.manual_seed(0)
            owner(x).square().sum().backward()
            optimiser.step()
            optimiser.zero_grad()
        assert called_layers(pair.model) == always_called(pair.model)
        pair.twin(value())  # the statistics of the look from outside
    assert_same(dict(pair.model.state_dict()), dict(pair.twin.state_dict()))


def test_a_hook_that_removes_itself_is_called_once() -> None:
    pair = Pair("inlined", training=False)
    pair.agree()
    seen: list[Any] = []

    def once(*_: Any) -> None:
        seen.append(1)
        handle.remove()

    handle = pair.model.linear.register_forward_hook(once)
    for _ in range(3):
        pair.model(value())
    assert seen == [1]
    assert called_layers(pair.model) == always_called(pair.model)


def test_a_hook_that_a_layer_registers_during_a_forward_is_seen_by_the_next() -> None:
    pair = Pair("inlined", training=False)
    pair.agree()
    seen: list[Any] = []
    first = pair.model.softmin.register_forward_hook(
        lambda *_: pair.model.conv.register_forward_hook(lambda *_: seen.append(1))
    )
    pair.model(value())
    first.remove()
    pair.model(value())
    assert seen == [1]


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_a_global_hook_sees_every_call_and_goes_again(execution: str) -> None:
    pair = Pair(execution, training=False)
    seen: list[nn.Module] = []
    with torch_module.register_module_forward_hook(lambda module, *_: seen.append(module)):
        pair.model(value())
    layers = [pair.model._modules[call.name] for call in pair.model.graph.calls]
    if execution != "lazy":
        assert seen == [*layers, pair.model]
    assert set(seen) == {*layers, pair.model}
    seen.clear()
    pair.model(value())
    assert seen == []


def test_a_hook_on_the_model_leaves_its_layers_written_out() -> None:
    pair = Pair("inlined", training=False)
    for owner in (pair.model, pair.twin):
        owner.register_forward_hook(lambda _, args, result: result * 2)
    pair.agree()
    pair.check_how(called=False)


def test_explain_names_the_kind_of_hook() -> None:
    pair = Pair("inlined", training=False)
    pair.model.conv.register_forward_pre_hook(lambda *_: None)
    pair.model.head.register_full_backward_hook(lambda *_: None)
    pair.model.linear.register_forward_hook(lambda *_: None)
    pair.model.gelu.register_full_backward_pre_hook(lambda *_: None)
    why = obstacles(pair.model)
    assert why["conv"] == "it has forward pre hooks"
    assert why["head"] == "it has backward hooks"
    assert why["linear"] == "it has forward hooks"
    assert why["gelu"] == "it has backward pre hooks"
    with torch_module.register_module_forward_hook(lambda *_: None):
        assert obstacles(pair.model)["relu"] == "a hook is registered for all modules"
    assert observe(pair.model, []).keys() == observe(pair.twin, []).keys()
