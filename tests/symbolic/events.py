"""One table: what users do to the layers of a model, and whether these must be called from then on.

An event is done to a model and to its twin, a plain module with the same layers (`hazards.Pair`);
whatever can be seen of a run must then be equal.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules import module as torch_module
from torch.nn.utils import parametrize

from tests.symbolic.hazards import LAYERS, doubled


class Event(NamedTuple):
    """Whether layers must be called, and ``do(owner, log)``, which returns how to undo it."""

    called: bool
    do: Callable[[Any, list[Any]], Any]


class Twice(nn.Linear):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * 2


class Doubled(nn.Module):
    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight * 2


def doubling(function: Any) -> Any:
    @functools.wraps(function)
    def twice(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs) * 2

    return twice


def put(path: str, name: str, new: Callable[[Any], Any]) -> Callable[[Any, list[Any]], Any]:
    """Set an attribute of a layer, or of the owner, to what is made of the layer."""

    def do(owner: Any, log: list[Any]) -> Any:
        target = getattr(owner, path) if path else owner
        had, before = name in vars(target), getattr(target, name)
        setattr(target, name, new(target))
        hidden = name in vars(target) and not had
        return lambda: delattr(target, name) if hidden else setattr(target, name, before)

    return do


def patch(owner: Any, name: str, make: Callable[[Any], Any] = doubling) -> Event:
    """Replace what all layers of a type use."""

    def do(_: Any, log: list[Any]) -> Any:
        own = vars(owner).get(name)
        setattr(owner, name, make(getattr(owner, name)))
        return lambda: delattr(owner, name) if own is None else setattr(owner, name, own)

    return Event(True, do)


def global_hook(owner: Any, log: list[Any]) -> Any:
    mine = {id(getattr(owner, name)) for name in LAYERS if hasattr(owner, name)}
    return torch_module.register_module_forward_hook(
        lambda module, _, result: result * 1.5 if id(module) in mine else None
    ).remove


def parametrized(owner: Any, log: list[Any]) -> Any:
    parametrize.register_parametrization(owner.linear, "weight", Doubled())
    return lambda: parametrize.remove_parametrizations(
        owner.linear, "weight", leave_parametrized=False
    )


def weight_is_a_tensor(owner: Any, log: list[Any]) -> Any:
    weight = owner.linear._parameters.pop("weight")
    owner.linear.weight = weight.detach() * 2

    def undo() -> None:
        del owner.linear.weight
        owner.linear._parameters["weight"] = weight  # first, as it was
        owner.linear._parameters["bias"] = owner.linear._parameters.pop("bias")

    return undo


EVENTS: dict[str, Event] = {
    "forward hook": Event(
        True,
        lambda o, log: (
            o.linear.register_forward_hook(
                lambda _, args, result: log.extend([args[0].clone(), result.clone()])
            ).remove
        ),
    ),
    "hook that changes": Event(True, lambda o, log: o.flat.register_forward_hook(doubled).remove),
    "pre hook": Event(
        True, lambda o, log: o.head.register_forward_pre_hook(lambda _, args: (args[0] * 3,)).remove
    ),
    "full backward hook": Event(
        True,
        lambda o, log: (
            o.linear.register_full_backward_hook(
                lambda _, into, out: log.append(out[0].clone()) or (into[0] * 2,)
            ).remove
        ),
    ),
    "hook for all modules": Event(True, global_hook),
    "hook on a parameter": Event(
        False, lambda o, log: o.linear.weight.register_hook(lambda gradient: gradient * 2).remove
    ),
    "forward of its own": Event(
        True, put("linear", "forward", lambda layer: lambda x: F.linear(x, layer.weight) * 2)
    ),
    "class changed": Event(True, put("linear", "__class__", lambda _: Twice)),
    "layer replaced": Event(False, put("", "linear", lambda _: nn.Linear(16, 6, bias=False))),
    "layer replaced by a subclass": Event(True, put("", "linear", lambda _: Twice(16, 6))),
    "layer replaced by another type": Event(True, put("", "gelu", lambda _: nn.Tanh())),
    "setting changed": Event(False, put("layer_norm", "eps", lambda _: 0.3)),
    "statistics": Event(False, lambda o, log: (o.norm.running_mean.add_(1), None)[1]),
    "parameter replaced": Event(
        False, put("linear", "weight", lambda layer: nn.Parameter(layer.weight * 2))
    ),
    "parameter edited": Event(False, lambda o, log: (o.linear.weight.data.mul_(3), None)[1]),
    "parameter is a tensor": Event(True, weight_is_a_tensor),
    "parametrized": Event(True, parametrized),
    "converted": Event(False, lambda o, log: (o.double(), None)[1]),
    "other mode": Event(False, lambda o, log: (o.train(not o.training), None)[1]),
    **{
        f"{owner.__name__}.{name}": patch(owner, name)
        for owner, name in (
            *((nn.Module, "__call__"), (nn.Linear, "forward"), (nn.Linear, "_call_impl")),
            *((F, "linear"), (F, "layer_norm"), (F, "gelu"), (F, "relu")),
        )
    },
}
