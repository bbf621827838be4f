"""Whatever is done to parameters, buffers and settings of layers after a model was built."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune

from hpml.symbolic import Input, SymbolicModel
from tests.symbolic.hazards import (
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


# --- batch normalisation --------------------------------------------------------------------------


def removed(owner: Any, log: list[Any]) -> None:
    owner.norm.running_mean = None
    owner.norm.running_var = None


def removed_and_not_tracked(owner: Any, log: list[Any]) -> None:
    owner.norm.track_running_stats = False
    removed(owner, log)


def one_removed(owner: Any, log: list[Any]) -> None:
    owner.norm.running_var = None


def deleted(owner: Any, log: list[Any]) -> None:
    del owner.norm.running_mean


def parameters_now(owner: Any, log: list[Any]) -> None:
    owner.norm.running_mean = nn.Parameter(torch.randn(4))


@pytest.mark.parametrize(
    "change", [removed, removed_and_not_tracked, one_removed, deleted, parameters_now]
)
@each_mode
def test_statistics_of_batch_norm_that_are_gone_are_gone(
    change: Callable[..., None], execution: str, training: bool
) -> None:
    pair = Pair(execution, training)
    pair.agree()
    pair.do(Row(change, called=False))
    pair.agree()


def error_of(run: Callable[..., Any], argument: torch.Tensor) -> tuple[type, str] | None:
    try:
        run(argument)
    except (ValueError, RuntimeError, IndexError) as error:
        return type(error), str(error)
    return None


@pytest.mark.parametrize("kind", [nn.BatchNorm1d, nn.BatchNorm2d])
@pytest.mark.parametrize("tracked", [True, False])
@pytest.mark.parametrize("affine", [True, False])
@each_mode
def test_batch_norm_of_every_kind(
    execution: str, training: bool, kind: Any, tracked: bool, affine: bool
) -> None:
    torch.manual_seed(0)
    layer = kind(4, affine=affine, track_running_stats=tracked)
    shape = (5, 4, 3, 3) if kind is nn.BatchNorm2d else (5, 4)
    layer(torch.randn(shape))
    twin = copy.deepcopy(layer.train(training))
    x = Input(batch_shape=shape)
    model = SymbolicModel(x, layer(x), execution=execution).train(training)
    for _ in range(3):
        x = torch.randn(shape)
        assert_same(model(x), twin(x))
    assert_same(dict(layer.state_dict()), dict(twin.state_dict()))
    for wrong in (torch.rand(4), torch.rand(2, 4, 3, 3, 3), torch.rand(2, 3), torch.rand(0)):
        assert error_of(model, wrong) == error_of(twin, wrong)
    assert error_of(model, torch.rand(4)) is not None


# --- functional calls, precision ------------------------------------------------------------------


@each_mode
def test_functional_call_uses_the_parameters_it_is_given(execution: str, training: bool) -> None:
    pair = Pair(execution, training)
    pair.agree()
    given = {name: torch.randn_like(p) for name, p in pair.twin.named_parameters()}
    x = value()

    def loss(owner: nn.Module, parameters: dict[str, torch.Tensor]) -> torch.Tensor:
        torch.manual_seed(0)
        buffers = {name: buffer.clone() for name, buffer in owner.named_buffers()}
        state = {**parameters, **buffers}
        return torch.func.functional_call(owner, state, (x,)).square().sum()

    received, expected = [
        torch.func.grad_and_value(lambda p, owner=owner: loss(owner, p))(given)
        for owner in (pair.model, pair.twin)
    ]
    assert_same(received, expected)
    pair.agree()


def test_functional_call_takes_some_parameters_and_buffers_and_leaves_the_rest() -> None:
    pair = Pair("inlined", training=False)
    some = {"linear.weight": torch.randn(6, 16), "norm.running_mean": torch.randn(4)}
    received, expected = [
        torch.func.functional_call(owner, some, (value(),)) for owner in (pair.model, pair.twin)
    ]
    assert_same(received, expected)
    pair.agree()
    assert called_layers(pair.model) == always_called(pair.model)


def test_many_models_at_once_with_vmap_over_their_parameters() -> None:
    pair = Pair("inlined", training=False)
    many = {n: torch.stack([p, p * 2, p * 0]) for n, p in pair.twin.state_dict().items()}
    many["norm.running_var"].add_(1)
    x = value()

    def run(owner: nn.Module) -> torch.Tensor:
        return torch.func.vmap(lambda state: torch.func.functional_call(owner, state, (x,)))(many)

    pair.twin.relu.inplace = pair.model.relu.inplace = False
    assert_same(run(pair.model), run(pair.twin))


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
def test_derivatives_of_higher_order_and_of_each_sample() -> None:
    pair = Pair("inlined", training=False)
    for owner in (pair.model, pair.twin):
        owner.pool = nn.AvgPool2d(2)
        owner.relu.inplace = False
    results = []
    for owner in (pair.model, pair.twin):
        state = {**dict(owner.named_parameters()), **dict(owner.named_buffers())}

        def of_one(x: torch.Tensor, owner: Any = owner, state: Any = state) -> torch.Tensor:
            return torch.func.functional_call(owner, state, (x[None],))[0, 0]

        each = torch.func.vmap(torch.func.grad(of_one))(value())
        hessian = torch.func.jacrev(torch.func.grad(of_one))(value()[0])
        _, tangent = torch.func.jvp(of_one, (value()[0],), (value()[1],))
        results.append((each, hessian, tangent))
    assert_same(*results)


@each_mode
def test_under_autocast_layers_compute_as_they_do(execution: str, training: bool) -> None:
    pair = Pair(execution, training)
    pair.agree()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        pair.agree()
        for owner in (pair.model, pair.twin):
            assert owner.linear(torch.rand(1, 16)).dtype is torch.bfloat16
    pair.agree()


@pytest.mark.parametrize("context", [torch.no_grad, torch.inference_mode])
@each_mode
def test_without_gradients(execution: str, training: bool, context: Any) -> None:
    pair = Pair(execution, training)
    for _ in range(2):
        results = []
        for owner in (pair.model, pair.twin):
            torch.manual_seed(0)
            with context():
                results.append(owner(value()))
        assert not results[0].requires_grad
        assert_same(*results)
    pair.agree()


# --- sharing --------------------------------------------------------------------------------------


@each_mode
def test_a_layer_that_is_used_twice(execution: str, training: bool) -> None:
    torch.manual_seed(0)
    layer, relu = nn.Linear(4, 4), nn.ReLU(inplace=True)

    def by_hand(x: Any) -> Any:
        h = layer(x)
        g = relu(layer(h))
        return h + g, layer(relu(h - 1)), h

    x = Input(shape=(4,))
    model = SymbolicModel(x, by_hand(x), execution=execution).train(training)
    del x
    results = []
    for run in (model, by_hand):
        layer.zero_grad()
        outputs = run(torch.linspace(-1, 1, 12).reshape(3, 4))
        sum(output.square().sum() for output in outputs).backward()
        results.append((outputs, [p.grad.clone() for p in layer.parameters()]))
    assert_same(*results)
    seen: list[Any] = []
    handle = layer.register_forward_hook(lambda *_: seen.append(1))
    model(torch.rand(1, 4))
    assert len(seen) == 3
    handle.remove()
    nn.utils.parametrize.register_parametrization(layer, "weight", Doubled())
    value = torch.rand(2, 4)
    assert_same(model(value), by_hand(value))


@pytest.mark.parametrize("execution", ["inlined", "codegen", "ordered"])
def test_a_layer_that_changes_its_argument_in_place_changes_it_for_all_readers(
    execution: str,
) -> None:
    def by_hand(x: Any) -> Any:
        h = x * 1
        before = h + 0
        changed = relu(h)
        return before, changed, h * 2, drop(h)

    relu, drop = nn.ReLU(inplace=True), nn.Dropout(0.0, inplace=True)
    x = Input(shape=(4,))
    model = SymbolicModel(x, by_hand(x), execution=execution)
    del x
    value = torch.linspace(-1, 1, 12).reshape(3, 4)
    assert_same(model(value), by_hand(value))
    expected = by_hand(value)
    received = model(value)
    assert (received[1] is received[3]) == (expected[1] is expected[3])


@each_mode
def test_an_input_that_is_changed_in_place_is_the_callers(execution: str, training: bool) -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, nn.ReLU(inplace=True)(x), execution=execution).train(training)
    value = torch.tensor([[-1.0, 2.0, -3.0, 4.0]])
    assert model(value) is value
    assert_same(value, torch.tensor([[0.0, 2.0, 0.0, 4.0]]))


# --- chains that are written as a loop ------------------------------------------------------------


def chain(execution: str, count: int = 60) -> tuple[SymbolicModel, list[nn.Linear]]:
    torch.manual_seed(0)
    layers = [nn.Linear(4, 4) for _ in range(count)]
    x = inputs = Input(shape=(4,))
    for layer in layers:
        x = layer(x)
    return SymbolicModel(inputs, x, execution=execution), layers


def test_a_loop_over_written_layers_sees_every_change() -> None:
    model, layers = chain("inlined")
    assert "for q in p[0:60]:" in model.source
    x = torch.rand(2, 4)

    def agree(expected: dict[str, str]) -> None:
        h = x
        for name in model._modules:
            h = getattr(model, name)(h)
        assert_same(model(x), h)
        assert obstacles(model) == expected

    agree({})
    layers[30].weight = nn.Parameter(torch.randn(4, 4))
    agree({})
    layers[31].bias = None
    agree({})
    model.Linear_41 = nn.Linear(4, 4)
    agree({})
    handle = layers[35].register_forward_hook(lambda _, args, result: result * 2)
    agree({"Linear_36": "it has forward hooks"})
    handle.remove()
    agree({})
    parametrize.register_parametrization(layers[59], "weight", Doubled())
    assert list(obstacles(model)) == ["Linear_60"]
    h = x
    for name in model._modules:
        h = getattr(model, name)(h)
    assert_same(model(x), h)
    parametrize.remove_parametrizations(layers[59], "weight")
    agree({})


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
