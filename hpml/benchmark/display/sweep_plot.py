"""The picture of sweeps: quantities against a parameter, published beside measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.charts import mark_sizes, name_decades
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.sweep import Sweep

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

LABEL_GAP = 0.062
"""Least distance between two labels at the right edge, as a fraction of the height of the axes."""

SIDE_STEP = 11.0
"""Points between two lines of a single point that stand side by side."""

SIDE_ROOM = 0.0065
"""Room for them beyond the first and last place, as a fraction of the axis for each point."""


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
    mark_sizes(ax, places)
    if log:
        name_decades(ax.yaxis)
    style.finish(ax, title=title, x=x, y=y)
    told = "; ".join(_told(line, scale) for line in drawn)
    style.describe(ax, f"{y} against {x}. {told}")
    if label:
        _label_ends(ax, drawn, shades, scale)
    return ax


def limits(bands: Sequence[tuple[float, float, float]], room: float = 1.5) -> tuple[float, float]:
    """Return the ends of an axis that shows all medians, and bands up to `room` times as far.

    One wide interval on a busy machine must not press all lines into one.

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


def _told(line: Sweep, scale: float) -> str:
    ends = sorted({0, len(line.at) - 1})
    values = [f"{line.bands[end][1] * scale:.3g} at {line.at[end]:,g}" for end in ends]
    return f"{line.name}{' (published)' if line.published else ''}: {', '.join(values)}"


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
            parse_math=False,  # a $ in a name is a $
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
