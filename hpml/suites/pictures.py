"""The pictures of the suites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.benchmark.advice import unstable
from hpml.benchmark.plots import Quantity, Sweep, limits, plot_sweep, sweeps
from hpml.benchmark.record import Case
from hpml.suites.published import PublishedBlock, published_ratios
from hpml.suites.running import environment_line
from hpml.suites.settings import SuiteError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_forwards(cases: Sequence[Case], source: PublishedBlock, x: str) -> Figure:
    """Draw throughput, and time relative to the hand-written module, against the parameter."""
    expect_some(cases)
    fig, (left, right) = style.figure(1, 2, width=11.0, height=4.6)
    plot_sweep(
        sweeps(cases, source.parameter, "throughput"),
        left,
        title="Throughput",
        x=x,
        y="batches per second",
        label=False,
        log=True,
    )
    ratios = sweeps(cases, source.parameter, "ratio")
    places = {at for line in ratios for at in line.at}
    others = [line for line in published_ratios(source) if line.name != "handwritten"]
    shown = [cut for line in others if (cut := _within(line, places)) is not None]
    right.set_ylim(*limits([band for line in [*ratios, *shown] for band in line.bands]))
    plot_sweep(
        [*ratios, *shown],
        right,
        title="Time relative to the hand-written module",
        x=x,
        y="ratio (below 1 is faster)",
    )
    comparison = cases[0].comparison
    style.caption(
        fig,
        f"Left: median and 25 to 75 % band of {comparison.rounds} interleaved rounds. Right: "
        "median ratio to the hand-written module in the same round, with its 95 % interval, cut "
        f"where it is very wide; dashed: published, measured on {source.hardware}. "
        f"{environment_line(cases)}.{unstable_line(cases)}",
    )
    return fig


def _within(line: Sweep, places: set[float]) -> Sweep | None:
    """Return a published line as far as was measured here; None if it shares no place with it."""
    if not places & set(line.at):
        return None
    pairs = [
        pair
        for pair in zip(line.at, line.bands, strict=True)
        if min(places) <= pair[0] <= max(places)
    ]
    at, bands = zip(*pairs, strict=True)
    return replace(line, at=at, bands=bands)


def draw_times(
    cases: Sequence[Case], parameter: str, quantity: Quantity, title: str, x: str, y: str
) -> Figure:
    """Draw times in microseconds against the parameter of the cases."""
    expect_some(cases)
    fig, ax = style.figure(width=8.0, height=4.4)
    lines = sweeps(cases, parameter, quantity)
    plot_sweep(lines, ax, title=title, x=x, y=y, scale=1e6, log=True)
    style.caption(
        fig,
        f"Median and 25 to 75 % band of {cases[0].comparison.rounds} interleaved rounds. "
        f"{environment_line(cases)}.{unstable_line(cases)}",
    )
    return fig


def unstable_line(cases: Sequence[Case]) -> str:
    """Return a line for a caption on how many measurements are unstable, empty where none is."""
    shaky = sum(len(unstable(case.comparison.advice)) for case in cases)
    total = sum(len(case.comparison) for case in cases)
    return f"\nUnstable: {shaky} of {total} measurements." if shaky else ""


def expect_some(cases: Sequence[Case]) -> None:
    """Refuse to draw no case."""
    if not cases:
        raise SuiteError("A picture expects at least one finished case, got none; run one first.")
