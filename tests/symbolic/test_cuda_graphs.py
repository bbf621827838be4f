"""CUDA graphs on top of each execution, on a GPU and with a fake in its place.

The fake records the operators of a forward with the tensors they work on, and replays them into the
same memory, as a GPU does with kernels.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel
from hpml.symbolic.errors import ArgumentError, DeviceError
from hpml.symbolic.execution import cuda_graph
from tests.parts import raises

each_execution = pytest.mark.parametrize("execution", EXECUTIONS)


class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes operators, or replays them into the memory of their first results."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.steps: list[tuple[Any, ...]] = []
        self.error_mode = ""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is torch.ops.aten._local_scalar_dense.default:
            raise RuntimeError("operation not permitted when stream is capturing\nmore")
        result = func(*args, **(kwargs or {}))
        self.steps.append((func, args, kwargs or {}, result))
        return result

    def replay(self) -> None:
        with torch.no_grad():
            for func, args, kwargs, result in self.steps:
                again = func(*args, **kwargs)
                if not func.is_view:
                    for old, new in zip(tree_leaves(result), tree_leaves(again), strict=True):
                        old.copy_(new)


def graphed(module: nn.Module, samples: tuple[torch.Tensor, ...]) -> Callable[..., Any]:
    """Stand in for `make_graphed_callables`: forward and backward into the same memory."""
    surface = (*samples, *module.parameters())
    wanted = [value for value in surface if value.requires_grad]
    gradients = {id(value): torch.zeros_like(value) for value in wanted}
    memory = module(*samples).detach()
    latest: list[torch.Tensor] = []

    class Graphed(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: torch.Tensor) -> torch.Tensor:
            for sample, value in zip(samples, inputs, strict=False):
                sample.data.copy_(value)
            with torch.enable_grad():
                latest[:] = [module(*samples)]
            return memory.copy_(latest[0].detach()).detach()

        @staticmethod
        def backward(ctx: Any, *given: torch.Tensor) -> Any:
            found = torch.autograd.grad(latest, wanted, given, retain_graph=True)
            for value, gradient in zip(wanted, found, strict=True):
                gradients[id(value)].copy_(gradient)
            return tuple(gradients[id(v)].detach() if v.requires_grad else None for v in surface)

    return lambda *inputs: Graphed.apply(*inputs, *module.parameters())  # type: ignore[no-untyped-call]


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[Recorder]:
    """Put the fake in the place of the GPU; return what it records."""
    made: list[Recorder] = []

    def new() -> Recorder:
        made.append(Recorder())
        return made[-1]

    def capturing(recorder: Recorder, capture_error_mode: str = "global") -> Recorder:
        recorder.error_mode = capture_error_mode
        return recorder

    stream = SimpleNamespace(wait_stream=lambda other: None)
    fakes = {
        "is_available": lambda: True,
        "Stream": lambda: stream,
        "current_stream": lambda: stream,
        "stream": lambda stream: contextlib.nullcontext(),
        "device": lambda device: contextlib.nullcontext(),
        "CUDAGraph": new,
        "graph": capturing,
        "make_graphed_callables": graphed,
    }
    for name, fake in fakes.items():
        monkeypatch.setattr(torch.cuda, name, fake)
    monkeypatch.setattr(cuda_graph, "on_gpu", lambda value: True)
    return made


@pytest.fixture(params=["fake", pytest.param("gpu", marks=pytest.mark.gpu)])
def device(request: pytest.FixtureRequest) -> str:
    """Return where the tensors are; with the fake that is the CPU."""
    if request.param == "gpu":
        return "cuda"
    request.getfixturevalue("recorded")
    return "cpu"


def pair(device: str, execution: str, *, outputs: int = 1) -> tuple[SymbolicModel, SymbolicModel]:
    """Return a model with CUDA graphs and the same without, with weights of its own."""
    torch.manual_seed(0)
    x = inputs = Input(shape=(8,))
    values = []
    for _ in range(4):
        x = nn.Linear(8, 8)(x).tanh() + x
        values.append(x)
    x = nn.BatchNorm1d(8)(x)
    results = [x, *values][:outputs]
    model = SymbolicModel(inputs, results, enable_cuda_graphs=True, execution=execution)
    plain = copy.deepcopy(SymbolicModel(inputs, results, execution=execution))
    return model.to(device), plain.to(device)


def batch(size: int = 4, seed: int = 0, device: str = "cpu") -> torch.Tensor:
    return torch.rand(size, 8, generator=torch.Generator().manual_seed(seed)).to(device)


@each_execution
@pytest.mark.parametrize("outputs", [1, 3])
def test_a_recorded_inference_equals_an_ordinary_one(
    device: str, execution: str, outputs: int
) -> None:
    model, plain = (each.eval() for each in pair(device, execution, outputs=outputs))
    with torch.no_grad():
        for seed in range(3):
            value = batch(seed=seed, device=device)
            torch.testing.assert_close(model(value), plain(value))


def test_results_of_one_call_are_not_overwritten_by_the_next(device: str) -> None:
    model, plain = (each.eval() for each in pair(device, "codegen"))
    with torch.no_grad():
        first = model(batch(seed=1, device=device))
        kept = first.clone()
        model(batch(seed=2, device=device))
        assert torch.equal(first, kept)
        torch.testing.assert_close(first, plain(batch(seed=1, device=device)))


def test_another_shape_and_other_weights_are_recorded_anew(device: str) -> None:
    model, plain = (each.eval() for each in pair(device, "codegen"))
    value = batch(device=device)
    with torch.no_grad():
        for size in (4, 9, 4):
            sized = batch(size, device=device)
            torch.testing.assert_close(model(sized), plain(sized))
        for each in (model, plain):
            each.Linear_1.weight.mul_(2)
        torch.testing.assert_close(model(value), plain(value))
        for each in (model, plain):
            each.Linear_1.weight = nn.Parameter(torch.ones(8, 8).to(device))
        torch.testing.assert_close(model(value), plain(value))


@each_execution
def test_a_model_trains_as_without_graphs(device: str, execution: str) -> None:
    model, plain = pair(device, execution)
    losses: list[list[float]] = []
    for each in (model, plain):
        optimiser = torch.optim.SGD(each.parameters(), lr=0.1)
        losses.append([])
        for step in range(4):
            loss = (each(batch(16, seed=step, device=device)) - 1).square().mean()
            optimiser.zero_grad(set_to_none=False)
            loss.backward()
            optimiser.step()
            losses[-1].append(loss.item())
    torch.testing.assert_close(losses[0], losses[1])
    for name, buffer in model.named_buffers():
        torch.testing.assert_close(buffer, dict(plain.named_buffers())[name])


def test_gradients_are_added_and_are_not_overwritten_by_the_next_backward(device: str) -> None:
    kept: list[list[Any]] = []
    for each in pair(device, "inlined"):
        gradients = []
        for seed in range(4):
            value = batch(16, seed=seed, device=device).requires_grad_()
            each(value).exp().sum().backward()
            gradients += [value.grad, *[p.grad for p in each.parameters()]]
            if seed % 2:
                each.zero_grad()
        kept.append(gradients)
    torch.testing.assert_close(kept[0], kept[1])


def test_a_backward_after_another_forward_is_refused(device: str) -> None:
    model, _ = pair(device, "inlined")
    earlier, later = (model(batch(seed=seed, device=device)) for seed in (0, 1))
    what = "backward pass of a model with CUDA graphs"
    with raises(DeviceError, object=what, received="after a later forward"):
        earlier.sum().backward()
    later.sum().backward()


def test_a_switched_model_and_a_copy_stay_recorded(device: str) -> None:
    model, plain = (each.eval() for each in pair(device, "lazy"))
    model.execution = "codegen"
    value = batch(device=device)
    with torch.no_grad():
        torch.testing.assert_close(copy.deepcopy(model)(value), plain(value))
        torch.testing.assert_close(model(value), plain(value))


class ReadsBack(nn.Module):
    """A layer that asks for a value."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * x.sum().item()


def test_what_cannot_be_captured_is_explained(device: str) -> None:
    x = Input(shape=(8,))
    model = SymbolicModel(x, ReadsBack()(x), enable_cuda_graphs=True)
    with (
        torch.no_grad(),
        raises(DeviceError, object="enable_cuda_graphs=True", received="captur", remedy=".item()"),
    ):
        model(batch(device=device))


@pytest.mark.gpu
@pytest.mark.parametrize("value", [torch.rand(4, 8), "text"], ids=["on the CPU", "no tensor"])
def test_an_input_that_is_not_on_the_gpu_is_refused(value: Any) -> None:
    model, _ = pair("cuda", "ordered")
    what = "input of a model with CUDA graphs"
    with raises(
        ArgumentError, object=what, received="cpu" if isinstance(value, torch.Tensor) else "'text'"
    ):
        model(value)


def test_each_shape_is_recorded_once_and_too_many_run_without_a_graph(
    recorded: list[Recorder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda_graph, "MOST_SHAPES", 2)
    model, plain = (each.eval() for each in pair("cpu", "inlined"))
    with torch.no_grad():
        for size in (4, 9, 4, 9):
            assert model(batch(size)).shape == (size, 8)
        assert len(recorded) == 2
        assert all(recorder.steps for recorder in recorded)
        with pytest.warns(UserWarning, match="shapes") as warned:
            results = [model(batch(size)) for size in (5, 6, 5, 4)]
        assert len(warned) == 1
        torch.testing.assert_close(results, [plain(batch(size)) for size in (5, 6, 5, 4)])
    assert len(recorded) == 2


class Times(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.k, self.more = 2.0, [1.0]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.k + sum(self.more)


SETTINGS: dict[str, Callable[[Any], Any]] = {
    "p": lambda layers: setattr(layers[0], "p", 0.0),
    "eps": lambda layers: setattr(layers[1], "eps", 10.0),
    "k": lambda layers: setattr(layers[2], "k", 3.0),
    "in a list": lambda layers: layers[2].more.append(5.0),
    "a new attribute": lambda layers: setattr(layers[2], "forward", torch.sin),
    "slope": lambda layers: setattr(layers[3], "negative_slope", 0.9),
}


@each_execution
@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_that_changes_is_recorded_anew(
    name: str, execution: str, recorded: list[Recorder]
) -> None:
    layers = nn.Dropout(0.5).train(), nn.BatchNorm1d(8).eval(), Times(), nn.LeakyReLU(0.1)
    x = Input(shape=(8,))
    y = x
    for layer in layers[1:]:
        y = layer(y)
    model = SymbolicModel(x, (layers[0](x), y), enable_cuda_graphs=True, execution=execution)
    value = batch() - 0.5
    with torch.no_grad():
        model(value)
        model(value)
        assert len(recorded) == 1
        SETTINGS[name](layers)
        _, y = model(value)
        expected = value
        for layer in layers[1:]:
            expected = layer(expected)
        torch.testing.assert_close(y, expected)
        assert len(recorded) == 2
        layers[3].negative_slope = float(str(layers[3].negative_slope))  # an equal value
        dropped, _ = model(value)
        assert torch.equal(dropped, value) is (name == "p")
        assert len(recorded) == 2


@pytest.mark.parametrize(
    ("place", "name", "value"),
    [
        (torch.backends.cuda.matmul, "fp32_precision", "tf32"),
        (torch.backends.cudnn.conv, "fp32_precision", "ieee"),
        (torch.backends.cudnn, "enabled", False),
        (torch.backends.cudnn, "deterministic", True),
    ],
)
def test_each_flag_that_chooses_kernels_has_a_recording(
    place: Any, name: str, value: Any, recorded: list[Recorder]
) -> None:
    model = pair("cpu", "inlined")[0].eval()
    before = getattr(place, name)
    assert before != value
    with torch.no_grad():
        try:
            for setting in (before, value, before, value):
                setattr(place, name, setting)
                model(batch())
        finally:
            setattr(place, name, before)
    assert len(recorded) == 2


class Fails(nn.Module):
    def __init__(self, error: type[Exception]) -> None:
        super().__init__()
        self.error = error

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.shape[0] == 3:
            raise self.error("of the forward")
        return x


@pytest.mark.parametrize("error", [torch.OutOfMemoryError, RuntimeError])
@pytest.mark.parametrize("gradients", [True, False])
def test_an_error_of_the_forward_is_not_one_of_capturing(
    error: type[Exception], gradients: bool, recorded: list[Recorder]
) -> None:
    x = Input(shape=(8,))
    model = SymbolicModel(x, Fails(error)(x, output_shape=(None, 8)), enable_cuda_graphs=True)
    with torch.set_grad_enabled(gradients), pytest.raises(error) as raised:
        model(batch(3))
    assert not isinstance(raised.value, DeviceError)


def test_other_threads_may_use_the_gpu_while_a_model_is_recorded(recorded: list[Recorder]) -> None:
    model = pair("cpu", "inlined")[0].eval()
    with torch.no_grad():
        model(batch())
    assert [recorder.error_mode for recorder in recorded] == ["thread_local"]


def test_a_new_buffer_and_a_new_layer_inside_a_layer_are_seen(recorded: list[Recorder]) -> None:
    inner = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8))
    x = Input(shape=(8,))
    net = SymbolicModel(x, inner(x), enable_cuda_graphs=True).eval()
    with torch.no_grad():
        for change in (
            lambda: None,
            lambda: setattr(inner[1], "running_mean", torch.ones(8)),
            lambda: inner.append(nn.ReLU()),
            lambda: setattr(inner[0], "bias", None),
        ):
            change()
            torch.testing.assert_close(net(batch()), inner(batch()))
            torch.testing.assert_close(net(batch(seed=1)), inner(batch(seed=1)))
    assert len(recorded) == 4


@pytest.mark.parametrize("everywhere", [False, True])
def test_a_hook_that_comes_or_goes_is_recorded_anew(
    recorded: list[Recorder], everywhere: bool
) -> None:
    x = Input(shape=(8,))
    net = SymbolicModel(x, nn.Linear(8, 8)(x).tanh() + x, enable_cuda_graphs=True).eval()
    register = (
        torch.nn.modules.module.register_module_forward_hook
        if everywhere
        else net.Linear_1.register_forward_hook
    )

    def double(module: nn.Module, inputs: Any, output: torch.Tensor) -> torch.Tensor | None:
        return output * 2 if module is net.Linear_1 else None

    with torch.no_grad():
        plain = net(batch())
        handle = register(double)
        hooked = net.Linear_1(batch()).tanh() + batch()
        torch.testing.assert_close(net(batch()), hooked)
        handle.remove()
        torch.testing.assert_close(net(batch()), plain)
    assert not torch.equal(plain, hooked)
