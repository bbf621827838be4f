"""The roofline of the lab's device: its limits, and where the operators of the lab lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hpml.base import accelerator
from hpml.base.page import Page
from hpml.base.tables import Table, format_bytes, readable
from hpml.benchmark import Kernel, Limits, compare, draw_roofline
from hpml.course.files import recorded
from hpml.course.labs.lab_11_gpu_benchmarks.resnet import forward_name
from hpml.course.lesson.racing import SAMPLE
from hpml.course.suites.forwards import BASELINE
from hpml.course.suites.published import CUDA_GRAPHS
from hpml.course.this_run import quick
from hpml.profiling import work_of

COPY, PRODUCT, IN_BF16 = "copy", "product, float32", "product, bfloat16"


def count_operations(run: Callable[[], object]) -> int:
    """Return the multiplications and additions of a call's matrix products and convolutions.

    A call without any counts as one operation for each element of its result.
    """
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    # PyTorch's counter lacks the fused attention of some devices.
    names = ("flash_attention_for_cpu", "attention_math_for_mps", "fused_attention_overrideable")
    known = {
        getattr(torch.ops.aten, f"_scaled_dot_product_{name}"): _of_attention
        for name in names
        if hasattr(torch.ops.aten, f"_scaled_dot_product_{name}")
    }
    with FlopCounterMode(display=False, custom_mapping=known) as counter:
        result = run()
    return counter.get_total_flops() or int(getattr(result, "numel", lambda: 0)())


def _of_attention(q: Any, k: Any, v: Any, *_: Any, **__: Any) -> int:
    """Return the operations of attention from the shapes: two products for each pair of places."""
    *batch, places, width = q
    pairs = places * k[-2]
    for each in batch:
        pairs *= each
    return int(2 * pairs * (width + v[-1]))


@dataclass(frozen=True)
class Roofline:
    """The measured limits of a device, and the work and time of operators on it."""

    limits: Limits
    kernels: Mapping[str, Kernel]
    peaks: Mapping[str, float]
    device: str

    def draw(self) -> Page:
        """Draw the operators below the roof."""
        caption = f"{self.device}. Memory: copying; arithmetic: a product of matrices."
        return draw_roofline(self.limits, self.kernels, caption, self.peaks)

    @property
    def rows(self) -> list[list[str]]:
        """Return the rows of the lab's closing table."""
        return [["operations per byte at the ridge", readable(self.limits.ridge, 2)]]

    @property
    def table(self) -> Table:
        """The speed of each operator, and its share in what its intensity allows."""
        rows = [
            [name, work.operations / 1e6, work.bytes, work.intensity, work.speed / 1e9,
             work.speed / self.limits.at_most(work.intensity)]
            for name, work in self.kernels.items()
        ]  # fmt: skip
        columns = ["operator", "million operations", "bytes", "operations per byte", "GFLOP/s"]
        columns.append("of the roof")
        three = dict.fromkeys(columns, lambda x: readable(x, 3))
        formats: Any = {**three, "operator": str, "bytes": format_bytes, "of the roof": _share}
        return Table(columns, rows, formats=formats)


def _share(part: float) -> str:
    return f"{readable(100 * part, 2 if part < 0.995 else 3)} %"


def measure(operators: Mapping[str, Callable[[], object]], device: str) -> Roofline:
    """Measure the limits of a device and the lab's operators, in the same rounds."""
    import torch

    mebibytes, side = (64, 1024) if device == "cpu" else (256, 4096)
    source = torch.rand(mebibytes * 2**18, device=device)
    target, square = torch.empty_like(source), torch.rand(side, side, device=device)
    runs: dict[str, Callable[[], object]] = {
        COPY: lambda: target.copy_(source),
        PRODUCT: lambda: square @ square,
    }
    if accelerator.can("bfloat16", device):
        half = square.bfloat16()
        runs[IN_BF16] = lambda: half @ half
    work = {name: (count_operations(run), work_of(run).moved) for name, run in operators.items()}
    raced = compare(
        {**runs, **operators},
        rounds=6 if quick() else 15,
        min_sample_time=SAMPLE,
        device=device,
        stop_early=False,
    )
    rate = {name: 2 * side**3 / raced[name].median for name in runs if name != COPY}
    bandwidth = 2 * 4 * source.numel() / raced[COPY].median
    placed = {name: Kernel(*work[name], raced[name].median) for name in operators}
    peaks = {"bfloat16": rate[IN_BF16]} if IN_BF16 in rate else {}
    where = accelerator.name(device) or "The CPU, one thread"
    if accelerator.rounds_convolutions(device):
        where += "; convolutions round their inputs to TF32, which has a higher roof"
    return Roofline(Limits(bandwidth, rate[PRODUCT]), placed, peaks, where)


def recorded_shares(kernels: Mapping[str, Kernel]) -> Table:
    """Return the share of the ResNet among these kernels in the product's rate on a recorded GPU.

    The recorded copy fits into the GPU's cache, so that there is no recorded bandwidth.
    """
    found: Any = recorded("gpu")
    rows = 2048  # a square matrix of 16 MiB
    peak = 2 * rows**3 / found["launch"]["product"]
    table = []
    for name in (BASELINE, CUDA_GRAPHS):
        for size, seconds in found["toy-resnet"][name].items():
            speed = kernels[forward_name(size)].operations / seconds
            table.append([f"{name}, {size} pixels", speed / 1e9, speed / peak])
    caption = (
        f"Recorded: {found['machine']}. A product of two float32 matrices of 16 MiB runs at "
        f"{readable(peak / 1e9, 3)} GFLOP/s there. The bandwidth of its memory is not yet recorded."
    )
    formats: Any = {"GFLOP/s": lambda x: readable(x, 3), "of the product": _share}
    return Table(["forward", "GFLOP/s", "of the product"], table, caption=caption, formats=formats)
