"""Every call that a GPU cell of the course makes, tried once: ``hpml doctor --gpu-check``."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hpml.base.tables import Shown, Table, format_seconds


@dataclass(frozen=True)
class Tried:
    """One call: what it is for, how long it took in seconds, and its error, empty if it worked."""

    name: str
    seconds: float
    error: str


@dataclass(frozen=True)
class GpuCheck(Shown):
    """What worked on a device.

    Attributes:
        device: its name, as PyTorch gives it.
        tried: each call, in the order in which they ran.
    """

    device: str
    tried: tuple[Tried, ...]

    @property
    def failed(self) -> int:
        """How many calls failed."""
        return sum(bool(each.error) for each in self.tried)

    @property
    def table(self) -> Table:
        """The calls as a table."""
        rows = [[each.name, each.error or "works", each.seconds] for each in self.tried]
        return Table(
            ["call", "result", "time"],
            rows,
            title=f"GPU check: {self.device}",
            caption=f"{len(rows) - self.failed} of {len(rows)} work. Times include compiling.",
            formats={"time": format_seconds},
        )


def gpu_check(device: str = "cuda") -> GpuCheck:
    """Try each call of the GPU cells once on a device.

    Args:
        device: ``"cuda"`` or one such as ``"cuda:1"``; on ``"cpu"`` what needs a card fails.
    """
    import torch

    tried = []
    for name, call in _CALLS.items():
        begun = time.perf_counter()
        try:
            call(device)
            if device.startswith("cuda"):
                torch.cuda.synchronize(device)
        except Exception as error:  # noqa: BLE001 - the report shows it, whatever it is
            message = " ".join(str(error).split())[:200]
            tried.append(
                Tried(name, time.perf_counter() - begun, f"{type(error).__name__}: {message}")
            )
        else:
            tried.append(Tried(name, time.perf_counter() - begun, ""))
    card = torch.cuda.get_device_name(device) if device.startswith("cuda") else device
    return GpuCheck(card, tuple(tried))


_FAST = {"rounds": 2, "min_sample_time": 1e-4}


def _events(device: str) -> None:
    import torch

    event: Any = torch.cuda.Event
    start, end = (event(enable_timing=True) for _ in range(2))
    x = torch.rand(512, 512, device=device)
    start.record()
    x @ x
    end.record()
    end.synchronize()
    _expect(start.elapsed_time(end) > 0, "a positive time between two events")


def _streams(device: str) -> None:
    import torch

    x = torch.rand(256, 256, device=device)
    expected = x @ x
    stream: Any = torch.cuda.Stream
    first, second = stream(device), stream(device)
    torch.cuda.synchronize(device)
    with torch.cuda.stream(first):
        left = x @ x
    with torch.cuda.stream(second):
        right = x @ x
    torch.cuda.synchronize(device)
    torch.testing.assert_close(left, expected)
    torch.testing.assert_close(right, expected)


def _pinned(device: str) -> None:
    import torch

    x = torch.rand(1000).pin_memory()
    torch.testing.assert_close(x.to(device, non_blocking=True).cpu(), x)


def _memory(device: str) -> None:
    import torch

    from hpml.profiling import peak_allocated

    x = torch.ones(2**16, device=device)
    peak_allocated(lambda: (x * x + x).sum())


def _symbolic(device: str, **options: Any) -> Any:
    import torch
    from torch import nn

    from hpml.symbolic import Input, SymbolicModel

    x = inputs = Input(shape=(4,))
    for _ in range(3):
        x = nn.Linear(4, 4)(x)
    model = SymbolicModel(inputs, x, **options).to(device).eval()
    given = torch.rand(2, 4, device=device)
    with torch.no_grad():
        expected = given
        for layer in model.ordered_layers:
            expected = layer(expected)
        for _ in range(3):  # warm-up, recording, replay
            torch.testing.assert_close(model(given), expected)
    return model, given


def _compiled(device: str, mode: str | None = None) -> None:
    import torch

    model, given = _symbolic(device)
    compiled: Any = torch.compile(model, mode=mode)
    with torch.no_grad():
        for _ in range(3):
            torch.testing.assert_close(compiled(given), model(given))


def _fast_swish(device: str) -> None:
    import torch

    from hpml.models.activations import fast_swish, fast_swish_composite, fast_swish_slope

    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        x = (8 * torch.randn(5000, device=device)).to(dtype).requires_grad_()
        wide = x.detach().double()
        y: Any = fast_swish(x)
        torch.testing.assert_close(y, fast_swish_composite(wide).to(dtype))
        y.sum().backward()
        torch.testing.assert_close(x.grad, fast_swish_slope(wide).to(dtype))


def _train(device: str) -> None:
    from hpml.datasets import digits
    from hpml.suites.convnext_train import names, run

    data = digits().head(64, 20)
    run([1], rounds=1, contenders=names(), data=data, batch=32, device=device)


def _suite(name: str, *sizes: int, **options: Any) -> Callable[[str], Any]:
    def call(device: str) -> Any:
        import importlib

        module = importlib.import_module(f"hpml.suites.{name}")
        return module.run(list(sizes), device=device, **_FAST, **options)

    return call


def _expect(right: bool, what: str) -> None:
    if not right:
        raise ValueError(f"expected {what}")


_CALLS: dict[str, Callable[[str], Any]] = {
    "events (lab 11)": _events,
    "two streams (lab 08)": _streams,
    "pinned memory (lab 11)": _pinned,
    "peak memory (lab 03)": _memory,
    "symbolic model, inlined (lab 07)": _symbolic,
    "symbolic model, CUDA graphs (lab 11)": lambda device: _symbolic(
        device, enable_cuda_graphs=True
    ),
    "torch.compile (lab 08)": _compiled,
    'torch.compile, mode="reduce-overhead" (lab 11)': lambda device: _compiled(
        device, "reduce-overhead"
    ),
    "FastSwish's kernel, four types (lab 13)": _fast_swish,
    "hpml bench launch": _suite("launch", 1),
    "hpml bench deep-linear": _suite("deep_linear", 3),
    "hpml bench toy-resnet, CUDA graphs": _suite("toy_resnet", 16, cuda_graphs=True),
    "hpml bench convnext-infer": _suite("convnext_infer", 2),
    "hpml bench convnext-train, every recipe": _train,
}
