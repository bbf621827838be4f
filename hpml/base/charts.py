"""Charts for notebooks: bars, dots, lines, timelines and histograms.

A chart is a value; `show` draws one or several as one picture with a caption and a description:

>>> show(bars([Bar("list", 32.0, "32 MB"), Bar("array", 8.0, "8 MB")], title="Memory", x="MB"))
Memory. list: 32 MB; array: 8 MB.

`hpml.base.drawing` draws graphs.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hpml.base import style
from hpml.base.page import Page, picture
from hpml.base.tables import fold, readable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

Interval = tuple[float, float]
End = tuple[float, float, str, str]
"""The point that a label in the margin belongs to, x and y, with its text and colour."""
_DASHED = (0, (4, 3))
_LETTERS_BESIDE = 34
"""Letters of a line in the right margin."""
MOST_ENTRIES_INSIDE = 4
"""The maximum number of entries of a legend inside its axes; a longer one stands beside them."""


class Bar(NamedTuple):
    """A row of `bars`: one length, or several parts with their colours, and a text after them."""

    name: str
    parts: float | Sequence[tuple[float, str]]
    text: str = ""
    interval: Interval | None = None
    start: float = 0.0
    colour: str = style.DATA


class Dot(NamedTuple):
    """A row of `dots`, or further marks in the row of the same name."""

    name: str
    values: float | Sequence[float]
    text: str = ""
    interval: Interval | None = None
    colour: str = style.DATA
    marker: str = "o"
    label: str = ""


class Line(NamedTuple):
    """A line of `lines`; `form` is "-", "--", ":" or "" for markers only.

    `band` has the lower and the upper edge of a shaded area at each x.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    form: str = "-"
    colour: str = ""
    marker: str = ""
    text: str = ""
    band: tuple[Sequence[float], Sequence[float]] | None = None


@dataclass(frozen=True)
class Chart:
    """One axes for `show`, with its description and options.

    Attributes:
        draw: draws into an axes.
        text: description in words.
        height: height of the axes in inches.
        title, x, y: title and axis labels.
        log: logarithmic axes: "", "x", "y" or "xy".
        xlim, ylim: limits; None leaves one to matplotlib.
        at, level: positions of dashed reference lines on the x and the y axis.
        sizes: ticks along x, if x is a size.
        legend: labels and their colours, instead of the default legend.
        ends: labels in the right margin, as for `label_ends`.
    """

    draw: Callable[[Axes], None]
    text: str
    height: float
    title: str = field(kw_only=True)
    x: str = field(default="", kw_only=True)
    y: str = field(default="", kw_only=True)
    log: str = field(default="", kw_only=True)
    xlim: tuple[float | None, float | None] | None = field(default=None, kw_only=True)
    ylim: tuple[float | None, float | None] | None = field(default=None, kw_only=True)
    at: Sequence[float] = field(default=(), kw_only=True)
    level: Sequence[float] = field(default=(), kw_only=True)
    sizes: Sequence[float] = field(default=(), kw_only=True)
    legend: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    ends: Sequence[End] = field(default=(), kw_only=True)

    def on(self, ax: Axes) -> None:
        for name in self.log:
            ax.set(**{f"{name}scale": "log"})
        self.draw(ax)
        for position in self.at:
            ax.axvline(position, color=style.MUTED, lw=1, ls=_DASHED, zorder=1.5)
        for position in self.level:
            ax.axhline(position, color=style.MUTED, lw=1, ls=_DASHED, zorder=1.5)
        if self.xlim is not None:
            ax.set_xlim(*self.xlim)
        if self.ylim is not None:
            ax.set_ylim(*self.ylim)
        for name in self.log:
            name_decades(ax.xaxis if name == "x" else ax.yaxis)
        if self.sizes:
            mark_sizes(ax, self.sizes)
        label_ends(ax, self.ends)
        for label, colour in self.legend.items():
            ax.plot([], [], "s", color=colour, label=label)
        style.finish(ax, title=self.title, x=self.x, y=self.y)
        if len(ax.get_legend_handles_labels()[0]) > MOST_ENTRIES_INSIDE:
            ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=3.5)


def show(
    *charts: Chart,
    caption: str = "",
    width: float = 7.6,
    beside: bool = False,
    ratios: Sequence[float] = (),
    text: str = "",
    notes: tuple[str, str] = ("", ""),
    after: str = "",
) -> Page:
    """Return charts as one picture, below one another or `beside` one another.

    Charts beside one another share their y axis if only the first one labels it. `ratios` are their
    relative widths, `text` replaces the description, `notes` are a title and a text that is folded
    below the picture, and `after` is HTML below that.
    """
    shape = (1, len(charts)) if beside else (len(charts), 1)
    heights = [chart.height for chart in charts]
    fig, axes = style.figure(
        *shape,
        width=width,
        height=(max(heights) if beside else sum(heights)) + 0.22 * (len(caption) * 0.0715 // width),
        squeeze=False,
        sharex=not beside,
        sharey=beside and not any(chart.y for chart in charts[1:]),
        width_ratios=ratios or None if beside else None,
        height_ratios=None if beside else heights,
    )
    with style.apply():
        for ax, chart in zip(axes.flat, charts, strict=True):
            chart.on(ax)
    if caption:
        style.caption(fig, caption)
    summary = [f"{chart.title}. {chart.text}".strip() for chart in charts]
    text = text or "\n".join([*summary, *([caption] if caption else [])])
    page = picture(fig, text, (fold(*notes) if notes[1] else "") + after)
    return replace(page, plain="\n".join([text, notes[1]])) if notes[1] else page


def bars(rows: Iterable[Bar], **options: Any) -> Chart:
    """Return horizontal bars from 0, the first on top; `options` are those of `Chart`."""
    rows = list(rows)

    def draw(ax: Axes) -> None:
        for row, bar in enumerate(rows):
            end = bar.start
            for length, colour in _parts(bar):
                ax.barh(row, length, left=end, height=0.66, color=colour)
                end += length
            _interval(ax, row, bar.interval)
            write_beside(ax, row, bar.text)
        name_rows(ax, [bar.name for bar in rows])
        ends = [end for bar in rows for end in (bar.start, *(bar.interval or ()))]
        if min(ends, default=0.0) >= 0:
            ax.set_xlim(0.0, None)

    summary = "; ".join(f"{bar.name}: {bar.text}" for bar in rows if bar.text)
    return Chart(draw, _sentence(summary), 1.1 + 0.34 * len(rows), **options)


def dots(rows: Iterable[Dot], **options: Any) -> Chart:
    """Return a row of marks for each name, for axes without 0 and for single runs."""
    rows = list(rows)
    names = list(dict.fromkeys(dot.name for dot in rows))

    def draw(ax: Axes) -> None:
        for number, name in enumerate(names):
            group = [dot for dot in rows if dot.name == name]
            for index, dot in enumerate(group):
                row = number + 0.13 * (index - (len(group) - 1) / 2)
                values, (_, labels) = _values(dot), ax.get_legend_handles_labels()
                label = dot.label if dot.label not in labels else None
                size = 16 if dot.marker == "|" else 7
                ax.plot(values, [row] * len(values), dot.marker, color=dot.colour, ms=size,
                        alpha=0.8, label=label or None, zorder=2 + (dot.marker == "x"))  # fmt: skip
                _interval(ax, row, dot.interval)
            write_beside(ax, number, "\n".join(dot.text for dot in group if dot.text))
        name_rows(ax, names)

    summary = "; ".join(
        f"{dot.name}{dot.label and f' ({dot.label})'}: "
        f"{dot.text or ', '.join(readable(value, 4) for value in _values(dot))}"
        for dot in rows
        if dot.text or not any(other.text for other in rows if other.name == dot.name)
    )
    return Chart(draw, _sentence(summary), 1.1 + 0.38 * len(names), **options)


def lines(
    series: Iterable[Line], *, height: float = 3.6, at_ends: Collection[str] = (), **options: Any
) -> Chart:
    """Return lines or markers over x; `style.series` colours those without a colour.

    The lines named in `at_ends` have their name and text beside their last point, not in a legend.
    """
    from matplotlib.ticker import MaxNLocator

    series = list(series)
    names = {line.name for line in series}
    shades = style.series(list(dict.fromkeys(n.name for n in series if not n.colour)))

    def draw(ax: Axes) -> None:
        seen = set()
        for line in series:
            hidden = line.name in seen or len(names) == 1 or line.name in at_ends
            label = None if hidden else line.name
            seen.add(line.name)
            form: Any = _DASHED if line.form == "--" else line.form or "none"
            marker = line.marker or ("" if line.form else style.marker(line.name))
            colour = line.colour or shades[line.name]
            ax.plot(
                line.x, line.y, color=colour, marker=marker, markersize=4.5, label=label, ls=form
            )
            if line.band is not None and len(line.x) == 1:  # one point has no area
                ax.vlines(line.x, *line.band, color=colour, alpha=0.35, linewidth=5)
            elif line.band is not None:
                ax.fill_between(line.x, *line.band, color=colour, alpha=0.15, linewidth=0)
        if ax.get_xscale() == "linear" and all(type(x) is int for line in series for x in line.x):
            ax.xaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10], integer=True))

    if at_ends:
        options["ends"] = [
            (line.x[-1], line.y[-1], f"{line.name}{line.text and f': {line.text}'}",
             line.colour or shades[line.name])
            for line in series
            if line.name in at_ends
        ]  # fmt: skip
    summary = "; ".join(f"{line.name}: {line.text or _ends(line)}" for line in series)
    return Chart(draw, _sentence(summary), height, **options)


def timeline(
    rows: Mapping[str, Sequence[Interval]],
    texts: Mapping[str, str] | None = None,
    colours: Mapping[str, str] | None = None,
    **options: Any,
) -> Chart:
    """Return a row of bars from start to end for each name; adjacent bars alternate in shade."""
    texts, shades = texts or {}, {**style.series(list(rows)), **(colours or {})}

    def draw(ax: Axes) -> None:
        latest = max((end for spans in rows.values() for _, end in spans), default=1.0)
        for row, (name, spans) in enumerate(rows.items()):
            shade = shades[name], style.tint(shades[name], 0.6)
            last, light = 0.0, True
            for start, end in spans:
                light = not light and start - last < 0.003 * latest
                ax.barh(row, end - start, left=start, height=0.66, color=shade[light])
                last = end
            write_beside(ax, row, texts.get(name, ""))
        name_rows(ax, list(rows))
        ax.set_xlim(0, latest)

    summary = "; ".join(f"{name}: {text}" for name, text in texts.items())
    return Chart(draw, _sentence(summary), 1.0 + 0.36 * len(rows), **options)


def histogram(
    values: Sequence[float],
    bins: Sequence[float],
    along: Literal["x", "y"] = "y",
    edge: float = -math.inf,
    **options: Any,
) -> Chart:
    """Return a histogram of values along y or x; bins below `edge` have another colour."""
    middle = sorted(values)[len(values) // 2]

    def draw(ax: Axes) -> None:
        orientation: Literal["horizontal", "vertical"]
        orientation = "horizontal" if along == "y" else "vertical"
        below = [each for each in bins if each <= edge]
        for part, shade in (([*bins][max(len(below) - 1, 0) :], style.DATA), (below, style.ACCENT)):
            if len(part) > 1:
                ax.hist(values, part, orientation=orientation, color=shade)
        (ax.xaxis if along == "y" else ax.yaxis).set_major_formatter("{x:,.0f}")

    return Chart(draw, f"Median {readable(middle, 3)}.", options.pop("height", 3.6), **options)


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Label the rows 0, 1, … of an axes, the first on top, without ticks and grid lines."""
    with style.apply():
        ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.45, -0.55)
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)


def write_beside(ax: Axes, row: float, text: str) -> None:
    """Write a text into the right margin, beside a row; a long one is wrapped to two lines."""
    wrapped = []
    for line in text.splitlines():
        long = len(line) > _LETTERS_BESIDE
        wrapped += textwrap.wrap(line, math.ceil(0.6 * len(line))) if long else [line]
    ax.annotate("\n".join(wrapped), (1.0, row), xycoords=("axes fraction", "data"), va="center",
                xytext=(8, 0), textcoords="offset points", fontsize=9, linespacing=1.1,
                annotation_clip=False)  # fmt: skip


def label_ends(ax: Axes, ends: Iterable[End]) -> None:
    """Write texts into the right margin, each led to its point: x, y, text and colour.

    The texts keep the order of their points and do not overlap; set the scales and limits before.
    """
    ax.get_xlim(), ax.get_ylim()  # computes limits that are not set, which transData does not
    ends = sorted(ends, key=lambda end: float(ax.transData.transform(end[:2])[1]))
    if not ends:
        return
    low, high = ax.transAxes.transform([(0, 0), (0, 1)])[:, 1]
    levels = [(ax.transData.transform(end[:2])[1] - low) / (high - low) for end in ends]
    # A line of text of 9 points needs 0.18 inches, of the axes' height.
    apart = min(0.18 * ax.figure.dpi / (high - low), 1 / len(ends))
    for place in range(1, len(levels)):
        levels[place] = max(levels[place], levels[place - 1] + apart)
    levels[-1] = min(levels[-1], 1.0)
    for place in reversed(range(len(levels) - 1)):
        levels[place] = min(levels[place], levels[place + 1] - apart)
    for (x, y, text, colour), level in zip(ends, levels, strict=True):
        ax.annotate(
            text, (x, y), xytext=(1.03, level), textcoords="axes fraction", va="center", fontsize=9,
            annotation_clip=False, arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.8,
                                               "relpos": (0, 0.5), "shrinkA": 1, "shrinkB": 3},
        )  # fmt: skip


def mark_sizes(ax: Axes, sizes: Sequence[float]) -> None:
    """Put a tick at each size along x, with a label if it fits; set scale and limits before."""
    labels: dict[float, str] = {}
    taken: list[tuple[float, float]] = []
    # The outermost sizes first.
    for size in sorted(sizes, key=lambda size: (size not in (min(sizes), max(sizes)), -size)):
        text = f"{size:,g}"
        # In inches; the layout, done later, hardly changes the axes' width.
        middle = float(ax.transData.transform((size, 1))[0]) / ax.figure.dpi
        half = 0.04 * len(text) + 0.03  # about 13 digits of this size fit into an inch
        if all(middle + half < left or right < middle - half for left, right in taken):
            taken.append((middle - half, middle + half))
            labels[size] = text
    with style.apply():
        ax.set_xticks(list(sizes), [labels.get(size, "") for size in sizes])
    ax.minorticks_off()


def name_decades(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers, even below one decade; set its limits before."""
    from matplotlib.ticker import MaxNLocator

    low, high = axis.get_view_interval()
    for steps in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)):
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [step * 10.0**power for power in powers for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) >= 4:
            break
    else:
        # An axis this short is nearly linear.
        ticks = [tick for tick in MaxNLocator(6).tick_values(low, high) if low <= tick <= high]
    axis.set_ticks(ticks, [f"{tick:,.10g}" for tick in ticks])
    axis.set_minor_formatter("")


def _parts(bar: Bar) -> Sequence[tuple[float, str]]:
    return [(bar.parts, bar.colour)] if isinstance(bar.parts, int | float) else bar.parts


def _values(dot: Dot) -> Sequence[float]:
    return [dot.values] if isinstance(dot.values, int | float) else dot.values


def _interval(ax: Axes, row: float, interval: Interval | None) -> None:
    if interval is not None:
        ax.plot(interval, [row, row], color=style.INK, linewidth=1.4)


def _ends(line: Line) -> str:
    if not len(line.y):
        return "nothing"
    return f"first {readable(line.y[0], 4)}, last {readable(line.y[-1], 4)}"


def _sentence(summary: str) -> str:
    return f"{summary}." if summary else ""
