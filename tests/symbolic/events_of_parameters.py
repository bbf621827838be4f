"""The rest of the table of `events`: what users do to parameters, buffers and settings."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune

from tests.symbolic.events import EVENTS, Event, Undo, event, set_and_back, table
from tests.symbolic.hazards import doubled, observe

# --- other numbers in the same layers -------------------------------------------------------------


@event(called=False)
def optimiser_step(owner: Any, log: list[Any]) -> None:
    optimiser = torch.optim.Adam(owner.parameters(), lr=0.1)
    observe(owner, [])
    optimiser.step()


@event(called=False)
def changed_in_place(owner: Any, log: list[Any]) -> None:
    with torch.no_grad():
        owner.linear.weight.mul_(2)
        owner.conv.bias.zero_()
        owner.norm.running_mean.add_(1)


@event(called=False)
def data_set(owner: Any, log: list[Any]) -> None:
    owner.linear.weight.data = torch.randn(6, 16)
    owner.norm.running_var.data = torch.rand(4) + 1


@event(called=False)
def new_parameter(owner: Any, log: list[Any]) -> None:
    owner.linear.weight = nn.Parameter(torch.randn(6, 16))
    owner.norm.bias = nn.Parameter(torch.randn(4))
    owner.norm.running_mean = torch.randn(4)


@event(called=False)
def no_bias_any_more(owner: Any, log: list[Any]) -> None:
    owner.linear.bias = None
    owner.conv.register_parameter("bias", None)
    owner.layer_norm.weight = None


@event(called=False)
def parameter_put_into_the_dictionary(owner: Any, log: list[Any]) -> Undo:
    before = owner.linear._parameters["weight"]
    owner.linear._parameters["weight"] = torch.randn(6, 16)
    return lambda: owner.linear._parameters.update(weight=before)


@event(called=False)
def dictionary_of_parameters_replaced(owner: Any, log: list[Any]) -> Undo:
    new = {k: nn.Parameter(v * 2) for k, v in owner.linear._parameters.items()}
    return set_and_back(owner.linear, "_parameters", new)


@event(called=False)
def tensors_swapped(owner: Any, log: list[Any]) -> None:
    torch.utils.swap_tensors(owner.linear.weight, nn.Parameter(torch.randn(6, 16)))


def load(owner: Any, **settings: Any) -> None:
    state = {name: torch.randn_like(t) if t.ndim else t for name, t in owner.state_dict().items()}
    state["norm.running_var"].abs_()
    owner.load_state_dict(state, **settings)


@event(called=False)
def moved_by_swapping(owner: Any, log: list[Any]) -> Undo:
    before = torch.__future__.get_swap_module_params_on_conversion()
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        owner.double()
    finally:
        torch.__future__.set_swap_module_params_on_conversion(before)
    return owner.float


@event(called=False)
def emptied_and_filled(owner: Any, log: list[Any]) -> None:
    owner.to_empty(device="cpu")
    with torch.no_grad():
        for tensor in (*owner.parameters(), *owner.buffers()):
            tensor.fill_(0.5)


@event(called=False)
def initialised_again(owner: Any, log: list[Any]) -> None:
    owner.linear.reset_parameters()
    owner.norm.reset_parameters()
    nn.init.zeros_(owner.head.bias)


@event(called=False)
def constructed_again(owner: Any, log: list[Any]) -> None:
    owner.linear.__init__(16, 6, bias=False)
    owner.gelu.__init__("tanh")


@event(called=True, before=False)
def another_state_with_hooks_set(owner: Any, log: list[Any]) -> Undo:
    other = nn.Linear(16, 6)
    other.register_forward_hook(doubled)
    owner.linear.__setstate__(other.__getstate__())
    return owner.linear._forward_hooks.clear


@event(called=False)
def moved(owner: Any, log: list[Any]) -> None:
    owner.to(torch.float64).to("cpu", torch.float32).to(memory_format=torch.channels_last)


def switch(module: nn.Module) -> Undo:
    before = module.training
    module.train(not before)
    return lambda: module.train(before)


table(
    called=False,
    before=False,
    rows={
        "loaded": lambda o, log: load(o),
        "loaded by assignment": lambda o, log: load(o, assign=True),
        "double precision": lambda o, log: (o.double(), o.float)[1],
        "frozen": lambda o, log: (
            o.linear.requires_grad_(False),
            lambda: o.linear.requires_grad_(True),
        )[1],
        "tied": lambda o, log: setattr(o.norm, "weight", o.conv.bias),
        "another state set": lambda o, log: o.linear.__setstate__(nn.Linear(16, 6).__getstate__()),
        "attributes of another layer": lambda o, log: o.conv.__dict__.update(
            nn.Conv2d(2, 4, 3).__dict__
        ),
        "switched to training or back": lambda o, log: switch(o),
        "one layer switched": lambda o, log: switch(o.drop),
    },
)


# --- settings -------------------------------------------------------------------------------------


def setting(path: str, other: Any, visible: bool = True) -> None:
    """Add an event that changes a setting of a layer, and back."""
    name, _, attribute = path.partition(".")

    def do(owner: Any, log: list[Any]) -> Undo:
        return set_and_back(getattr(owner, name), attribute, other)

    called = path == "conv.padding_mode"
    EVENTS.append(Event(f"{path} = {other!r}", called, do, visible, before=called))


setting("drop.p", 0.9)
setting("drop.p", 1.5)  # refused when it runs
setting("drop.inplace", True)  # while training refused, behind an in-place ReLU
setting("relu.inplace", False, visible=False)
setting("conv.stride", (3, 3))  # another shape, which a later layer refuses
setting("conv.padding", "valid", visible=False)
setting("conv.padding_mode", "circular", visible=False)
setting("conv.groups", 2)
setting("norm.eps", 0.5)
setting("norm.momentum", None)
setting("norm.track_running_stats", False)
setting("gelu.approximate", "tanh")
setting("gelu.approximate", "none of these")
setting("layer_norm.eps", 2.0)
setting("layer_norm.normalized_shape", (3,))
setting("pool.stride", 1)
setting("pool.ceil_mode", True, visible=False)
setting("flat.start_dim", 2)
setting("linear.in_features", 1, visible=False)  # only said, not used


# --- statistics of batch normalisation ------------------------------------------------------------


@event(called=False)
def statistics_removed(owner: Any, log: list[Any]) -> None:
    owner.norm.running_mean = None
    owner.norm.running_var = None


@event(called=False)
def statistics_removed_and_not_tracked(owner: Any, log: list[Any]) -> None:
    owner.norm.track_running_stats = False
    statistics_removed(owner, log)


@event(called=False)
def one_statistic_removed(owner: Any, log: list[Any]) -> None:
    owner.norm.running_var = None


@event(called=True, before=False)
def statistic_deleted(owner: Any, log: list[Any]) -> None:
    del owner.norm.running_mean


@event(called=False)
def statistic_is_a_parameter_now(owner: Any, log: list[Any]) -> None:
    owner.norm.running_mean = nn.Parameter(torch.randn(4))


# --- parameters that are no longer parameters -----------------------------------------------------


class Doubled(nn.Module):
    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight * 2

    def right_inverse(self, weight: torch.Tensor) -> torch.Tensor:
        return weight / 2


def undo_parametrization(layer: nn.Module, name: str) -> Undo:
    return lambda: parametrize.remove_parametrizations(layer, name)


@event(called=True)
def parametrized(owner: Any, log: list[Any]) -> Undo:
    parametrize.register_parametrization(owner.linear, "weight", Doubled())
    return undo_parametrization(owner.linear, "weight")


@event(called=True)
def parametrized_batch_norm(owner: Any, log: list[Any]) -> Undo:
    parametrize.register_parametrization(owner.norm, "bias", Doubled())
    return lambda: parametrize.remove_parametrizations(owner.norm, "bias", leave_parametrized=False)


@event(called=True)
def weight_norm(owner: Any, log: list[Any]) -> Undo:
    parametrizations.weight_norm(owner.linear)
    with torch.no_grad():
        owner.linear.parametrizations.weight.original0.mul_(3)
    return undo_parametrization(owner.linear, "weight")


@event(called=True)
def weight_norm_of_old(owner: Any, log: list[Any]) -> Undo:
    nn.utils.weight_norm(owner.conv)
    with torch.no_grad():
        owner.conv.weight_g.mul_(3)
    return lambda: nn.utils.remove_weight_norm(owner.conv)


@event(called=True)
def spectral_norm(owner: Any, log: list[Any]) -> Undo:
    parametrizations.spectral_norm(owner.linear)
    return undo_parametrization(owner.linear, "weight")


@event(called=True)
def spectral_norm_of_old(owner: Any, log: list[Any]) -> Undo:
    nn.utils.spectral_norm(owner.linear)
    return lambda: nn.utils.remove_spectral_norm(owner.linear)


@event(called=True)
def pruned(owner: Any, log: list[Any]) -> Undo:
    prune.random_unstructured(owner.linear, "weight", 0.5)
    return lambda: prune.remove(owner.linear, "weight")


@event(called=True)
def pruned_globally(owner: Any, log: list[Any]) -> Undo:
    pairs = [(owner.conv, "weight"), (owner.linear, "weight"), (owner.head, "bias")]
    prune.global_unstructured(pairs, prune.L1Unstructured, amount=0.3)
    return lambda: [prune.remove(*pair) for pair in pairs]


def put_back(layer: Any, name: str, before: nn.Parameter) -> Undo:
    def undo() -> None:
        delattr(layer, name)
        setattr(layer, name, before)

    return undo


@event(called=True)
def weight_is_a_plain_tensor(owner: Any, log: list[Any]) -> Undo:
    before = owner.linear.weight
    del owner.linear.weight
    owner.linear.weight = before.detach() * 2
    return put_back(owner.linear, "weight", before)


@event(called=True)
def weight_is_a_buffer(owner: Any, log: list[Any]) -> Undo:
    before = owner.linear.weight
    del owner.linear.weight
    owner.linear.register_buffer("weight", before.detach() * 2)
    return put_back(owner.linear, "weight", before)


@event(called=True)
def weight_is_a_buffer_and_another_parameter_came(owner: Any, log: list[Any]) -> None:
    before = owner.linear.weight
    del owner.linear.weight
    owner.linear.register_parameter("weight_original", before)
    owner.linear.register_buffer("weight", before.detach() * 2)


@event(called=True)
def bias_is_gone(owner: Any, log: list[Any]) -> None:
    del owner.linear.bias


@event(called=True)
def parameter_of_batch_norm_is_a_buffer(owner: Any, log: list[Any]) -> None:
    before = owner.norm.bias
    del owner.norm.bias
    owner.norm.register_buffer("bias", before.detach() + 1)


@event(called=True)
def weight_hidden_by_an_attribute(owner: Any, log: list[Any]) -> Undo:
    owner.linear.__dict__["weight"] = torch.randn(6, 16)
    return lambda: owner.linear.__dict__.pop("weight")


@event(called=True)
def running_mean_hidden_by_an_attribute(owner: Any, log: list[Any]) -> Undo:
    owner.norm.__dict__["running_mean"] = torch.randn(4)
    return lambda: owner.norm.__dict__.pop("running_mean")
