"""Whatever is done to parameters, buffers and settings of layers after a model was built."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune

from tests.symbolic.hazards import (
    Pair,
    Row,
    check_row,
    check_row_before_building,
    doubled,
    each_mode,
    observe,
    obstacles,
    row_list,
    rows_of,
)

WRITTEN, written = row_list()  # the layers stay written out
CALLED, called = row_list()  # they have to be called
Undo = Callable[[], object]

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*weight_norm.*:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*spectral_norm.*:FutureWarning"),
]


# --- other numbers in the same layers -------------------------------------------------------------


@written(called=False)
def optimiser_step(owner: Any, log: list[Any]) -> None:
    optimiser = torch.optim.Adam(owner.parameters(), lr=0.1)
    observe(owner, [])
    optimiser.step()


@written(called=False)
def changed_in_place(owner: Any, log: list[Any]) -> None:
    with torch.no_grad():
        owner.linear.weight.mul_(2)
        owner.conv.bias.zero_()
        owner.norm.running_mean.add_(1)


@written(called=False)
def data_set(owner: Any, log: list[Any]) -> None:
    owner.linear.weight.data = torch.randn(6, 16)
    owner.norm.running_var.data = torch.rand(4) + 1


@written(called=False)
def new_parameter(owner: Any, log: list[Any]) -> None:
    owner.linear.weight = nn.Parameter(torch.randn(6, 16))
    owner.norm.bias = nn.Parameter(torch.randn(4))
    owner.norm.running_mean = torch.randn(4)


@written(called=False)
def no_bias_any_more(owner: Any, log: list[Any]) -> None:
    owner.linear.bias = None
    owner.conv.register_parameter("bias", None)
    owner.layer_norm.weight = None


@written(called=False)
def parameter_put_into_the_dictionary(owner: Any, log: list[Any]) -> Undo:
    before = owner.linear._parameters["weight"]
    owner.linear._parameters["weight"] = torch.randn(6, 16)
    return lambda: owner.linear._parameters.update(weight=before)


@written(called=False)
def dictionary_of_parameters_replaced(owner: Any, log: list[Any]) -> Undo:
    before = owner.linear._parameters
    owner.linear._parameters = {k: nn.Parameter(v * 2) for k, v in before.items()}
    return lambda: setattr(owner.linear, "_parameters", before)


@written(called=False)
def tensors_swapped(owner: Any, log: list[Any]) -> None:
    torch.utils.swap_tensors(owner.linear.weight, nn.Parameter(torch.randn(6, 16)))


@written(called=False)
def loaded(owner: Any, log: list[Any]) -> None:
    state = {name: torch.randn_like(t) if t.ndim else t for name, t in owner.state_dict().items()}
    state["norm.running_var"].abs_()
    owner.load_state_dict(state)


@written(called=False)
def loaded_by_assignment(owner: Any, log: list[Any]) -> None:
    state = {name: torch.randn_like(t) if t.ndim else t for name, t in owner.state_dict().items()}
    state["norm.running_var"].abs_()
    owner.load_state_dict(state, assign=True)


@written(called=False)
def double_precision(owner: Any, log: list[Any]) -> Undo:
    owner.double()
    return owner.float


@written(called=False)
def moved(owner: Any, log: list[Any]) -> None:
    owner.to(torch.float64).to("cpu", torch.float32).to(memory_format=torch.channels_last)


@written(called=False)
def moved_by_swapping(owner: Any, log: list[Any]) -> Undo:
    before = torch.__future__.get_swap_module_params_on_conversion()
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        owner.double()
    finally:
        torch.__future__.set_swap_module_params_on_conversion(before)
    return owner.float


@written(called=False)
def emptied_and_filled(owner: Any, log: list[Any]) -> None:
    owner.to_empty(device="cpu")
    with torch.no_grad():
        for tensor in (*owner.parameters(), *owner.buffers()):
            tensor.fill_(0.5)


@written(called=False)
def frozen(owner: Any, log: list[Any]) -> Undo:
    owner.linear.requires_grad_(False)
    return lambda: owner.linear.requires_grad_(True)


@written(called=False)
def tied(owner: Any, log: list[Any]) -> None:
    owner.norm.weight = owner.conv.bias


@written(called=False)
def initialised_again(owner: Any, log: list[Any]) -> None:
    owner.linear.reset_parameters()
    owner.norm.reset_parameters()
    nn.init.zeros_(owner.head.bias)


@written(called=False)
def constructed_again(owner: Any, log: list[Any]) -> None:
    owner.linear.__init__(16, 6, bias=False)
    owner.gelu.__init__("tanh")


@written(called=False)
def another_state_set(owner: Any, log: list[Any]) -> None:
    owner.linear.__setstate__(nn.Linear(16, 6).__getstate__())


@called(called=True)
def another_state_with_hooks_set(owner: Any, log: list[Any]) -> Undo:
    other = nn.Linear(16, 6)
    other.register_forward_hook(doubled)
    owner.linear.__setstate__(other.__getstate__())
    return owner.linear._forward_hooks.clear


@written(called=False)
def attributes_of_another_layer(owner: Any, log: list[Any]) -> None:
    owner.conv.__dict__.update(nn.Conv2d(2, 4, 3).__dict__)


@written(called=False)
def switched_to_training_and_back(owner: Any, log: list[Any]) -> Undo:
    before = owner.training
    owner.train(not before)
    return lambda: owner.train(before)


@written(called=False)
def one_layer_switched(owner: Any, log: list[Any]) -> Undo:
    before = owner.drop.training
    owner.drop.train(not before)
    return lambda: owner.drop.train(before)


# --- settings -------------------------------------------------------------------------------------


def setting(path: str, other: Any) -> Row:
    """Return a row that changes a setting of a layer, and back."""
    name, _, attribute = path.partition(".")

    def event(owner: Any, log: list[Any]) -> Undo:
        layer = getattr(owner, name)
        before = getattr(layer, attribute)
        setattr(layer, attribute, other)
        return lambda: setattr(layer, attribute, before)

    event.__name__ = path
    return Row(event, called=path == "conv.padding_mode")


WRITTEN += [
    setting("drop.p", 0.9),
    setting("drop.p", 1.5),  # refused when it runs
    setting("drop.inplace", True),  # while training refused, behind an in-place ReLU
    setting("relu.inplace", False),
    setting("conv.stride", (3, 3)),  # another shape, which a later layer refuses
    setting("conv.padding", "valid"),
    setting("conv.groups", 2),
    setting("norm.eps", 0.5),
    setting("norm.momentum", None),
    setting("norm.track_running_stats", False),
    setting("gelu.approximate", "tanh"),
    setting("gelu.approximate", "none of these"),
    setting("layer_norm.eps", 2.0),
    setting("layer_norm.normalized_shape", (3,)),
    setting("pool.stride", 1),
    setting("pool.ceil_mode", True),
    setting("flat.start_dim", 2),
    setting("linear.in_features", 1),  # only said, not used
]
CALLED += [setting("conv.padding_mode", "circular")]


# --- parameters that are no longer parameters -----------------------------------------------------


class Doubled(nn.Module):
    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight * 2

    def right_inverse(self, weight: torch.Tensor) -> torch.Tensor:
        return weight / 2


@called(called=True)
def parametrized(owner: Any, log: list[Any]) -> Undo:
    parametrize.register_parametrization(owner.linear, "weight", Doubled())
    return lambda: parametrize.remove_parametrizations(owner.linear, "weight")


@called(called=True)
def parametrized_batch_norm(owner: Any, log: list[Any]) -> Undo:
    parametrize.register_parametrization(owner.norm, "bias", Doubled())
    return lambda: parametrize.remove_parametrizations(owner.norm, "bias", leave_parametrized=False)


@called(called=True)
def weight_norm(owner: Any, log: list[Any]) -> Undo:
    parametrizations.weight_norm(owner.linear)
    with torch.no_grad():
        owner.linear.parametrizations.weight.original0.mul_(3)
    return lambda: parametrize.remove_parametrizations(owner.linear, "weight")


@called(called=True)
def weight_norm_of_old(owner: Any, log: list[Any]) -> Undo:
    nn.utils.weight_norm(owner.conv)
    with torch.no_grad():
        owner.conv.weight_g.mul_(3)
    return lambda: nn.utils.remove_weight_norm(owner.conv)


@called(called=True)
def spectral_norm(owner: Any, log: list[Any]) -> Undo:
    parametrizations.spectral_norm(owner.linear)
    return lambda: parametrize.remove_parametrizations(owner.linear, "weight")


@called(called=True)
def spectral_norm_of_old(owner: Any, log: list[Any]) -> Undo:
    nn.utils.spectral_norm(owner.linear)
    return lambda: nn.utils.remove_spectral_norm(owner.linear)


@called(called=True)
def pruned(owner: Any, log: list[Any]) -> Undo:
    prune.random_unstructured(owner.linear, "weight", 0.5)
    return lambda: prune.remove(owner.linear, "weight")


@called(called=True)
def pruned_globally(owner: Any, log: list[Any]) -> Undo:
    pairs = [(owner.conv, "weight"), (owner.linear, "weight"), (owner.head, "bias")]
    prune.global_unstructured(pairs, prune.L1Unstructured, amount=0.3)
    return lambda: [prune.remove(*pair) for pair in pairs]


@called(called=True)
def weight_is_a_plain_tensor(owner: Any, log: list[Any]) -> Undo:
    before = owner.linear.weight
    del owner.linear.weight
    owner.linear.weight = before.detach() * 2

    def undo() -> None:
        del owner.linear.weight
        owner.linear.weight = before

    return undo


@called(called=True)
def weight_is_a_buffer(owner: Any, log: list[Any]) -> Undo:
    before = owner.linear.weight
    del owner.linear.weight
    owner.linear.register_buffer("weight", before.detach() * 2)

    def undo() -> None:
        del owner.linear.weight
        owner.linear.weight = before

    return undo


@called(called=True)
def weight_is_a_buffer_and_another_parameter_came(owner: Any, log: list[Any]) -> None:
    before = owner.linear.weight
    del owner.linear.weight
    owner.linear.register_parameter("weight_original", before)
    owner.linear.register_buffer("weight", before.detach() * 2)


@called(called=True)
def bias_is_gone(owner: Any, log: list[Any]) -> None:
    del owner.linear.bias


@called(called=True)
def parameter_of_batch_norm_is_a_buffer(owner: Any, log: list[Any]) -> None:
    before = owner.norm.bias
    del owner.norm.bias
    owner.norm.register_buffer("bias", before.detach() + 1)


@called(called=True)
def weight_hidden_by_an_attribute(owner: Any, log: list[Any]) -> Undo:
    owner.linear.__dict__["weight"] = torch.randn(6, 16)
    return lambda: owner.linear.__dict__.pop("weight")


@called(called=True)
def running_mean_hidden_by_an_attribute(owner: Any, log: list[Any]) -> Undo:
    owner.norm.__dict__["running_mean"] = torch.randn(4)
    return lambda: owner.norm.__dict__.pop("running_mean")


@rows_of(WRITTEN + CALLED)
@each_mode
def test_a_change_does_what_it_does_to_called_layers(
    row: Row, execution: str, training: bool
) -> None:
    check_row(row, execution, training)


@rows_of(CALLED)
@each_mode
def test_a_change_before_building_does_what_it_does_to_called_layers(
    row: Row, execution: str, training: bool
) -> None:
    check_row_before_building(row, execution, training)


# --- saying why -----------------------------------------------------------------------------------


def test_explain_names_what_became_of_a_parameter() -> None:
    pair = Pair("inlined", training=False)
    weight_hidden_by_an_attribute(pair.model, [])
    parametrize.register_parametrization(pair.model.head, "weight", Doubled())
    pair.model.conv.padding_mode = "reflect"
    why = obstacles(pair.model)
    assert why["linear"] == "its weight is hidden by an attribute"
    assert "ParametrizedLinear" in why["head"]
    assert why["conv"] == "its padding_mode is 'reflect'"
