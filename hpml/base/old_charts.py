"""What several pictures draw alike: horizontal bars, rows with names, and sizes along an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hpml.base import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis


class Bar(NamedTuple):
    """A horizontal bar.

    Attributes:
        name: of its row.
        parts: length and colour of each part, from left to right.
        text: behind its end.
        interval: where a thin line lies across the end, from and to.
        start: where the first part begins.
    """

    name: str
    parts: Sequence[tuple[float, str]]
    text: str = ""
    interval: tuple[float, float] | None = None
    start: float = 0.0


def bars(ax: Axes, rows: Sequence[Bar]) -> None:
    """Draw bars, the first on top, each with its name, its text and its interval.

    The axis is left as it is: set its limits with room for the texts.

    >>> fig, ax = style.figure()
    >>> bars(ax, [Bar("list", [(1.0, "#332288"), (2.0, "#5AA9D6")], "3 MB"), Bar("array", [])])
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.texts[0].get_text()
    (['list', 'array'], '3 MB')
    """
    with style.apply():
        for row, bar in enumerate(rows):
            end = bar.start
            for length, colour in bar.parts:
                ax.barh(row, length, left=end, height=0.66, color=colour)
                end += length
            if bar.interval is not None:
                ax.plot(bar.interval, [row, row], color=style.PALETTE["ink"], linewidth=1.4)
            ax.annotate(
                bar.text,
                (max(bar.start, end, *(bar.interval or ())), row),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
            )
    name_rows(ax, [bar.name for bar in rows])


def span_parts(times: Sequence[tuple[float, float]], role: str) -> list[tuple[float, str]]:
    """Return the parts of a bar that stand from begin to end, neighbours in two shades in turn.

    >>> [length for length, _ in span_parts([(1.0, 3.0), (3.0, 4.0)], "accent")]
    [1.0, 2.0, 0.0, 1.0]
    """
    shades = style.PALETTE[role], style.tint(style.PALETTE[role], 0.6)
    parts, at = [], 0.0
    for place, (start, end) in enumerate(times):
        parts += [(start - at, "none"), (end - start, shades[place % 2])]
        at = end
    return parts


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Name the rows 0, 1, … of an axes, the first on top, without ticks and lines of their own."""
    with style.apply():
        ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.45, -0.55)
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)


def mark_sizes(ax: Axes, sizes: Sequence[float]) -> None:
    """Put a tick at each size along x, and its number where there is room for it.

    Call it when scale and limits of the axis are set. The outermost sizes have their numbers
    first, then the others from the right, where a logarithmic axis is crowded least by the largest.

    >>> fig, ax = style.figure(width=3)
    >>> _ = ax.set(xscale="log", xlim=(40, 1200))
    >>> mark_sizes(ax, [50, 100, 900, 950, 1000])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['50', '100', '', '', '1,000']
    """
    figure = ax.get_figure(root=True)
    # An inch holds about 13 digits of this size; a layout leaves an axes about its default width.
    wide = ax.get_position().width * (figure.get_size_inches()[0] if figure is not None else 6.0)
    written: dict[float, str] = {}
    taken: list[tuple[float, float]] = []
    for size in sorted(sizes, key=lambda size: (size not in (min(sizes), max(sizes)), -size)):
        text = f"{size:,g}"
        middle = wide * float(
            ax.transAxes.inverted().transform(ax.transData.transform((size, 1)))[0]
        )
        half = 0.04 * len(text) + 0.03
        if all(middle + half < left or right < middle - half for left, right in taken):
            taken.append((middle - half, middle + half))
            written[size] = text
    with style.apply():
        ax.set_xticks(list(sizes), [written.get(size, "") for size in sizes])
    ax.minorticks_off()


def name_decades(axis: Axis) -> None:
    """Put ticks with plain numbers on a logarithmic axis that may span less than one power of ten.

    Call it when the limits of the axis are set.

    >>> fig, ax = style.figure()
    >>> _ = ax.set(xscale="log", xlim=(11, 480))
    >>> name_decades(ax.xaxis)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['20', '50', '100', '200']
    """
    from matplotlib.ticker import MaxNLocator

    low, high = axis.get_view_interval()
    for steps in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)):
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [step * 10.0**power for power in powers for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) >= 4:
            break
    else:
        # So short an axis is nearly linear.
        ticks = [tick for tick in MaxNLocator(6).tick_values(low, high) if low <= tick <= high]
    axis.set_ticks(ticks, [f"{tick:,g}" for tick in ticks])
    axis.set_minor_formatter("")
