"""A simulator of kernel launches, which shows whether a model is launch-bound or compute-bound."""

from __future__ import annotations

import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpml.base import style
from hpml.base.charts import show, timeline
from hpml.base.errors import describe
from hpml.base.page import Page
from hpml.base.tables import Shown, Table, readable
from hpml.profiling.errors import ProfilingError
from hpml.profiling.export import arrow, save_trace, span

LAUNCH_BOUND = 0.1
"""Idle share of the GPU, from the first kernel to the last, above which a run is launch-bound."""

_MICROSECONDS = {"s": 1e6, "ms": 1e3, "µs": 1.0, "ns": 1e-3}

Span = tuple[float, float]
"""Start and end."""


@dataclass(frozen=True)
class Timeline:
    """Start and end of each launch and each kernel, from the start of the first launch.

    Attributes:
        launches: on the CPU, in succession; a single one for a recorded graph.
        kernels: on the GPU, in order.
    """

    launches: tuple[Span, ...]
    kernels: tuple[Span, ...]

    @property
    def total(self) -> float:
        """The end of the last kernel."""
        return self.kernels[-1][1]

    @property
    def busy(self) -> float:
        """The total time of all kernels."""
        return sum(end - start for start, end in self.kernels)

    @property
    def bound(self) -> str:
        """The bottleneck: "launch" if the GPU is idle for over a tenth of the time, else "compute".

        >>> simulate_launches(10, [4, 4]).bound, simulate_launches(4, [10, 10]).bound
        ('launch', 'compute')
        """
        duration = self.total - self.kernels[0][0]
        return "launch" if duration - self.busy > LAUNCH_BOUND * duration else "compute"

    def save(self, path: str | os.PathLike[str], unit: str = "µs") -> Path:
        """Write the launches and kernels as a Chrome trace, and return the file's path.

        Perfetto (https://ui.perfetto.dev) shows a row for each, and an arrow from a launch to the
        first kernel that it starts.

        Args:
            path: the file, whose name ends in ``.json``.
            unit: the unit of this timeline's times: "s", "ms", "µs" or "ns".

        Raises:
            ProfilingError: if the unit or the end of the name is another one.
            OSError: if it cannot be written; a missing folder is created.
        """
        if unit not in _MICROSECONDS:
            raise ProfilingError(
                object="unit of a timeline",
                expected=f"one of {', '.join(_MICROSECONDS)}",
                received=describe(unit),
                remedy="Pass the unit of the times that the timeline was made from.",
            )
        scale, events = _MICROSECONDS[unit], []
        rows = {1: ("launch", self.launches), 2: ("kernel", self.kernels)}
        for thread, (name, spans) in rows.items():
            for number, (start, end) in enumerate(spans):
                events.append(
                    span(
                        f"{name} {number}", scale * start, scale * end, thread=thread, category=name
                    )
                )
        for number, (launch, kernel) in enumerate(zip(self.launches, self.kernels, strict=False)):
            events += arrow(scale * launch[0], scale * kernel[0], (1, 2), number)
        threads = {1: "CPU: launches", 2: "GPU: kernels"}
        process = "timeline of launches and kernels"
        return save_trace(path, events, what="a timeline", process=process, threads=threads)


def simulate_launches(
    launch: float, kernels: Sequence[float], *, recorded: bool = False
) -> Timeline:
    """Return when each kernel runs, given the time of a launch and of each kernel.

    The CPU issues one kernel after the other. The GPU starts a kernel once it is issued and its
    predecessor is done. Queue limits, concurrent kernels and gaps between kernels are not modelled.

    Args:
        launch: time that the CPU needs to issue a kernel, in any unit.
        kernels: time of each kernel on the GPU, in the same unit.
        recorded: whether all kernels are one graph, which a single launch starts.

    Raises:
        ProfilingError: if there is no kernel or a time is negative.

    >>> simulate_launches(10, [4, 4, 25, 4]).kernels
    ((10, 14), (20, 24), (30, 55), (55, 59))
    >>> simulate_launches(10, [4, 4, 25, 4], recorded=True).total
    47
    """
    if not kernels or min(launch, *kernels) < 0:
        raise ProfilingError(
            object="times of simulate_launches",
            expected="the cost of a launch and the times of one or more kernels, none negative",
            received=f"{describe(launch)} and {describe(kernels)}",
            remedy="Pass times of at least 0, with at least one kernel.",
        )
    count = 1 if recorded else len(kernels)
    launches = tuple((index * launch, (index + 1) * launch) for index in range(count))
    spans: list[Span] = []
    for index, time in enumerate(kernels):
        issued = launches[min(index, count - 1)][1]
        start = max(issued, spans[-1][1]) if spans else issued
        spans.append((start, start + time))
    return Timeline(launches, tuple(spans))


def draw_timelines(lines: Mapping[str, Timeline], unit: str = "µs", device: str = "GPU") -> Page:
    """Draw timelines on one axis, each as a row of launches and a row of kernels.

    Args:
        lines: timelines by name.
        unit: the unit of their times.
        device: the name of the device that executes the kernels.

    >>> draw_timelines({"eager": simulate_launches(10, [4, 4])}).plain
    'eager: 2 launches, 2 kernels, 24 µs in total, the GPU computes for 8 µs (launch-bound).'
    """
    rows: dict[str, Sequence[Span]] = {}
    texts, summary = {}, []
    for name, line in lines.items():
        rows |= {f"{name}: CPU issues": line.launches, f"{name}: {device} executes": line.kernels}
        texts[f"{name}: {device} executes"] = (
            f"{readable(line.total, 3)} {unit}, of which the {device} computes "
            f"{line.busy / line.total:.0%}"
        )
        summary.append(
            f"{name}: {len(line.launches)} launch{'es' * (len(line.launches) > 1)}, "
            f"{len(line.kernels)} kernels, {readable(line.total, 3)} {unit} in total, the {device} "
            f"computes "
            f"for {readable(line.busy, 3)} {unit} ({line.bound}-bound)"
        )
    colours = {name: style.CPU if name.endswith("CPU issues") else style.GPU for name in rows}
    title = f"The CPU issues kernels, the {device} executes them"
    chart = timeline(rows, texts, colours, title=title, x=unit)
    return show(chart, width=9.4, text="; ".join(summary) + ".")


@dataclass(frozen=True)
class LaunchFit(Shown):
    """The parameters of the simulator that explain measured times.

    Attributes:
        count: launches per forward pass.
        launch: seconds of the CPU per launch.
        kernels: mean seconds of a kernel, by size.
        eager, recorded: the measured seconds, by size.
    """

    count: int
    launch: float
    kernels: Mapping[int, float]
    eager: Mapping[int, float]
    recorded: Mapping[int, float]

    def predicted(self, size: int) -> float:
        """Return the simulated seconds of an eager forward pass."""
        return simulate_launches(self.launch, [self.kernels[size]] * self.count).total

    def residual(self, size: int) -> float:
        """Return the simulator's error for an eager forward pass, relative to the measured time."""
        return self.predicted(size) / self.eager[size] - 1

    @property
    def table(self) -> Table:
        """Kernel time, measured and simulated times, one row per size."""
        rows = [
            [size, 1e6 * self.kernels[size], 1e3 * self.recorded[size], 1e3 * self.eager[size],
             1e3 * self.predicted(size), 100 * self.residual(size)]
            for size in self.eager
        ]  # fmt: skip
        columns = ["size", "kernel, µs", "recorded, ms", "eager, ms", "simulated, ms", "residual"]
        three = dict.fromkeys(columns[2:5], "{:.3f}".format)
        text = (
            f"{self.count} launches of {1e6 * self.launch:.2f} µs each, the median over the "
            "sizes, from the eager times. The mean kernel time is from the recorded graph."
        )
        formats: Any = {**three, "kernel, µs": "{:.2f}".format, "residual": "{:+.1f} %".format}
        return Table(columns, rows, caption=text, formats=formats)


def fit_launches(
    eager: Mapping[int, float], recorded: Mapping[int, float], count: int
) -> LaunchFit:
    """Estimate the launch cost and kernel times from forward passes with and without a graph.

    Args:
        eager: seconds of a forward pass whose kernels are launched one by one, by size.
        recorded: seconds of the same forward pass as one recorded graph, by size.
        count: the number of kernels.

    Raises:
        ProfilingError: if the GPU waits for launches at none of the sizes.

    >>> kernels = {16: [2] * 50, 32: [3] * 50}
    >>> eager = {size: simulate_launches(6, each).total for size, each in kernels.items()}
    >>> graph = {
    ...     size: simulate_launches(6, each, recorded=True).total for size, each in kernels.items()
    ... }
    >>> round(fit_launches(eager, graph, 50).launch, 6)
    6.0
    """
    # If launch-bound: eager = count · launch + kernel, recorded = launch + count · kernel.
    # Compute-bound sizes contain no information on the launch cost.
    costs = [
        (eager[size] - recorded[size] / count) / (count - 1 / count)
        for size in eager
        if recorded[size] < (1 - LAUNCH_BOUND) * eager[size]
    ]
    if not costs:
        raise ProfilingError(
            object="times of fit_launches",
            expected="a size at which the recorded graph is faster by a tenth",
            received="none: the GPU never waits for a launch, so its cost cannot be seen",
            remedy="Use smaller inputs.",
        )
    launch = statistics.median(costs)
    kernels = {size: max(0.0, recorded[size] - launch) / count for size in eager}
    return LaunchFit(count, launch, kernels, dict(eager), dict(recorded))
