"""Try on this machine's accelerator what the course does there, and keep the findings in one file.

A path that cannot run where the course is developed is verified by the first person who has the
card, with ``hpml doctor --accelerator``. Whatever fails is a finding, never an exception.
"""

from __future__ import annotations

import contextlib
import json
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from hpml.base import accelerator
from hpml.base.environment import Value, environment_record
from hpml.base.files import write_atomically
from hpml.base.tables import Table, format_bytes, readable
from hpml.benchmark.printed import interval
from hpml.course.doctor import Finding, Report

if TYPE_CHECKING:
    from torch import Tensor, nn

CLOSE = 1e-3
"""Largest difference from the CPU's results, relative to their size, in float32 without TF32."""
SAME_LOSS = 0.03
"""Largest relative difference of the losses of a recipe's first epoch from the CPU's vanilla."""
SIDES = (512, 2048)
"""Sides of the square matrices whose products are timed: 64 times the work."""
GROWTH = (8.0, 130.0)
"""Between these the time must grow: launches alone would take equally long."""


@dataclass(frozen=True)
class AcceleratorReport(Report):
    """What was tried on an accelerator, with the machine."""

    device: str = "cpu"
    machine: dict[str, Value] | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing that was tried gave a wrong result or failed."""
        return all(found.state in ("ok", "absent") for found in self.findings)

    @property
    def table(self) -> Table:
        """The findings as a table."""
        wrong = [found.name for found in self.findings if found.state not in ("ok", "absent")]
        verdict = f"Not as on the CPU: {', '.join(wrong)}." if wrong else "All is as on the CPU."
        name = accelerator.name(self.device) or self.device
        return replace(super().table, title=f"{name} ({self.device})", caption=verdict)

    def save(self, path: Path) -> None:
        """Write the report as JSON, to be attached to a report of a fault."""
        findings = [asdict(found) for found in self.findings]
        content = {"device": self.device, "machine": self.machine, "findings": findings}
        write_atomically(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def verify(device: str) -> AcceleratorReport:
    """Try what the course does on a device against the CPU; it takes at most some minutes.

    Args:
        device: an accelerator; the CPU is compared with itself.
    """
    checks: list[tuple[str, Callable[[str], Finding]]] = [
        ("memory", _memory),
        ("timing", _timing),
        ("events", _events),
    ]
    checks += [(f"model, {name}", _model(name)) for name in _executions()]
    checks += [(f"training, {name}", _recipe(name)) for name in _recipes()]
    checks += [("training, resumed", _resumed)]
    checks += [
        (f"transformer, {name}", _recipe(name, text=True))
        for name in _recipes()
        if name != "channels-last"
    ]
    checks += [("transformer, generated", _generated)]
    features = ", ".join(
        each for each in get_args(accelerator.Feature) if accelerator.can(each, device)
    )
    findings = [Finding("features", "ok", features)]
    with _exact_products(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, check in checks:
            findings.append(_tried(name, check, device))
    return AcceleratorReport(tuple(findings), device, environment_record(device=device))


def _tried(name: str, check: Callable[[str], Finding], device: str) -> Finding:
    try:
        return replace(check(device), name=name)
    except Exception as error:  # noqa: BLE001 - a device that nobody tried may raise anything
        text = (str(error) or "no message").splitlines()[0]
        return Finding(name, "warning", f"{type(error).__name__}: {text[:200]}", "it failed")


@contextlib.contextmanager
def _exact_products() -> Iterator[None]:
    """Compute products and convolutions in float32, without TF32, which leaves three digits."""
    import torch

    before, convolutions = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
        torch.backends.cudnn.allow_tf32 = convolutions


def _memory(device: str) -> Finding:
    import torch

    total = accelerator.total_memory(device)
    accelerator.reset_peak_memory(device)
    tensor = torch.ones(2**24, device=device)
    peak = accelerator.peak_memory(device)
    if total is None and peak is None:
        return Finding("", "absent", "torch does not tell")
    size = tensor.numel() * tensor.element_size()
    value = "total unknown" if total is None else f"{format_bytes(total)} in all"
    if peak is None:
        return Finding("", "ok", f"{value}, peaks unknown")
    value += f"; a tensor of {format_bytes(size)}: peak {format_bytes(peak.allocated)}"
    right = size <= peak.allocated <= peak.reserved
    return Finding("", "ok" if right else "warning", value, "" if right else "impossible")


def _timing(device: str) -> Finding:
    import torch

    from hpml.benchmark import compare

    low, high = GROWTH
    matrices = {side: torch.rand(side, side, device=device) for side in SIDES}
    runs = {f"{side}": (lambda x=x: x @ x) for side, x in matrices.items()}
    small, large = runs
    found = compare(runs, rounds=9, device=device, baseline=small).ratio(large)
    value = f"64 times the work takes {interval(found.value, found.low, found.high)} times"
    if low < found.value < high:
        return Finding("", "ok", value)
    return Finding("", "warning", value, f"expected {low:g} to {high:g} times: is it waited for?")


def _events(device: str) -> Finding:
    import time

    import torch

    if not accelerator.can("events", device):
        return Finding("", "absent", "no events that advance")
    x = torch.rand(SIDES[1], SIDES[1], device=device)
    with accelerator.current(device):
        marks = [torch.Event(torch.device(device), enable_timing=True) for _ in range(2)]
        for _ in range(2):  # the first round warms up
            accelerator.synchronise(device)
            start = time.perf_counter()
            marks[0].record()
            for _ in range(20):
                x @ x
            marks[1].record()
            accelerator.synchronise(device)
            by_clock = 1e3 * (time.perf_counter() - start)
    ratio = marks[0].elapsed_time(marks[1]) / by_clock
    value = f"{ratio:.2f} times the clock's time, for 20 products"
    return Finding("", "ok" if 0.7 < ratio <= 1.05 else "warning", value)


_GRAPHS = "CUDA graphs"


def _executions() -> tuple[str, ...]:
    from hpml.symbolic import EXECUTIONS

    return (*EXECUTIONS, _GRAPHS)


def _model(execution: str) -> Callable[[str], Finding]:
    """Return a check of an execution: result and gradients against the CPU's."""

    def check(device: str) -> Finding:
        if execution == _GRAPHS and not accelerator.can("graphs", device):
            return Finding("", "absent", "CUDA graphs are CUDA's")
        expected = _result_and_gradients("lazy", "cpu")
        got = _result_and_gradients(execution, device)
        return _compared(expected, got)

    return check


def _compared(expected: list[Tensor], got: list[Tensor]) -> Finding:
    """Return the largest difference, relative to the largest expected number of each tensor."""
    distances = [
        float((one.double() - other.cpu().double()).abs().max() / one.abs().max().clamp(min=1e-6))
        for one, other in zip(expected, got, strict=True)
    ]
    largest = max(distances)
    value = f"result and {len(got) - 1} gradients differ by at most {readable(largest)}"
    if math.isfinite(largest) and largest < CLOSE:
        return Finding("", "ok", value)
    return Finding("", "warning", value, f"expected less than {readable(CLOSE)}")


def _result_and_gradients(execution: str, device: str) -> list[Tensor]:
    import torch

    from hpml.course.models import ToyResNet, symbolic_toy_resnet

    graphs = execution == _GRAPHS
    network = ToyResNet(16).eval()
    model: nn.Module = symbolic_toy_resnet(
        network, "inlined" if graphs else execution, cuda_graphs=graphs
    )
    model = model.to(device).eval()
    inputs = torch.rand(4, 3, 16, 16, generator=torch.Generator().manual_seed(1)).to(device)
    for _ in range(2):  # a recorded graph is replayed in the second call
        model.zero_grad()
        result: Tensor = model(inputs)
        result.square().sum().backward()  # type: ignore[no-untyped-call]
    gradients = [weights.grad for weights in model.parameters() if weights.grad is not None]
    return [result.detach(), *gradients]


def _recipes() -> tuple[str, ...]:
    from hpml.course.training import RECIPES

    return tuple(name for name in RECIPES if name != "workers")  # processes take long to start


def _recipe(name: str, *, text: bool = False) -> Callable[[str], Finding]:
    """Return a check of a recipe: one epoch, with the losses of the CPU's vanilla.

    On the digits, or if `text` on some windows of a novel.
    """

    def check(device: str) -> Finding:
        from hpml.course.training import TrainingError

        expected = _losses("vanilla", "cpu", text=text)
        try:
            got = _losses(name, device, text=text)
        except TrainingError as error:
            if "recipe" not in error.object:
                raise
            return Finding("", "absent", f"{error.object}: {error.received}")
        return _same_losses(expected, got)

    return check


def _same_losses(expected: list[float], got: list[float]) -> Finding:
    largest = max(abs(a - b) / abs(b) for a, b in zip(got, expected, strict=True))
    value = f"{len(got)} losses within {largest:.2%} of the CPU's"
    good = math.isfinite(largest) and largest < SAME_LOSS
    return Finding("", "ok" if good else "warning", value)


def _losses(recipe: str, device: str, *, text: bool) -> list[float]:
    """Return the losses of one epoch, of the ConvNeXt or of the transformer in four steps."""
    from hpml.course.datasets import austen, digits
    from hpml.course.suites.convnext_train import network_for, recipe_for
    from hpml.course.training import train

    data = austen(epoch_size=32).head(64, 8) if text else digits().head(512, 64)
    found = train(
        network_for(data, "cpu"), data, recipe_for(recipe, data, device), epochs=1, device=device
    )
    return list(found.losses)


def _generated(device: str) -> Finding:
    """Generate a text with a cache on the device, and without one on the CPU."""
    from hpml.course.models import CharacterTransformer, generate

    model, prompt = CharacterTransformer(75).eval(), list(range(20))
    expected = generate(model, prompt, 40, cached=False)
    got = generate(model.to(device), prompt, 40)
    same = sum(a == b for a, b in zip(expected, got, strict=True))
    return Finding("", "ok" if same == 40 else "warning", f"{same} of 40 characters the CPU's")


def _resumed(device: str) -> Finding:
    """Continue a training from its state after the first epoch in another network."""
    from hpml.course.datasets import digits
    from hpml.course.suites.convnext_train import network_for, recipe_for
    from hpml.course.training import Trainer
    from hpml.course.training.processes import processes

    data = digits().head(512, 64)
    with processes(device) as joined:
        first, second = (
            Trainer(
                network_for(data, "cpu"),
                data,
                recipe_for("vanilla", data, device),
                epochs=2,
                processes=joined,
            )
            for _ in range(2)
        )
        list(first.epoch())
        state = first.state()
        list(first.epoch())
        second.load(state)
        list(second.epoch())
    found = _same_losses(first.losses, second.losses)
    return replace(found, value=found.value.replace("the CPU's", "those without a break"))
