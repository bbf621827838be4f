"""Pictures of results. Nothing here computes a result, and nothing needs a picture to compute.

Every picture shows how sure it is: each sample as a faint dot, the middle half as a band, or the
95 % interval of a ratio. A bar of a single height would hide just what the reader needs.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.tables import format_multiple, format_seconds
from hpml.benchmark.advising import UNSTABLE, kinds, some_names, unstable
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.robust import quartiles
from hpml.benchmark.sweep import Sweep

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = ["limits", "plot_comparison", "plot_sweep", "spread_out"]

LABEL_GAP = 0.062
"""Least distance between two labels at the right edge, as a fraction of the height of the axes."""

SIDE_STEP = 11.0
"""Points between two lines of a single point that stand side by side."""

SIDE_ROOM = 0.0065
"""Room for them beyond the first and last place, as a fraction of the axis for each point."""


def plot_comparison(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw each contender's samples, their middle half and their median, one row a contender.

    Args:
        comparison: what to draw.
        ax: where to draw; by default in a new figure.

    Returns:
        The axes; ``axes.figure`` is the figure. Samples beyond the right edge, far out by Tukey's
        rule, are counted there and not drawn, so that one hiccup does not flatten the picture.
        Whoever is unstable has its problem beside its answer.
    """
    if ax is None:
        fig, ax = style.figure(height=1.3 + 0.5 * len(comparison), width=7.5)
        style.caption(fig, _caption(comparison))
    factor, unit = _unit(max(m.median for m in comparison))
    right = max(_fence(m.samples) for m in comparison) * factor
    left = min(m.minimum for m in comparison) * factor
    shades = style.colours([measurement.name for measurement in comparison])
    for row, measurement in enumerate(comparison):
        shade = shades[measurement.name]
        times = [sample * factor for sample in measurement.samples]
        low, middle, high = quartiles(times)
        jitter = random.Random(row)
        inside = [time for time in times if time <= right]
        heights = [row + jitter.uniform(-0.26, 0.26) for _ in inside]
        ax.plot(inside, heights, "o", color=shade, alpha=0.35, markersize=3.5, markeredgewidth=0)
        ax.barh(row, high - low, 0.56, left=low, color=shade, alpha=0.30, linewidth=0)
        ax.plot([middle, middle], [row - 0.34, row + 0.34], color=shade, linewidth=2.4)
        beyond = len(times) - len(inside)
        is_baseline = measurement.name == comparison.baseline
        note = "baseline" if is_baseline else _note(comparison, measurement.name)
        shaky = [a.problem for a in measurement.verdict() if a.problem in UNSTABLE]
        note += f" · {', '.join(shaky)}" if shaky else ""
        if beyond:
            note += f"\n({beyond} sample{'s' if beyond > 1 else ''} beyond the edge)"
        ax.annotate(
            note,
            (1.02, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=8.5,
            color=style.PALETTE["ink"],
            annotation_clip=False,
        )
    base = comparison[comparison.baseline].median * factor
    ax.axvline(base, color=style.PALETTE["muted"], linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    ax.set_yticks(range(len(comparison)), list(comparison.names))
    ax.set_ylim(len(comparison) - 0.45, -0.55)
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)
    if right > 20 * left:
        ax.set_xscale("log")
        ax.set_xlim(left * 0.9, right * 1.1)
    else:
        margin = 0.04 * (right - left)
        ax.set_xlim(left - margin, right + margin)
    style.finish(ax, title="Time per call", x=f"{unit} per call", y="")
    return ax


def plot_sweep(
    lines: Iterable[Sweep],
    ax: Axes | None = None,
    *,
    title: str,
    x: str,
    y: str,
    scale: float = 1.0,
    label: bool = True,
    log: bool = False,
) -> Axes:
    """Draw quantities against a parameter, each with its band, published figures beside measured.

    Measured lines are solid with filled marks, published ones dashed with hollow marks. Each line
    is named at its right end, in its own colour. Lines of a single point at the same place stand
    side by side, as their bands would cover each other.

    Args:
        lines: from `hpml.benchmark.sweep.sweeps`, or figures of a document as `Sweep`.
        ax: where to draw; by default in a new figure.
        title, x, y: what is shown, and what runs along the axes with its unit.
        scale: factor on the values, for example 1e6 to show seconds as µs.
        label: whether to name the lines.
        log: whether both axes are logarithmic.

    Raises:
        BenchmarkError: without lines.
    """
    drawn = tuple(lines)
    if not drawn:
        raise BenchmarkError("plot_sweep expects at least one line to draw, got none.")
    if ax is None:
        _, ax = style.figure()
    if log:
        ax.set_xscale("log")
        ax.set_yscale("log")
    shades = style.colours(list(dict.fromkeys(line.name for line in drawn)))
    shifts = _shifts(drawn)
    places = sorted({at for line in drawn for at in line.at})
    if len(places) == 1 and ax.get_autoscalex_on():
        # Around a single value matplotlib finds no axis that is wider than nothing.
        ax.set_xlim(places[0] / 1.5, places[0] * 1.5)
    elif any(shifts):
        ax.margins(x=SIDE_ROOM * max(shifts))
    for line, shift in zip(drawn, shifts, strict=True):
        _draw_line(ax, line, shades[line.name], scale, shift)
    ax.set_xticks(places, [f"{at:,g}" for at in places])
    ax.minorticks_off()
    if log:
        _name_decades(ax)
    style.finish(ax, title=title, x=x, y=y)
    if label:
        _label_ends(ax, drawn, shades, scale)
    return ax


def limits(bands: Sequence[tuple[float, float, float]], room: float = 1.5) -> tuple[float, float]:
    """Return the ends of an axis that shows all medians, and bands up to `room` times as far.

    One wide interval on a busy machine must not press all lines into one.

    Args:
        bands: (lower edge, middle, upper edge) of each, positive.
        room: how far beyond the outermost median a band is shown, as a factor.

    >>> low, high = limits([(0.9, 1.0, 1.1), (0.1, 1.2, 50.0)])
    >>> 0.6 < low < 0.7, 1.8 < high < 1.9
    (True, True)
    """
    middles = [middle for _, middle, _ in bands]
    low = max(min(low for low, _, _ in bands), min(middles) / room, 1e-9)
    high = min(max(high for _, _, high in bands), max(middles) * room)
    return low / 1.05, high * 1.05


def spread_out(positions: Sequence[float], gap: float) -> list[float]:
    """Return positions moved apart to keep at least `gap` between neighbours, in the same order.

    Groups that touch are centred on the mean of where their members wanted to be.

    >>> spread_out([0.50, 0.50, 0.90], gap=0.1)
    [0.45, 0.55, 0.9]
    """
    order = sorted(range(len(positions)), key=lambda place: positions[place])
    groups: list[list[int]] = []

    def centre(group: list[int]) -> float:
        return sum(positions[place] for place in group) / len(group)

    for place in order:
        groups.append([place])
        while len(groups) > 1:
            below, above = groups[-2], groups[-1]
            needed = gap * (len(below) + len(above)) / 2
            if centre(above) - centre(below) >= needed - 1e-12:
                break
            groups[-2:] = [below + above]
    moved = [0.0] * len(positions)
    for group in groups:
        first = centre(group) - gap * (len(group) - 1) / 2
        for step, place in enumerate(group):
            moved[place] = first + gap * step
    return moved


def _shifts(lines: Sequence[Sweep]) -> list[float]:
    """Return how far each line is drawn beside its place, in points: only those of one point."""
    alone: dict[float, list[int]] = {}
    for number, line in enumerate(lines):
        if len(line.at) == 1:
            alone.setdefault(line.at[0], []).append(number)
    shifts = [0.0] * len(lines)
    for group in alone.values():
        for step, number in enumerate(group):
            shifts[number] = SIDE_STEP * (step - (len(group) - 1) / 2)
    return shifts


def _draw_line(ax: Axes, line: Sweep, shade: str, scale: float, shift: float) -> None:
    middles = [middle * scale for _, middle, _ in line.bands]
    # An interval that does not exist (too few rounds) has no edges to draw.
    bounded = [
        (at, low * scale, high * scale)
        for at, (low, _, high) in zip(line.at, line.bands, strict=True)
        if math.isfinite(high)
    ]
    if len(bounded) > 1:
        at, low, high = zip(*bounded, strict=True)
        ax.fill_between(at, low, high, color=shade, alpha=0.15, linewidth=0)
        for edge in (low, high):
            ax.plot(at, edge, color=shade, alpha=0.4, linewidth=0.6)
    elif bounded:
        at, low, high = zip(*bounded, strict=True)
        _beside(ax, ax.vlines(at, low, high, color=shade, alpha=0.35, linewidth=5), shift)
    (drawn,) = ax.plot(
        line.at,
        middles,
        color=shade,
        marker=style.marker(line.name),
        linestyle=(0, (2, 2)) if line.published else "-",
        linewidth=1.2 if line.published else 1.8,
        markerfacecolor="white" if line.published else shade,
        markersize=5.5,
    )
    _beside(ax, drawn, shift)


def _beside(ax: Axes, artist: Artist, shift: float) -> None:
    """Move what is drawn sideways, in points; its data, and with it the axis, stays."""
    from matplotlib.transforms import ScaledTranslation

    if shift:
        sideways = ScaledTranslation(shift / 72, 0, ax.figure.dpi_scale_trans)
        artist.set_transform(ax.transData + sideways)


def _label_ends(ax: Axes, lines: Sequence[Sweep], shades: Mapping[str, str], scale: float) -> None:
    """Name each line at the right edge, at its own height where there is room."""
    to_fraction = ax.transData + ax.transAxes.inverted()
    edge = ax.get_xlim()[1]
    ends = [float(to_fraction.transform((edge, line.bands[-1][1] * scale))[1]) for line in lines]
    for line, end, place in zip(lines, ends, spread_out(ends, LABEL_GAP), strict=True):
        ax.annotate(
            f"{line.name} (published)" if line.published else line.name,
            xy=(1.0, end),
            xytext=(1.045, place),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            fontsize=8.5,
            style="italic" if line.published else "normal",
            color=shades[line.name],
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "relpos": (0, 0.5),
                "color": shades[line.name],
                "linewidth": 0.7,
                "alpha": 0.6,
                "shrinkA": 1,
                "shrinkB": 0,
            },
        )


def _name_decades(ax: Axes) -> None:
    """Put ticks on a logarithmic y axis that may span less than one power of ten."""
    from matplotlib.ticker import MaxNLocator

    low, high = ax.get_ylim()
    for steps in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)):
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [step * 10.0**power for power in powers for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) >= 4:
            break
    else:
        # So short an axis is nearly linear.
        ticks = [tick for tick in MaxNLocator(6).tick_values(low, high) if low <= tick <= high]
    ax.set_yticks(ticks, [f"{tick:,g}" for tick in ticks])


def _note(comparison: Comparison, name: str) -> str:
    ratio = comparison.ratio(name)
    return f"{format_multiple(ratio.value)} × {comparison.baseline}\n{ratio.answer}"


def _caption(comparison: Comparison) -> str:
    shaky = unstable(kinds(comparison.advice))
    warning = f"\nUnstable: {some_names(shaky)}; print it as a table for what to do."
    return (
        f"Dots: all samples of {comparison.rounds} interleaved rounds. Band: the middle half "
        f"(25 to 75 %). Line: median. Dashed: median of {comparison.baseline}, "
        f"{format_seconds(comparison[comparison.baseline].median)}."
    ) + (warning if shaky else "")


def _fence(samples: Sequence[float]) -> float:
    """Return the largest sample that is not far out: within three interquartile ranges."""
    low, middle, high = quartiles(samples)
    limit = max(high + 3 * (high - low), 1.05 * middle)
    return max(sample for sample in samples if sample <= limit)


def _unit(seconds: float) -> tuple[float, str]:
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1:
            return factor, unit
    return 1e9, "ns"
