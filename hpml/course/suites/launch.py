"""The suite `launch`: the basic speeds of this machine's device."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base import accelerator
from hpml.base.charts import lines
from hpml.base.tables import Table, format_seconds
from hpml.benchmark.plots import sweeps
from hpml.course.suites.running import CasesResult, environment_line, run_together
from hpml.course.suites.settings import Settings
from hpml.course.suites.suite import Suite

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BASELINE = "launch"
WAIT = "launch and wait"
COPY, PRODUCT = "copy", "product"
TRANSFERS = ("to GPU", "to GPU from pinned", "from GPU", "from GPU to pinned")
MEBIBYTES = (1, 4, 16)
BEYOND_CACHES = 256
"""A size that a GPU gets besides by default: smaller ones show the bandwidth of its caches."""
DEFAULTS = Settings()


@dataclass(frozen=True)
class LaunchResult(CasesResult):
    """The results of the suite, one case per size."""

    def plot(self) -> Figure:
        """Draw the time per call against the size."""
        from hpml.course.suites.pictures import figure_of, unstable_line

        times = sweeps(self.cases, "mebibytes")
        sizes = times[0].x
        chart = lines(times, title="Time per call", x="MiB", y="µs per call", log="xy", sizes=sizes)
        return figure_of(
            chart,
            caption="Median and 25 to 75 % band of "
            f"{self.cases[0].comparison.rounds} interleaved rounds. "
            f"{environment_line(self.cases)}.{unstable_line(self.cases)}",
        )

    def _shown(self) -> list[Table]:
        from hpml.course.suites.pictures import unstable_line

        rows = [
            (case.parameters["mebibytes"], m.name, m.median,
             _rate(m.name, int(case.parameters["mebibytes"] or 0), m.median))
            for case in self.cases
            for m in case.comparison
        ]  # fmt: skip
        table = Table(
            ["MiB", "contender", "time per call", "rate"],
            rows,
            title=f"The device: {environment_line(self.cases)}",
            caption="launch: an operator on a single number. copy: reads and writes a tensor of "
            "this size. product: multiplies two square float32 matrices of this size."
            + unstable_line(self.cases),
            formats={"time per call": format_seconds},
        )
        return [table, *self._notes()]


def names(device: str) -> tuple[str, ...]:
    """Return the contenders' names, in the order of tables and pictures."""
    if device == "cpu":
        return (BASELINE, COPY, PRODUCT)
    # Without pinned memory a transfer that does not wait may read what the program overwrites.
    pinned = accelerator.can("pinned", device)
    transfers = [each for each in TRANSFERS if pinned or "pinned" not in each]
    return (BASELINE, WAIT, COPY, PRODUCT, *transfers)


def run(mebibytes: Sequence[int] = MEBIBYTES, **changes: Any) -> LaunchResult:
    """Measure launches, copies, products and, on a GPU, transfers, one case per tensor size.

    >>> result = run([1], rounds=6, min_sample_time=1e-5)
    >>> result.cases[0].comparison.names, "need a GPU" in result.notes[0]
    (('launch', 'copy', 'product'), True)
    """
    settings = DEFAULTS.changed(changes)
    settings = settings.choose(BASELINE, names(settings.device))
    if settings.on_gpu and tuple(mebibytes) == MEBIBYTES:
        mebibytes = (*MEBIBYTES, BEYOND_CACHES)
    outcome = run_together("launch", "mebibytes", mebibytes, _contenders, settings, grad=False)
    note = f"{WAIT}, {', '.join(TRANSFERS)} need a GPU: --device cuda, mps or xpu."
    return LaunchResult(outcome.cases, (*outcome.notes, *(() if settings.on_gpu else (note,))))


SUITE = Suite("launch", run, DEFAULTS, "sizes of a tensor in MiB; on a GPU also 256")


def _contenders(settings: Settings, size: int) -> dict[str, Callable[[], object]]:
    import torch

    device = settings.device
    one = torch.zeros((), device=device)
    rows = _rows(size)
    source = torch.rand(rows, rows, device=device)
    target = torch.empty_like(source)

    def wait() -> None:
        one.add_(1)
        torch.accelerator.synchronize(device)

    contenders: dict[str, Callable[[], object]] = {
        BASELINE: lambda: one.add_(1),
        WAIT: wait,
        COPY: lambda: target.copy_(source),
        PRODUCT: lambda: torch.mm(source, source, out=target),
    }
    if settings.on_gpu:
        # Tensors of their own: a product that is fed back grows to infinity.
        paged, there = torch.rand(rows, rows), torch.rand(rows, rows, device=device)
        contenders |= {
            TRANSFERS[0]: lambda: there.copy_(paged),
            TRANSFERS[2]: lambda: paged.copy_(there),
        }
        if settings.can("pinned"):
            pinned = paged.pin_memory()
            # non_blocking needs pinned memory; the sampler's clock then waits for the transfer.
            contenders |= {
                TRANSFERS[1]: lambda: there.copy_(pinned, non_blocking=True),
                TRANSFERS[3]: lambda: pinned.copy_(there, non_blocking=True),
            }
    return {name: contenders[name] for name in settings.contenders or ()}


def _rows(size: int) -> int:
    """Return the rows of a square float32 matrix of about `size` MiB."""
    return math.isqrt(size * 2**20 // 4)


def _rate(name: str, size: int, seconds: float) -> str:
    """Return the rate in the unit of data sheets."""
    rows = _rows(size)
    if name in (BASELINE, WAIT):
        return f"{1e-3 / seconds:,.0f} thousand per second"
    if name == PRODUCT:
        return f"{2 * rows**3 / seconds / 1e9:,.0f} GFLOP/s"
    return f"{4 * rows**2 * (2 if name == COPY else 1) / seconds / 1e9:,.1f} GB/s"
