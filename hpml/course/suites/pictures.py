"""Pictures of the suites' results."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpml.base import style
from hpml.base.charts import MOST_ENTRIES_INSIDE, Chart, label_ends
from hpml.base.tables import readable
from hpml.benchmark import Ratio
from hpml.benchmark.advice import unstable
from hpml.benchmark.saved.record import Case
from hpml.course.suites.published import PublishedBlock, published_times, ratios_to
from hpml.course.suites.running import environment_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


FAR = 0.75
"""Contenders below this ratio at the largest size get a panel of their own, so that those near 1
can be told apart."""


def draw_forwards(cases: Sequence[Case], source: PublishedBlock, x: str) -> Figure:
    """Draw the time relative to the hand-written module against the size, a line per contender."""
    comparisons = {int(case.parameters[source.parameter] or 0): case.comparison for case in cases}
    ratios = {
        name: {size: each.ratio(name) for size, each in comparisons.items()}
        for name in cases[0].comparison.names[1:]
    }
    published = ratios_to("handwritten", published_times(source))
    crosses = any(size in published.get(name, {}) for name in ratios for size in comparisons)
    caption = (
        f"Bars: 95 % intervals. {f'Crosses: published ({source.hardware}). ' * crosses}"
        f"{environment_line(cases)}.{unstable_line(cases)}"
    )
    return draw_ratios(ratios, published, x, caption)


def draw_ratios(
    ratios: Mapping[str, Mapping[int, Ratio]],
    published: Mapping[str, Mapping[int, float]],
    x: str,
    caption: str,
) -> Figure:
    """Draw ratios to the hand-written module by name and size, and published ones as crosses."""
    far = {name: each for name, each in ratios.items() if each[max(each)].value < FAR}
    near = {name: each for name, each in ratios.items() if name not in far}
    title = "Time relative to the hand-written module"
    panels = [group for group in (near, far) if group]
    charts = [
        _ratios_chart(
            group,
            published,
            height=1.1 + 0.34 * max(4, len(group)),
            x=x if group is panels[-1] else "",
            y="ratio",
            log="x" if group is near else "xy",
            level=[1.0] if group is near else [],
            title=title if group is panels[0] else "The same, of those well below 1 (logarithmic)",
        )
        for group in panels
    ]
    return figure_of(*charts, caption=caption)


def _ratios_chart(
    ratios: Mapping[str, Mapping[int, Ratio]],
    published: Mapping[str, Mapping[int, float]],
    **options: Any,
) -> Chart:
    """Return a line for each name, labelled in the margin with its last value."""
    sizes = sorted({size for each in ratios.values() for size in each})
    gap = min((b / a for a, b in itertools.pairwise(sizes)), default=2.0)
    # Contenders stand beside one another at a size, not on top of one another.
    beside = {
        name: gap ** (0.07 * (place - (len(ratios) - 1) / 2)) for place, name in enumerate(ratios)
    }
    shown = {
        name: {size: value for size, value in published.get(name, {}).items() if size in sizes}
        for name in ratios
    }
    shades = style.series(list(ratios))

    def draw(ax: Axes) -> None:
        ax.set(xlim=(sizes[0] / gap**0.35, sizes[-1] * gap**0.35), ylim=(low / room, high * room))
        ends = []
        for name, by_size in ratios.items():
            colour, shift, each = shades[name], beside[name], sorted(by_size.items())
            along = [size * shift for size, _ in each]
            middles = [ratio.value for _, ratio in each]
            ax.plot(along, middles, color=colour, marker=style.marker(name), markersize=6)
            for size, (_, ratio) in zip(along, each, strict=True):
                ax.vlines(size, ratio.low, ratio.high, color=colour, linewidth=1.2)
            crosses = shown[name]
            ax.plot(
                [size * shift for size in crosses],
                list(crosses.values()),
                "x",
                color=style.INK,
                markersize=8,
                markeredgewidth=1.6,
                zorder=3,
            )
            ends.append((along[-1], middles[-1], f"{name}  {each[-1][1].shown} ×", colour))
        label_ends(ax, ends)

    every = [ratio.value for each in ratios.values() for ratio in each.values()]
    every += [value for each in shown.values() for value in each.values()]
    every += [
        end
        for each in ratios.values()
        for r in each.values()
        for end in (r.low, r.high)
        if r.value / 1.5 < end < 1.5 * r.value
    ]  # a very wide interval is cut
    every += options["level"]
    text = "; ".join(
        f"{name}: "
        + ", ".join(
            f"{ratio.with_interval} at {size:,}"
            + (f" (published {readable(shown[name][size], 3)})" if size in shown[name] else "")
            for size, ratio in sorted(by_size.items())
        )
        for name, by_size in ratios.items()
    )
    low, high = min(every), max(every)
    room = max(1.03, (high / low) ** 0.06)
    return Chart(draw, f"{text}.", sizes=sizes, **options)


def figure_of(*charts: Chart, caption: str = "") -> Figure:
    """Return charts below one another as a figure, which can be saved in any format."""
    heights = [chart.height for chart in charts]
    fig, axes = style.figure(
        len(charts), width=9.0, height=sum(heights), squeeze=False, height_ratios=heights
    )
    with style.apply():
        for ax, chart in zip(axes.flat, charts, strict=True):
            chart.on(ax)
            style.describe(ax, chart.text)
    height = sum(heights)
    entries = max(len(ax.get_legend_handles_labels()[0]) for ax in axes.flat)
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
