"""CUDA graphs with a fake in place of the device: what is recorded, copied, refused and explained.

The fake records the operators of a forward with the tensors they work on, and replays them into the
same memory, as a GPU does with kernels. That a real one agrees is for ``test_cuda_graphs``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from hpml.symbolic import Input, SymbolicModel
from hpml.symbolic.errors import ArgumentError, DeviceError
from hpml.symbolic.execution import cuda_graph


class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes operators, or replays them into the memory of their first results."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.steps: list[tuple[Any, ...]] = []

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
    """Stand in for `make_graphed_callables`: a forward into the same memory, with its gradients."""
    memory = module(*samples).detach()

    def run(*inputs: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = module(*inputs)
        memory.copy_(result.detach())
        return result + (memory - result).detach()

    return run


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[Recorder]:
    made: list[Recorder] = []

    def new() -> Recorder:
        made.append(Recorder())
        return made[-1]

    stream = SimpleNamespace(wait_stream=lambda other: None)
    fakes = {
        "is_available": lambda: True,
        "Stream": lambda: stream,
        "current_stream": lambda: stream,
        "stream": lambda stream: contextlib.nullcontext(),
        "device": lambda device: contextlib.nullcontext(),
        "CUDAGraph": new,
        "graph": lambda recorder: recorder,
        "make_graphed_callables": graphed,
    }
    for name, fake in fakes.items():
        monkeypatch.setattr(torch.cuda, name, fake)
    monkeypatch.setattr(cuda_graph, "on_gpu", lambda value: True)
    return made


def model(**more: Any) -> SymbolicModel:
    torch.manual_seed(0)
    x = Input(shape=(8,))
    y = nn.BatchNorm1d(8)(nn.Linear(8, 8)(x).tanh() + x)
    return SymbolicModel(x, y, enable_cuda_graphs=True, **more)


def batch(size: int = 4, seed: int = 0) -> torch.Tensor:
    return torch.rand(size, 8, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("execution", ["lazy", "ordered", "codegen", "inlined"])
def test_a_new_input_is_copied_in_and_the_recording_replayed(
    recorded: list[Recorder], execution: str
) -> None:
    net = model(execution=execution).eval()
    with torch.no_grad():
        for seed in range(3):
            x = batch(seed=seed)
            expected = net.BatchNorm1d_1(net.Linear_1(x).tanh() + x)
            torch.testing.assert_close(net(x), expected)
    assert len(recorded) == 1
    assert recorded[0].steps


def test_each_shape_is_recorded_once_and_too_many_are_refused(
    recorded: list[Recorder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda_graph, "MOST_SHAPES", 2)
    net = model().eval()
    with torch.no_grad():
        for size in (4, 9, 4, 9):
            assert net(batch(size)).shape == (size, 8)
        assert len(recorded) == 2
        with pytest.raises(ArgumentError):
            net(batch(5))


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


def test_training_gets_gradients_and_recording_leaves_no_trace(recorded: list[Recorder]) -> None:
    net, twin = model(), model()
    net(batch(16)).square().mean().backward()
    x = batch(16)
    twin.BatchNorm1d_1(twin.Linear_1(x).tanh() + x).square().mean().backward()
    torch.testing.assert_close(net.Linear_1.weight.grad, twin.Linear_1.weight.grad)
    torch.testing.assert_close(net.BatchNorm1d_1.running_mean, twin.BatchNorm1d_1.running_mean)


@pytest.mark.parametrize("everywhere", [False, True])
def test_a_hook_that_comes_or_goes_is_recorded_anew(
    recorded: list[Recorder], everywhere: bool
) -> None:
    net = model().eval()
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
        hooked = net.BatchNorm1d_1(net.Linear_1(batch()).tanh() + batch())
        torch.testing.assert_close(net(batch()), hooked)
        handle.remove()
        torch.testing.assert_close(net(batch()), plain)
    assert not torch.equal(plain, hooked)


class ReadsBack(nn.Module):
    """A layer that asks for a value."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * x.sum().item()


def test_what_cannot_be_captured_is_explained(recorded: list[Recorder]) -> None:
    x = Input(shape=(8,))
    net = SymbolicModel(x, ReadsBack()(x), enable_cuda_graphs=True).eval()
    with (
        torch.no_grad(),
        pytest.raises(DeviceError),
    ):
        net(batch())
