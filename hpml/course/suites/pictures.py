"""Pictures of the suites' results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.charts import MOST_ENTRIES_INSIDE, Chart, Dot, dots
from hpml.benchmark.advice import unstable
from hpml.benchmark.saved.record import Case
from hpml.course.suites.published import PublishedBlock, published_times, ratios_to
from hpml.course.suites.running import environment_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_forwards(cases: Sequence[Case], source: PublishedBlock, x: str) -> Figure:
    """Draw the time relative to the hand-written module, one row per contender and case."""
    comparisons = {int(case.parameters[source.parameter] or 0): case.comparison for case in cases}
    shades = style.series([str(size) for size in comparisons])
    published = ratios_to("handwritten", published_times(source))
    rows = []
    for name in cases[0].comparison.names[1:]:
        for size, comparison in comparisons.items():
            ratio, shade = comparison.ratio(name), shades[str(size)]
            label, ends = f"{x}: {size:,}", (ratio.low, ratio.high)
            rows.append(Dot(name, ratio.value, interval=ends, colour=shade, label=label))
            if size in published.get(name, {}):
                label, value = f"published, {size:,}", published[name][size]
                rows.append(Dot(name, value, colour=shade, marker="x", label=label))
    middles = [1.0, *(row.values for row in rows if isinstance(row.values, float))]
    chart = dots(
        rows,
        title="Time relative to the hand-written module",
        x="ratio (below 1 is faster)",
        log="x",
        at=[1.0],
        xlim=(min(middles) / 1.5, max(middles) * 1.5),
    )
    return figure_of(
        chart,
        "Ratio to the hand-written module (Hodges-Lehmann estimate), with its 95 % interval, cut "
        f"where it is very wide. Crosses: published, measured on {source.hardware}. "
        f"{environment_line(cases)}.{unstable_line(cases)}",
    )


def figure_of(chart: Chart, caption: str = "") -> Figure:
    """Return a chart as a figure, which can be saved in any format."""
    fig, ax = style.figure(width=9.0, height=chart.height)
    with style.apply():
        chart.on(ax)
    style.describe(ax, chart.text)
    height = chart.height
    entries = len(ax.get_legend_handles_labels()[0])
    if entries > MOST_ENTRIES_INSIDE:
        height = max(height, 0.6 + 0.24 * entries)
    if caption:
        style.caption(fig, caption)
        height += 0.16 * (1 + fig.get_supxlabel().count("\n"))
    fig.set_figheight(height)  # the layout would take all of this from the axes
    return fig


def unstable_line(cases: Sequence[Case]) -> str:
    """Return a line of a caption with the number of unstable measurements, if there are any."""
    noisy = sum(len(unstable(case.comparison.advice)) for case in cases)
    total = sum(len(case.comparison) for case in cases)
    return f"\nUnstable: {noisy} of {total} measurements." if noisy else ""
