"""A launch simulator: one line of CPU issue, one line of GPU execution, and how long both take.

The processor issues kernels one after the other; the GPU executes them in that order, each when it
is issued and the one before is done. Two numbers decide who waits: what a launch costs, and how
long a kernel runs. A recorded graph is one launch for all kernels. Nothing else is modelled: no
limit to what may be queued, no two kernels at a time, no gap between two kernels.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpml.base import style
from hpml.base.charts import show, timeline
from hpml.base.errors import describe
from hpml.base.page import Page
from hpml.base.tables import Shown, Table
from hpml.profiling.errors import ProfilingError

LAUNCH_BOUND = 0.1
"""Of the time from the first kernel to the last: a GPU that idles longer waits for launches."""

Span = tuple[float, float]
"""Begin and end, in the unit of what was given."""


@dataclass(frozen=True)
class Timeline:
    """When each launch was issued and each kernel ran, from the beginning of the first launch.

    Attributes:
        launches: of the CPU, back to back; one for all kernels where they were recorded.
        kernels: of the GPU, in order.
    """

    launches: tuple[Span, ...]
    kernels: tuple[Span, ...]

    @property
    def total(self) -> float:
        """The end of the last kernel."""
        return self.kernels[-1][1]

    @property
    def busy(self) -> float:
        """How long the GPU computes."""
        return sum(end - start for start, end in self.kernels)

    @property
    def bound(self) -> str:
        """Who is waited for: "launch" if the GPU idles a tenth of its time, otherwise "compute".

        >>> simulate(10, [4, 4]).bound, simulate(4, [10, 10]).bound
        ('launch', 'compute')
        """
        lasted = self.total - self.kernels[0][0]
        return "launch" if lasted - self.busy > LAUNCH_BOUND * lasted else "compute"


def simulate(launch: float, kernels: Sequence[float], *, recorded: bool = False) -> Timeline:
    """Return when kernels run that take so long, each after a launch of a given cost.

    Args:
        launch: what issuing a kernel costs the CPU, in any unit of time.
        kernels: how long each runs on the GPU, in the same unit.
        recorded: all are one graph, which a single launch starts.

    Raises:
        ProfilingError: there is no kernel, or a time is negative.

    >>> simulate(10, [4, 4, 25, 4]).kernels
    ((10, 14), (20, 24), (30, 55), (55, 59))
    >>> simulate(10, [4, 4, 25, 4], recorded=True).total
    47
    """
    if not kernels or min(launch, *kernels) < 0:
        raise ProfilingError(
            "simulate expects the cost of a launch and the times of one or more kernels, none "
            f"negative; got {describe(launch)} and {describe(kernels)}."
        )
    count = 1 if recorded else len(kernels)
    launches = tuple((place * launch, (place + 1) * launch) for place in range(count))
    spans: list[Span] = []
    for place, time in enumerate(kernels):
        issued = launches[min(place, count - 1)][1]
        start = max(issued, spans[-1][1]) if spans else issued
        spans.append((start, start + time))
    return Timeline(launches, tuple(spans))


def draw_timelines(lines: Mapping[str, Timeline], unit: str = "µs", device: str = "GPU") -> Page:
    """Draw time lines below one another on one axis, each a row of launches and one of kernels.

    Args:
        lines: by name.
        unit: of their times.
        device: what executes the kernels, where it is no GPU.

    >>> draw_timelines({"eager": simulate(10, [4, 4])}).plain
    'eager: 2 launches, 2 kernels, 24 µs in all, the GPU computes for 8 µs of them (launch-bound).'
    """
    rows: dict[str, Sequence[Span]] = {}
    texts, summary = {}, []
    for name, line in lines.items():
        rows |= {f"{name}: CPU issues": line.launches, f"{name}: {device} executes": line.kernels}
        texts[f"{name}: {device} executes"] = (
            f"{line.total:.3g} {unit}, of which the {device} computes {line.busy / line.total:.0%}"
        )
        summary.append(
            f"{name}: {len(line.launches)} launch{'es' * (len(line.launches) > 1)}, "
            f"{len(line.kernels)} kernels, {line.total:.3g} {unit} in all, the {device} computes "
            f"for {line.busy:.3g} {unit} of them ({line.bound}-bound)"
        )
    colours = {name: style.CPU if name.endswith("CPU issues") else style.GPU for name in rows}
    title = f"Two lines: the CPU issues, the {device} executes"
    chart = timeline(rows, texts, colours, title=title, x=unit)
    return show(chart, width=9.4, text="; ".join(summary) + ".")


@dataclass(frozen=True)
class LaunchFit(Shown):
    """What the simulator makes of measured times: the cost of a launch, kernel times, the residual.

    Attributes:
        count: launches of a forward.
        launch: seconds of the CPU for each.
        kernels: the mean seconds of a kernel, by size.
        eager, recorded: what was measured, in seconds by size.
    """

    count: int
    launch: float
    kernels: Mapping[int, float]
    eager: Mapping[int, float]
    recorded: Mapping[int, float]

    def predicted(self, size: int) -> float:
        """Return the simulator's time of an eager forward, in seconds."""
        return simulate(self.launch, [self.kernels[size]] * self.count).total

    def residual(self, size: int) -> float:
        """Return how far the simulator is off an eager forward, as a fraction of the measured."""
        return self.predicted(size) / self.eager[size] - 1

    @property
    def table(self) -> Table:
        """A row a size: the kernel time, what was measured, what the simulator says."""
        rows = [
            [size, 1e6 * self.kernels[size], 1e3 * self.recorded[size], 1e3 * self.eager[size],
             1e3 * self.predicted(size), 100 * self.residual(size)]
            for size in self.eager
        ]  # fmt: skip
        columns = ["size", "kernel, µs", "recorded, ms", "eager, ms", "simulated, ms", "residual"]
        three = dict.fromkeys(columns[2:5], "{:.3f}".format)
        text = (
            f"{self.count} launches of {1e6 * self.launch:.2f} µs each: the median over the "
            "sizes, from the eager times. A kernel's mean time is from the recorded forward."
        )
        formats: Any = {**three, "kernel, µs": "{:.2f}".format, "residual": "{:+.1f} %".format}
        return Table(columns, rows, caption=text, formats=formats)


def fit_launches(
    eager: Mapping[int, float], recorded: Mapping[int, float], count: int
) -> LaunchFit:
    """Return the launch cost and kernel times that explain forwards with and without a graph.

    Args:
        eager: seconds of a forward whose kernels are launched one by one, by size.
        recorded: seconds of the same forward as one recorded graph, by size.
        count: how many kernels it launches.

    Raises:
        ProfilingError: the sizes differ, or at no size does the GPU wait for launches.

    >>> eager = {size: simulate(6, [time] * 50).total for size, time in ((16, 2), (32, 3))}
    >>> graph = {s: simulate(6, [t] * 50, recorded=True).total for s, t in ((16, 2), (32, 3))}
    >>> round(fit_launches(eager, graph, 50).launch, 6)
    6.0
    """
    if not eager or set(eager) != set(recorded) or count < 2:
        raise ProfilingError(
            "fit_launches expects eager and recorded times of the same sizes and two or more "
            f"launches; got {describe(eager)}, {describe(recorded)} and {count}."
        )
    # eager = count · launch + kernel and recorded = launch + count · kernel, where the GPU waits;
    # where it computes, the little that a graph saves says nothing of a launch.
    found = {
        size: (eager[size] - recorded[size] / count) / (count - 1 / count)
        for size in eager
        if recorded[size] < (1 - LAUNCH_BOUND) * eager[size]
    }
    if not found:
        raise ProfilingError(
            "fit_launches expects a size at which the recorded graph is faster by a tenth: here "
            "the GPU never waits for a launch, so that its cost does not show. Take smaller inputs."
        )
    launch = statistics.median(found.values())
    kernels = {size: max(0.0, recorded[size] - launch) / count for size in eager}
    return LaunchFit(count, launch, kernels, dict(eager), dict(recorded))
