from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
import torch.utils.flop_counter
from torch import nn

from hpml.symbolic import Input, SymbolicModel, useful_layers
from hpml.symbolic.building.layer_rules import LAYER_RULES
from hpml.symbolic.errors import ArgumentError, GradientError
from tests.parts import raises
from tests.symbolic.hazards import called_layers
from tests.symbolic.models import chain


def close(received: Any, expected: Any) -> None:
    """Equal to a millionth of the largest number, with the same shapes and dtypes."""
    if isinstance(expected, tuple):
        assert isinstance(received, tuple)
        for one, other in zip(received, expected, strict=True):
            close(one, other)
        return
    assert (received.shape, received.dtype) == (expected.shape, expected.dtype)
    assert not received.requires_grad
    if expected.numel():
        scale = expected.abs().nan_to_num(0, 0, 0).max().item()
        torch.testing.assert_close(received, expected, rtol=1e-6, atol=1e-6 * scale, equal_nan=True)


FORWARDS: dict[str, tuple[tuple[int, ...], Callable[[Any, Any], Any]]] = {
    "sums": ((8,), lambda x, y: (x + y, x - y, x * y, x / (y * y + 1))),
    "numbers": ((8,), lambda x, y: (x + 2, 2 - x, 3 * x, y / 4, 1 / (x * x + 1), x - 0.5)),
    "activations": (
        (8,),
        lambda x, y: (
            *(F.relu(x), torch.relu(x), x.relu(), torch.tanh(x), x.sigmoid(), F.silu(y)),
            *(F.gelu(x), F.gelu(y, approximate="tanh")),
        ),
    ),
    "large arguments": (
        (4,),
        lambda x, y: (torch.sigmoid(x * 1e4), torch.tanh(x * 1e4), F.silu(x * 1e4), F.gelu(x * 99)),
    ),
    "infinite and undefined": (
        (4,),
        lambda x, y: (F.relu((x - x) / (x - x)), x / (x - x), 1 / (x - x), F.silu(1 / (x - x))),
    ),
    "reshaped": (
        (4, 6),
        lambda x, y: (
            *(x.flatten(1), x.reshape(-1, 6, 4) + 1, x.view(-1, 24), y.unsqueeze(1)),
            *(torch.flatten(x, 1), torch.reshape(x, (-1, 2, 12)), y.unsqueeze(-1)),
        ),
    ),
    "a diamond": ((8,), lambda x, y: ((h := F.relu(x) + y) * h.tanh() + h, h)),
    "an input that is read again at the end": ((8,), lambda x, y: F.relu(F.relu(x) + 1) * x + y),
}


def model_of(shape: tuple[int, ...], forward: Callable[[Any, Any], Any]) -> SymbolicModel:
    x, y = Input(shape=shape), Input(shape=shape)
    return SymbolicModel((x, y), forward(x, y), execution="numba")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", FORWARDS)
def test_functions_agree_with_pytorch(name: str, dtype: torch.dtype) -> None:
    shape, forward = FORWARDS[name]
    model = model_of(shape, forward)
    torch.manual_seed(0)
    for batch in (3, 1, 0):
        x, y = torch.randn(2, batch, *shape, dtype=dtype)
        close(model(x, y), forward(x, y))


NETWORKS: dict[str, tuple[tuple[int, ...], Callable[[], list[nn.Module]]]] = {
    "small linear": ((4,), lambda: [nn.Linear(4, 3), nn.Linear(3, 7, bias=False), nn.Linear(7, 1)]),
    "wide linear": ((40,), lambda: [nn.Linear(40, 64), nn.Linear(64, 17), nn.Linear(17, 5)]),
    "linear on rows": ((3, 5, 4), lambda: [nn.Linear(4, 6), nn.Linear(6, 20)]),
    "activations": (
        (6,),
        lambda: [
            *(nn.ReLU(), nn.GELU(), nn.GELU("tanh"), nn.SiLU()),
            *(nn.Sigmoid(), nn.Tanh(), nn.Identity(), nn.Dropout(0.5)),
        ],
    ),
    "in place behind a layer": (
        (6,),
        lambda: [nn.Linear(6, 6), nn.ReLU(inplace=True), nn.Linear(6, 6), nn.SiLU(inplace=True)],
    ),
    "shapes": ((6,), lambda: [useful_layers.ReshapeLayer((2, 3)), nn.Flatten()]),
}


def chain_of(shape: tuple[int, ...], layers: list[nn.Module]) -> SymbolicModel:
    return chain(*layers, shape=shape, execution="numba")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", NETWORKS)
def test_layers_agree_with_their_call(name: str, dtype: torch.dtype) -> None:
    shape, make = NETWORKS[name]
    torch.manual_seed(0)
    layers = make()
    model = chain_of(shape, layers).eval().to(dtype)
    by_hand = nn.Sequential(*layers)
    with torch.no_grad():
        for batch in (3, 1, 0):
            x = torch.randn(batch, *shape, dtype=dtype)
            close(model(x), by_hand(x))
            assert called_layers(model, x) == set()


def test_every_layer_that_the_kernel_knows_is_tried_here() -> None:
    tried = {type(layer) for _, make in NETWORKS.values() for layer in make()}
    operators = {useful_layers.AddOpLayer, useful_layers.SubOpLayer, useful_layers.MulOpLayer}
    known = {kind for kind, rule in LAYER_RULES.items() if rule.kernel}
    assert known == tried | operators


REFUSED: dict[str, tuple[tuple[int, ...], Callable[[Any], Any]]] = {
    "a convolution": ((3, 8, 8), lambda x: nn.Conv2d(3, 4, 3)(x)),
    "a function": ((8,), lambda x: torch.cumsum(x, 1)),
    "an argument": ((8,), lambda x: torch.add(x, x, alpha=2)),
    "an argument by name": ((8,), lambda x: torch.tanh(input=x)),
    "an argument of an activation": ((8,), lambda x: F.gelu(x, approximate="none") + F.softplus(x)),
    "another dtype": ((8,), lambda x: (x * 2).view(torch.int32)),
    "broadcasting": ((8,), lambda x: x * nn.Linear(8, 1)(x)),
    "the batch, moved": ((8,), lambda x: x.unsqueeze(0)),
    "the batch, flattened": ((4, 4), lambda x: x.flatten()),
    "the batch, computed with": ((4,), lambda x: x / x.shape[0]),
    "the batch, returned": ((4,), lambda x: x.shape[0] + x.shape[0]),
    "in place on the input": ((8,), lambda x: nn.ReLU(inplace=True)(x)),
    "in place on a view of the input": ((8,), lambda x: nn.ReLU(inplace=True)(x.view(-1, 2, 4))),
    "several results": ((8,), lambda x: x.chunk(2, 1)[0]),
    "a model inside": ((4,), lambda x: SymbolicModel(i := Input((4,)), nn.ReLU()(i))(x)),
    "a constant tensor": ((4,), lambda x: x * torch.ones(4)),
}
LAYERS, WEIGHTS = "layers of the compiled kernel", "inputs and weights of the compiled kernel"
WHAT_DIFFERS = {LAYERS, WEIGHTS}
CALLS, INPUT = "calls with execution='numba'", "input with execution='numba'"
UNSUPPORTED = "the kernel does not support it"
REASONS = {
    "an argument": "add of two positional arguments only",
    "another dtype": "results of the dtype of the inputs only",
    "broadcasting": "broadcasts (8,) and (1,)",
    "the batch, moved": "the batch as first dimension only",
    "the batch, flattened": "keep the batch as it is",
    "the batch, computed with": "numbers and values of the graph as arguments only",
    "the batch, returned": "results of the dtype of the inputs only",
    "in place on the input": "changes an input in place",
    "in place on a view of the input": "changes an input in place",
    "several results": "results of the dtype of the inputs only",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_kernel_cannot_take_is_refused_when_the_model_is_made(name: str) -> None:
    shape, forward = REFUSED[name]
    x = Input(shape=shape)
    out = forward(x)
    with raises(ArgumentError, object=CALLS, received=REASONS.get(name, UNSUPPORTED)):
        SymbolicModel(x, out, execution="numba")
    model = SymbolicModel(x, out)
    with raises(ArgumentError, object=CALLS, received=REASONS.get(name, UNSUPPORTED)):
        model.execution = "numba"
    assert model.execution == "inlined"


def test_inputs_that_the_kernel_was_not_written_for() -> None:
    x, y = Input((4,)), Input((4,))
    model = SymbolicModel((x, y), nn.Linear(4, 4)(x) + y, execution="numba")
    good = torch.rand(2, 4)
    with torch.no_grad():
        shapes = [torch.rand(2, 5), torch.rand(3, 4), torch.rand(2, 1, 4)]
        for bad in (*shapes, good.double(), "text", good.to_sparse(), good.to("meta")):
            received = "a str"
            if isinstance(bad, torch.Tensor):
                received = f"{tuple(bad.shape)}, {bad.dtype}"
            with raises(ArgumentError, object=INPUT, received=received):
                model(good, bad)
        with raises(ArgumentError, object="inputs of the compiled kernel", received="1"):
            model(good)
    with raises(ArgumentError, object="inputs with execution='numba'", received="int64"):
        SymbolicModel(i := Input((4,), dtype=torch.int64), i + 1, execution="numba")
    with raises(ArgumentError, object=CALLS, received="batch as first dimension"):
        SymbolicModel(i := Input(batch_shape=(2, 4)), i.reshape(2, 2, 2), execution="numba")


def test_no_forward_without_the_gradient_that_was_asked_for() -> None:
    model = chain_of((4,), [nn.Linear(4, 4)])
    x = torch.rand(2, 4)
    gradients: Any = {"object": "execution='numba'", "remedy": ("no_grad()", "'inlined'")}
    with raises(GradientError, **gradients):
        model(x)
    model.requires_grad_(False)
    assert model(x).requires_grad is False
    with raises(GradientError, **gradients):
        model(x.requires_grad_())
    with torch.no_grad():
        close(model(x), model._execution_order_layers[0](x))


def test_cuda_graphs_and_operator_timing_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from hpml.profiling import operator_timing

    x = Input((4,))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    with raises(ArgumentError, object="enable_cuda_graphs=True", received="'numba'"):
        SymbolicModel(x, nn.ReLU()(x), enable_cuda_graphs=True, execution="numba")
    model = chain_of((4,), [nn.ReLU()])
    with (
        raises(ArgumentError, object="operator timing", remedy="execution='numba'"),
        operator_timing(model),
    ):
        pass


@pytest.mark.filterwarnings("ignore:.*torch.jit.trace.*:DeprecationWarning")
def test_compiled_inference_has_weights_of_its_own() -> None:
    layer = nn.Linear(4, 4)
    model, x = chain_of((4,), [layer, nn.Tanh()]), torch.rand(2, 4)
    model.execution = "inlined"
    infer, expected = model.compiled_inference(), model(x).detach()
    with torch.no_grad():
        layer.weight.add_(1)
    layer.register_forward_hook(lambda *_: torch.zeros(2, 4))
    close(infer(x), expected)
    for given, what, received in (
        ((), "inputs of the compiled kernel", "0"),
        ((x.double(),), INPUT, "torch.float64"),
        ((torch.rand(2, 5),), INPUT, "(2, 5)"),
        ((x, x), "inputs of the compiled kernel", "2"),
    ):
        with raises(ArgumentError, object=what, received=received):
            infer(*given)
    with raises(GradientError, object="execution='numba'", remedy="no_grad()"):
        infer(x.requires_grad_())
    with torch.no_grad(), pytest.raises((ArgumentError, SystemError)):
        torch.jit.trace(lambda given: infer(given), (x,))  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("layer", [nn.Dropout(0.5), nn.Linear(4, 4).half(), nn.RNN(4, 4)])
def test_what_cannot_be_compiled_for_inference(layer: nn.Module) -> None:
    x = Input((4,), dtype=next((p.dtype for p in layer.parameters()), torch.float32))
    with pytest.raises(ArgumentError) as refused:
        SymbolicModel(x, layer(x)).compiled_inference()
    assert refused.value.object in WHAT_DIFFERS | {CALLS, "inputs with execution='numba'"}


def small_model() -> SymbolicModel:
    torch.manual_seed(0)
    x = Input(shape=(2, 6, 6))
    h: Any = nn.Dropout(0.4)(nn.ReLU(inplace=True)(nn.Linear(72, 16)(nn.Flatten()(x))))
    h = h(nn.Linear(16, 6), custom_name="linear")
    h = h + nn.GELU()(nn.GELU("tanh")(h)) * 2
    return SymbolicModel(x, nn.Linear(6, 4, bias=False)(h), execution="numba").eval()


EVENTS: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda model: None,
    "weights edited": lambda model: model.linear.weight.data.mul_(3),
    "a weight replaced": lambda model: setattr(
        model.linear, "weight", nn.Parameter(torch.rand(6, 16))
    ),
    "converted": lambda model: model.double(),
    "a layer replaced": lambda model: setattr(model, "linear", nn.Linear(16, 6)),
}
REFUSED_EVENTS: dict[str, Callable[[Any], Any]] = {
    "training": lambda model: model.train(),
    "no bias any more": lambda model: setattr(model.linear, "bias", None),
    "a bias": lambda model: setattr(model.Linear_2, "bias", nn.Parameter(torch.rand(4))),
    "a weight that is a tensor": lambda model: (
        model.linear._parameters.pop("weight"),
        setattr(model.linear, "weight", torch.rand(6, 16)),
    ),
    "one weight of another dtype": lambda model: model.linear.double(),
    "a layer of another type": lambda model: setattr(model, "GELU_1", nn.Tanh()),
    "a setting": lambda model: setattr(model.GELU_1, "approximate", "none"),
    "a setting of a shape": lambda model: setattr(model.Flatten_1, "start_dim", -3),
    "a hook": lambda model: model.linear.register_forward_hook(lambda m, args, out: out * 2),
    "a forward": lambda model: setattr(model.linear, "forward", lambda x: x[:, :6]),
}
OF_WEIGHTS = ("no bias any more", "a bias", "one weight of another dtype")


@pytest.mark.parametrize("name", EVENTS)
def test_after_an_event_the_kernel_computes_what_the_layers_do(name: str) -> None:
    model = small_model()
    with torch.no_grad():
        model(torch.rand(3, 2, 6, 6))
        EVENTS[name](model)
        x = torch.rand(3, 2, 6, 6, dtype=next(model.parameters()).dtype)
        received = model(x)
        model.execution = "ordered"
        close(received, model(x))


@pytest.mark.parametrize("name", REFUSED_EVENTS)
def test_layers_that_would_have_to_be_called_are_refused(name: str) -> None:
    model, x = small_model(), torch.rand(3, 2, 6, 6)
    with torch.no_grad():
        model(x)
        REFUSED_EVENTS[name](model)
        kind = WEIGHTS if name in OF_WEIGHTS else LAYERS
        remedy = "model.float()" if name in OF_WEIGHTS else "remove hooks"
        with raises(ArgumentError, object=kind, remedy=remedy):
            model(x)
        with raises(ArgumentError, object=kind, remedy=remedy):
            model.compiled_inference()


class Doubling(torch.Tensor):
    """A tensor of a class of its own."""


def with_mode(model: Any, x: torch.Tensor) -> Any:
    with torch.utils.flop_counter.FlopCounterMode(display=False):
        return model(x)


WATCHED: dict[str, Callable[[Any, Any], Any]] = {
    "vmap": lambda model, x: torch.vmap(model)(torch.stack([x, x + 1])),
    "jvp": lambda model, x: torch.func.jvp(model, (x,), (torch.ones_like(x),)),
    "a gradient of weights": lambda model, x: torch.func.grad(
        lambda weights: torch.func.functional_call(model, weights, (x,)).sum()
    )(dict(model.named_parameters())),
    "fx": lambda model, x: torch.fx.symbolic_trace(nn.Sequential(nn.Tanh(), model)),
    "jit": lambda model, x: torch.jit.trace(model, (x,)),
    "autocast": lambda model, x: torch.autocast("cpu", torch.bfloat16)(model)(x),
    "a mode": lambda model, x: with_mode(model, x),
    "a subclass": lambda model, x: model(x.as_subclass(Doubling)),
}


# PyTorch itself calls it when derivatives in forward mode begin.
@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
@pytest.mark.parametrize("name", WATCHED)
def test_tools_that_observe_or_change_operators_are_refused(name: str) -> None:
    model = chain_of((4,), [nn.Linear(4, 2), nn.Tanh()]).requires_grad_(False)
    kinds = {"fx": "a Proxy", "a subclass": "a Doubling"}
    what = INPUT if name in kinds else "call with execution='numba'"
    with raises(ArgumentError, object=what, received=kinds.get(name, "one inside")):
        WATCHED[name](model, torch.rand(3, 4))


def test_a_compiled_model_computes_the_same() -> None:
    layer = nn.Linear(4, 4).requires_grad_(False)
    model, x = chain_of((4,), [layer]), torch.rand(2, 4)
    for run in (torch.compile(model, backend="eager"), torch.export.export(model, (x,)).module()):
        close(run(x), layer(x))
    torch._dynamo.reset()


def test_compiling_does_not_depend_on_depth() -> None:
    sources = {chain_of((4,), [nn.Linear(4, 4) for _ in range(n)])._program.source for n in (2, 99)}
    assert len(sources) == 1


def test_the_batch_may_be_written_as_the_size_of_a_value() -> None:
    x, value = Input((4,)), torch.rand(3, 4)
    result = x.reshape(x.shape[0], 2, 2) * 2
    model = SymbolicModel(x, (result, result.view(result.shape)), execution="numba")
    for one in model(value):
        close(one, value.reshape(3, 2, 2) * 2)
