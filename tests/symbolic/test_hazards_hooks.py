"""Hooks of every kind, before and after building, on one layer and on all, taken away again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
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
    Row,
    always_called,
    called_layers,
    check_row,
    check_row_before_building,
    each_mode,
    observe,
    obstacles,
    row_list,
    rows_of,
    value,
)
from tests.symbolic.programs import assert_same

ROWS, row = row_list()
HARMLESS, harmless = row_list()
Undo = Callable[[], object]

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*non-full backward hooks.*:FutureWarning",
    # A full backward hook makes a view, which the in-place ReLU behind it changes.
    "ignore:.*a view and is being modified inplace.*",
)


@row(called=True)
def forward_hook_that_reads(owner: Any, log: list[Any]) -> Undo:
    return owner.linear.register_forward_hook(
        lambda _, args, result: log.extend([args[0].clone(), result.clone()])
    ).remove


@row(called=True)
def forward_hook_that_changes(owner: Any, log: list[Any]) -> Undo:
    return owner.flat.register_forward_hook(lambda _, args, result: result * 2).remove


@row(called=True)
def forward_hook_with_kwargs(owner: Any, log: list[Any]) -> Undo:
    def hook(_: nn.Module, args: Any, kwargs: Any, result: torch.Tensor) -> torch.Tensor:
        log.append((len(args), dict(kwargs)))
        return result + 1

    return owner.gelu.register_forward_hook(hook, with_kwargs=True).remove


@row(called=True)
def forward_hook_always_called(owner: Any, log: list[Any]) -> Undo:
    return owner.head.register_forward_hook(
        lambda _, args, result: log.append(result is None), always_call=True
    ).remove


@row(called=True)
def forward_pre_hook_that_changes(owner: Any, log: list[Any]) -> Undo:
    return owner.conv.register_forward_pre_hook(lambda _, args: (args[0] * 3,)).remove


@row(called=True)
def forward_pre_hook_with_kwargs(owner: Any, log: list[Any]) -> Undo:
    def hook(_: nn.Module, args: Any, kwargs: Any) -> Any:
        log.append((len(args), dict(kwargs)))
        return (args[0] - 1,), kwargs

    return owner.pool.register_forward_pre_hook(hook, with_kwargs=True).remove


@row(called=True)
def several_hooks_in_an_order(owner: Any, log: list[Any]) -> Undo:
    layer = owner.layer_norm
    handles = [
        layer.register_forward_hook(lambda *_: log.append("first")),
        layer.register_forward_hook(lambda *_: log.append("second")),
        layer.register_forward_hook(lambda *_: log.append("before"), prepend=True),
        layer.register_forward_pre_hook(lambda *_: log.append("pre")),
    ]
    return lambda: [handle.remove() for handle in handles]


@row(called=True)
def full_backward_hook_that_changes(owner: Any, log: list[Any]) -> Undo:
    def hook(_: nn.Module, into: Any, out: Any) -> Any:
        log.append(out[0].clone())
        return (into[0] * 2,)

    return owner.linear.register_full_backward_hook(hook).remove


@row(called=True)
def full_backward_pre_hook_that_changes(owner: Any, log: list[Any]) -> Undo:
    return owner.head.register_full_backward_pre_hook(lambda _, out: (out[0] * 3,)).remove


@row(called=True)
def old_backward_hook(owner: Any, log: list[Any]) -> Undo:
    return owner.linear.register_backward_hook(
        lambda _, into, out: log.append(out[0].clone())
    ).remove


@row(called=True)
def hook_on_batch_norm(owner: Any, log: list[Any]) -> Undo:
    return owner.norm.register_forward_hook(lambda _, args, result: result + 1).remove


@row(called=True)
def hook_on_dropout(owner: Any, log: list[Any]) -> Undo:
    return owner.drop.register_forward_hook(lambda _, args, result: log.append(result.sum())).remove


@row(called=True)
def hook_on_an_in_place_layer(owner: Any, log: list[Any]) -> Undo:
    return owner.relu.register_forward_hook(lambda _, args, r: log.append(r is args[0])).remove


@row(called=True)
def hook_written_into_the_dictionary(owner: Any, log: list[Any]) -> Undo:
    owner.linear._forward_hooks[10**9] = lambda _, args, result: result * 2
    return owner.linear._forward_hooks.clear


@row(called=True)
def hook_after_all_hooks_were_cleared_by_assignment(owner: Any, log: list[Any]) -> Undo:
    for layer in owner.modules():
        layer._forward_hooks = OrderedDict()
    return forward_hook_that_changes(owner, log)


def global_hook(register: str, hook: Callable[..., Any]) -> Callable[[Any, list[Any]], Undo]:
    """Return an event: a hook for all modules that looks at those of one owner."""

    def event(owner: Any, log: list[Any]) -> Undo:
        mine = {id(getattr(owner, name)): name for name in LAYERS}

        def filtered(module: nn.Module, *rest: Any) -> Any:
            if id(module) not in mine:
                return None
            log.append(mine[id(module)])
            return hook(module, *rest)

        return getattr(torch_module, register)(filtered).remove

    event.__name__ = register
    return event


ROWS += [
    Row(global_hook("register_module_forward_hook", lambda _, args, result: result * 1.5), True),
    Row(global_hook("register_module_forward_pre_hook", lambda _, args: (args[0] + 0.5,)), True),
    Row(global_hook("register_module_full_backward_hook", lambda *_: None), True),
    Row(global_hook("register_module_full_backward_pre_hook", lambda *_: None), True),
]


@harmless(called=False)
def hook_on_a_layer_that_is_called_anyway(owner: Any, log: list[Any]) -> Undo:
    return owner.softmax.register_forward_hook(lambda _, args, result: result * 2).remove


@harmless(called=False)
def hooks_of_the_state(owner: Any, log: list[Any]) -> Undo:
    layer = owner.linear
    handles = [
        layer.register_state_dict_pre_hook(lambda *_: None),
        layer.register_state_dict_post_hook(lambda *_: None),
        layer.register_load_state_dict_pre_hook(lambda *_: None),
        layer.register_load_state_dict_post_hook(lambda *_: None),
    ]
    return lambda: [handle.remove() for handle in handles]


@harmless(called=False)
def hook_on_a_parameter(owner: Any, log: list[Any]) -> Undo:
    return owner.conv.weight.register_hook(lambda gradient: gradient * 2).remove


@harmless(called=False)
def hook_on_an_accumulated_gradient(owner: Any, log: list[Any]) -> Undo:
    return owner.linear.weight.register_post_accumulate_grad_hook(
        lambda parameter: log.append(parameter.grad.sum())
    ).remove


@harmless(called=False)
def hook_registered_and_removed_before_the_next_run(owner: Any, log: list[Any]) -> Undo:
    forward_hook_that_changes(owner, log)()
    return lambda: None


@harmless(called=False)
def hook_for_registrations(owner: Any, log: list[Any]) -> Undo:
    return torch_module.register_module_parameter_registration_hook(lambda *_: None).remove


@rows_of(ROWS + HARMLESS)
@each_mode
def test_a_hook_does_what_it_does_to_called_layers(
    row: Row, execution: str, training: bool
) -> None:
    check_row(row, execution, training)


@rows_of(ROWS + HARMLESS)
@each_mode
def test_a_hook_that_was_there_before_building_works(
    row: Row, execution: str, training: bool
) -> None:
    check_row_before_building(row, execution, training)


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
    first = pair.model.softmax.register_forward_hook(
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
