"""One table: what users do to the layers of a model, and whether these must be called from then on.

An event is done to a model and to its twin, a plain module with the same layers (`hazards.Pair`);
whatever can be seen of a run must then be equal.
"""

from __future__ import annotations

import functools
import types
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules import module as torch_module

from tests.symbolic.hazards import LAYERS, doubled, value

Undo = Callable[[], object] | None


class Event(NamedTuple):
    """Something users do.

    Attributes:
        name: what it is called in the tests.
        called: whether the layers must be called from then on.
        do: ``do(owner, log)`` does it; returns what takes it back, ``None`` where nothing can.
        visible: whether a run of the twin shows it; else the comparison would see no mistake.
        before: whether it is also done before the model is built.
    """

    name: str
    called: bool
    do: Callable[[Any, list[Any]], Any]
    visible: bool = True
    before: bool = False


EVENTS: list[Event] = []


def event(*, called: bool, visible: bool = True, before: bool | None = None) -> Any:
    """Add a function to the table under its own name."""

    def add(do: Callable[[Any, list[Any]], Any]) -> Any:
        EVENTS.append(Event(do.__name__, called, do, visible, called if before is None else before))
        return do

    return add


def table(called: bool, before: bool, rows: dict[str, Callable[[Any, list[Any]], Any]]) -> None:
    EVENTS.extend(Event(name, called, do, True, before) for name, do in rows.items())


def set_and_back(owner: Any, name: str, new: Any) -> Undo:
    before = getattr(owner, name)
    setattr(owner, name, new)
    return lambda: setattr(owner, name, before)


def set_and_delete(owner: Any, name: str, new: Any) -> Undo:
    setattr(owner, name, new)
    return lambda: delattr(owner, name)


def run_once(owner: Any) -> None:
    """Let what remembers anything remember it."""
    with torch.no_grad():
        owner(value())


# --- hooks ----------------------------------------------------------------------------------------

table(
    called=True,
    before=True,
    rows={
        "forward hook that reads": lambda o, log: (
            o.linear.register_forward_hook(
                lambda _, args, result: log.extend([args[0].clone(), result.clone()])
            ).remove
        ),
        "forward hook that changes": lambda o, log: o.flat.register_forward_hook(doubled).remove,
        "forward hook with kwargs": lambda o, log: (
            o.gelu.register_forward_hook(
                lambda _, args, kwargs, result: log.append((len(args), dict(kwargs))) or result + 1,
                with_kwargs=True,
            ).remove
        ),
        "forward hook always called": lambda o, log: (
            o.head.register_forward_hook(
                lambda _, args, result: log.append(result is None), always_call=True
            ).remove
        ),
        "pre hook that changes": lambda o, log: (
            o.conv.register_forward_pre_hook(lambda _, args: (args[0] * 3,)).remove
        ),
        "pre hook with kwargs": lambda o, log: (
            o.pool.register_forward_pre_hook(
                lambda _, args, kwargs: log.append((len(args), kwargs)) or ((args[0] - 1,), kwargs),
                with_kwargs=True,
            ).remove
        ),
        "full backward hook": lambda o, log: (
            o.linear.register_full_backward_hook(
                lambda _, into, out: log.append(out[0].clone()) or (into[0] * 2,)
            ).remove
        ),
        "full backward pre hook": lambda o, log: (
            o.head.register_full_backward_pre_hook(lambda _, out: (out[0] * 3,)).remove
        ),
        "old backward hook": lambda o, log: (
            o.linear.register_backward_hook(lambda _, into, out: log.append(out[0].clone())).remove
        ),
        "hook on batch norm": lambda o, log: (
            o.norm.register_forward_hook(lambda _, args, result: result + 1).remove
        ),
        "hook on dropout": lambda o, log: (
            o.drop.register_forward_hook(lambda _, args, result: log.append(result.sum())).remove
        ),
        "hook on an in-place layer": lambda o, log: (
            o.relu.register_forward_hook(
                lambda _, args, result: log.append(result is args[0])
            ).remove
        ),
        "hook written into the dictionary": lambda o, log: (
            o.linear._forward_hooks.update({10**9: doubled}),
            o.linear._forward_hooks.clear,
        )[1],
    },
)


@event(called=True)
def several_hooks_in_an_order(owner: Any, log: list[Any]) -> Undo:
    layer = owner.layer_norm
    handles = [
        layer.register_forward_hook(lambda *_: log.append("first")),
        layer.register_forward_hook(lambda *_: log.append("second")),
        layer.register_forward_hook(lambda *_: log.append("before"), prepend=True),
        layer.register_forward_pre_hook(lambda *_: log.append("pre")),
    ]
    return lambda: [handle.remove() for handle in handles]


@event(called=True)
def hook_after_all_hooks_were_cleared_by_assignment(owner: Any, log: list[Any]) -> Undo:
    for layer in owner.modules():
        layer._forward_hooks = OrderedDict()
    return owner.flat.register_forward_hook(doubled).remove


@event(called=True)
def hooks_swapped_in(owner: Any, log: list[Any]) -> Undo:
    """As one who keeps the hooks aside: no hook is registered by that."""
    prepared = OrderedDict({0: doubled})
    run_once(owner)
    before, owner.flat._forward_hooks = owner.flat._forward_hooks, prepared
    return lambda: setattr(owner.flat, "_forward_hooks", before)


@event(called=True)
def pre_hooks_swapped_in_and_out(owner: Any, log: list[Any]) -> Undo:
    owner.head._forward_pre_hooks = OrderedDict()
    run_once(owner)
    owner.head._forward_pre_hooks[0] = lambda _, args: (args[0] * 3,)
    return lambda: setattr(owner.head, "_forward_pre_hooks", OrderedDict())


def global_hook(register: str, hook: Callable[..., Any]) -> None:
    """Add a hook for all modules that looks at those of one owner."""

    def do(owner: Any, log: list[Any]) -> Undo:
        mine = {id(getattr(owner, name)): name for name in LAYERS}

        def filtered(module: nn.Module, *rest: Any) -> Any:
            if id(module) not in mine:
                return None
            log.append(mine[id(module)])
            return hook(module, *rest)

        return getattr(torch_module, register)(filtered).remove

    EVENTS.append(Event(register, True, do, before=True))


global_hook("register_module_forward_hook", lambda _, args, result: result * 1.5)
global_hook("register_module_forward_pre_hook", lambda _, args: (args[0] + 0.5,))
global_hook("register_module_full_backward_hook", lambda *_: None)
global_hook("register_module_full_backward_pre_hook", lambda *_: None)

table(
    called=False,
    before=True,
    rows={
        "hook on a layer called anyway": lambda o, log: (
            o.softmin.register_forward_hook(doubled).remove
        ),
        "hook on a parameter": lambda o, log: o.conv.weight.register_hook(lambda g: g * 2).remove,
        "hook on an accumulated gradient": lambda o, log: (
            o.linear.weight.register_post_accumulate_grad_hook(
                lambda parameter: log.append(parameter.grad.sum())
            ).remove
        ),
    },
)


@event(called=False, visible=False, before=True)
def hooks_of_the_state(owner: Any, log: list[Any]) -> Undo:
    names = ("state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post")
    handles = [getattr(owner.linear, f"register_{name}_hook")(lambda *_: None) for name in names]
    return lambda: [handle.remove() for handle in handles]


@event(called=False, visible=False, before=True)
def hook_registered_and_removed_before_the_next_run(owner: Any, log: list[Any]) -> Undo:
    owner.flat.register_forward_hook(doubled).remove()
    return lambda: None


@event(called=False, visible=False, before=True)
def hook_for_registrations(owner: Any, log: list[Any]) -> Undo:
    return torch_module.register_module_parameter_registration_hook(lambda *_: None).remove


# --- the same layer does something else -----------------------------------------------------------


def circular(self: Any, x: Any, weight: Any, bias: Any) -> Any:
    """Convolve as for images that can be tiled."""
    return F.conv2d(F.pad(x, (1, 1, 1, 1), "circular"), weight, bias)[..., 1:-1, 1:-1]


def doubling(function: Any) -> Any:
    @functools.wraps(function)
    def doubled(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs) * 2

    return doubled


class Twice(nn.Linear):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * 2


table(
    called=True,
    before=True,
    rows={
        "forward of its own": lambda o, log: set_and_delete(
            o.linear, "forward", lambda x: F.linear(x, o.linear.weight) * 2
        ),
        "inner method of its own": lambda o, log: set_and_delete(
            o.conv, "_conv_forward", types.MethodType(circular, o.conv)
        ),
        "check of its own": lambda o, log: set_and_delete(
            o.norm, "_check_input_dim", lambda x: log.append(x.dim())
        ),
        "call of its own": lambda o, log: set_and_delete(
            o.linear, "_call_impl", doubling(o.linear._call_impl)
        ),
        "class changed to a subclass": lambda o, log: set_and_back(o.linear, "__class__", Twice),
        "class changed to another registered one": lambda o, log: set_and_back(
            o.gelu, "__class__", nn.Sigmoid
        ),
    },
)


def method_while_an_attribute_goes(layer: str, name: str, own: str, make: Any) -> None:
    """Add two events after which the layer has as many attributes as before."""

    def noted(owner: Any, log: list[Any]) -> Undo:
        target = getattr(owner, layer)
        target.note = 1
        run_once(owner)
        del target.note
        return set_and_delete(target, name, make(target))

    def its_own(owner: Any, log: list[Any]) -> Undo:
        target = getattr(owner, layer)
        before = target.__dict__.pop(own)
        undo = set_and_delete(target, name, make(target))
        return lambda: (undo(), setattr(target, own, before))

    EVENTS.append(Event(f"{name} of {layer} while an attribute goes", True, noted, before=True))
    # The rules of shapes ask for the layer's own attributes: a model cannot be built without.
    EVENTS.append(Event(f"{name} of {layer} while {own} goes", True, its_own))


method_while_an_attribute_goes(
    "linear", "_call_impl", "in_features", lambda layer: doubling(layer._call_impl)
)
method_while_an_attribute_goes(
    "conv", "_conv_forward", "in_channels", lambda conv: types.MethodType(circular, conv)
)
method_while_an_attribute_goes(
    "norm", "_check_input_dim", "num_features", lambda _: lambda x: x.mul_(2)
)
method_while_an_attribute_goes("linear", "forward", "in_features", lambda _: lambda x: x[:, :6])


@event(called=True)
def weight_hidden_while_an_attribute_goes(owner: Any, log: list[Any]) -> Undo:
    owner.linear.note = 1
    run_once(owner)
    del owner.linear.note
    owner.linear.__dict__["weight"] = torch.randn(6, 16)
    return lambda: owner.linear.__dict__.pop("weight")


@event(called=True)
def forward_wrapped_as_libraries_do(owner: Any, log: list[Any]) -> Undo:
    layer = owner.gelu
    layer._old_forward = layer.forward

    @functools.wraps(layer.forward)
    def forward(*args: Any, **kwargs: Any) -> Any:
        log.append("wrapped")
        return layer._old_forward(*args, **kwargs)

    layer.forward = forward
    return lambda: (delattr(layer, "forward"), delattr(layer, "_old_forward"))


@event(called=True)
def class_and_attributes_changed(owner: Any, log: list[Any]) -> Undo:
    layer, other = owner.head, nn.LayerNorm(6)
    before = dict(layer.__dict__)

    def become(kind: type, attributes: dict[str, Any]) -> None:
        layer.__class__ = kind
        layer.__dict__.clear()
        layer.__dict__.update(attributes)

    become(nn.LayerNorm, other.__dict__)
    return lambda: become(nn.Linear, before)


@event(called=True, visible=False)
def compiled_by_itself(owner: Any, log: list[Any]) -> Undo:
    def backend(graph: Any, inputs: Any) -> Any:
        log.append("compiled")
        return graph.forward

    torch._dynamo.reset()
    owner.linear.compile(backend=backend)
    return lambda: setattr(owner.linear, "_compiled_call_impl", None)


# --- another layer in its place -------------------------------------------------------------------

table(
    called=False,
    before=False,
    rows={
        "layer of the same type": lambda o, log: setattr(o, "linear", nn.Linear(16, 6, bias=False)),
        "layer of the same type with another setting": lambda o, log: setattr(
            o, "gelu", nn.GELU("tanh")
        ),
        "layer by add_module": lambda o, log: o.add_module("conv", nn.Conv2d(2, 4, 3)),
        "layer in the dictionary": lambda o, log: o._modules.update(head=nn.Linear(6, 5)),
        "layer exchanged and back": lambda o, log: set_and_back(o, "linear", nn.Linear(16, 6)),
        "called layer by a registered one": lambda o, log: set_and_back(o, "softmin", nn.Tanh()),
    },
)
table(
    called=True,
    before=False,
    rows={
        "a subclass instead": lambda o, log: set_and_back(o, "linear", Twice(16, 6)),
        "another type instead": lambda o, log: set_and_back(
            o, "gelu", nn.Sequential(nn.Linear(6, 6), nn.Tanh())
        ),
        "another registered type instead": lambda o, log: set_and_back(o, "pool", nn.AvgPool2d(2)),
        "nothing instead": lambda o, log: set_and_back(o, "linear", None),
    },
)


# --- where it runs, and what holds for all layers of a type ---------------------------------------


def surrounding(name: str, make: Callable[[], Any], visible: bool = True) -> None:
    """Add a context in which the model runs."""

    def do(owner: Any, log: list[Any]) -> Undo:
        context = make()
        context.__enter__()
        return lambda: context.__exit__(None, None, None)

    EVENTS.append(Event(name, False, do, visible, before=True))


surrounding("autocast", lambda: torch.autocast("cpu", torch.bfloat16))
surrounding("inference mode", torch.inference_mode)
surrounding("no grad", torch.no_grad)
surrounding("saved on the CPU", torch.autograd.graph.save_on_cpu, visible=False)


def patch(owner: Any, name: str, make: Callable[[Any], Any], called: bool, visible: bool) -> None:
    """Add an event that replaces what all layers of a type use."""

    def do(_: Any, log: list[Any]) -> Undo:
        own = vars(owner).get(name)
        setattr(owner, name, make(getattr(owner, name)))
        return lambda: delattr(owner, name) if own is None else setattr(owner, name, own)

    EVENTS.append(Event(f"{owner.__name__}.{name} replaced", called, do, visible, before=True))


for _owner, _name, _make in [
    (nn.Module, "__call__", doubling),
    (nn.Linear, "forward", doubling),
    (nn.Linear, "__call__", doubling),
    (nn.Linear, "_call_impl", doubling),
    (nn.GELU, "forward", lambda _: lambda self, x: x.sin()),
    (nn.Conv2d, "_conv_forward", doubling),
    (nn.modules.batchnorm._BatchNorm, "forward", doubling),
    (nn.BatchNorm2d, "_check_input_dim", lambda _: lambda self, x: None),
    (nn.Flatten, "forward", doubling),
    (nn.Dropout, "forward", lambda _: lambda self, x: x * 3),
    (F, "linear", doubling),
    (F, "relu", doubling),
    (F, "conv2d", doubling),
    (F, "dropout", lambda _: lambda x, *rest: x * 3),
    (F, "layer_norm", doubling),
    (F, "max_pool2d", doubling),
    (F, "gelu", lambda _: lambda x, **rest: x),
]:
    patch(_owner, _name, _make, called=True, visible=_name != "_check_input_dim")
patch(nn.Softmin, "forward", doubling, called=False, visible=True)
patch(F, "batch_norm", doubling, called=False, visible=True)  # looked up when it runs
