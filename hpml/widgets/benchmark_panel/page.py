"""The page of a benchmark panel: where it stands, the picture, the table."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.charts import mark_sizes
from hpml.base.page import PAPER, Page, picture
from hpml.base.tables import Table
from hpml.widgets.benchmark_panel.state import BenchmarkPanel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hpml.benchmark.plots import Quantity, Sweep
    from hpml.benchmark.record import Case


def as_text(panel: BenchmarkPanel) -> str:
    """Return the whole panel as plain text."""
    parts = [f"Benchmark {panel.suite}: {panel.standing}"]
    if panel.cases:
        parts.append(str(_table(panel)))
    return "\n\n".join([*parts, *panel.missing])


def page(panel: BenchmarkPanel) -> Page:
    """Return the panel as a page."""
    notes = "".join(f"<p><small>{html.escape(note)}</small></p>" for note in panel.missing)
    head = f"<p><b>{html.escape(panel.suite)}:</b> {html.escape(panel.standing)}</p>"
    if not panel.cases:
        return Page(as_text(panel), head + notes)
    table = f"{PAPER}<details><summary>Table</summary>{_table(panel)._repr_html_()}</details>"
    drawn = picture(draw(panel), f"Time and ratio against {panel.parameter}", table)
    return Page(as_text(panel), head + drawn.html + notes, drawn.png)


def draw(panel: BenchmarkPanel) -> Figure:
    """Draw time and ratio against the size, on axes with room for all sizes of the run."""
    from hpml.benchmark.plots import limits, plot_sweep
    from hpml.suites.pictures import unstable_line
    from hpml.suites.running import environment_line

    cases = panel.cases
    parameter = next(iter(cases[0].parameters))
    measured = [int(case.parameters[parameter] or 0) for case in cases]
    places = sorted({*measured, *(panel.run.order.sizes if panel.run is not None else ())})
    ratios = _lines(cases, parameter, "ratio")
    fig, (left, right) = style.figure(1, 2, width=11.0, height=4.6)
    # Room on both sides for points that stand beside each other at one size.
    room = max(1.2, (places[-1] / places[0]) ** 0.2)
    for ax in (left, right):
        ax.set_xlim(places[0] / room, places[-1] * room)
    times = _lines(cases, parameter, "time")
    largest = max(middle for line in times for _, middle, _ in line.bands)
    factor, unit = next(
        ((f, u) for f, u in ((1.0, "s"), (1e3, "ms")) if largest * f >= 1), (1e6, "µs")
    )
    bands = [band for line in times for band in line.bands]
    # However close the times are, an axis of a factor of two or so has ticks enough to read.
    left.set_ylim(factor * min(bands)[0] / 1.4, factor * max(high for *_, high in bands) * 1.4)
    plot_sweep(
        times, left, title="Time", x=parameter, y=f"{unit} per call", scale=factor,
        label=False, log=True,
    )  # fmt: skip
    right.set_ylim(*limits([band for line in ratios for band in line.bands]))
    plot_sweep(
        ratios, right, title=f"Time relative to {cases[0].comparison.baseline}", x=parameter,
        y="ratio (below 1 is faster)", log=True,
    )  # fmt: skip
    for ax in (left, right):
        mark_sizes(ax, places)
    rounds = sorted({case.comparison.rounds for case in cases})
    style.caption(
        fig,
        "Left: median and 25 to 75 % band of interleaved rounds. Right: median ratio in the same "
        "round, with its 95 % interval, cut where it is very wide. "
        f"{' or '.join(f'{count:,}' for count in rounds)} rounds. {environment_line(cases)}."
        f"{unstable_line(cases)}",
    )
    return fig


def _lines(cases: Sequence[Case], parameter: str, quantity: Quantity) -> tuple[Sweep, ...]:
    """Return a line a contender; a later case of the same size counts instead of an earlier."""
    from hpml.benchmark.plots import Sweep, sweeps

    found: dict[str, dict[float, tuple[float, float, float]]] = {}
    for case in cases:
        for line in sweeps([case], parameter, quantity):
            found.setdefault(line.name, {})[line.at[0]] = line.bands[0]
    return tuple(
        Sweep(name, tuple(sorted(bands)), tuple(bands[at] for at in sorted(bands)))
        for name, bands in found.items()
    )


def _table(panel: BenchmarkPanel) -> Table:
    from hpml.benchmark.tables import cases_table
    from hpml.suites.running import environment_line

    return cases_table(panel.cases, title=f"{panel.suite} ({environment_line(panel.cases)})")
