"""The pictures of a comparison and of sweeps. Nothing here computes a result."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hpml.base import style
from hpml.base.charts import mark_sizes, name_decades, name_rows
from hpml.base.errors import describe
from hpml.base.tables import format_seconds
from hpml.benchmark.advice import footnote
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.paired import AnyCase, PairedSamples
from hpml.benchmark.robust import Quartiles, quartiles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Quantity = Literal["throughput", "time", "time per item", "ratio"]


def plot_comparison(
    comparison: PairedSamples,
    ax: Axes | None = None,
    predicted: Mapping[str, float | str | None] | None = None,
) -> Axes:
    """Draw each contender's samples, their middle half and their median, one row a contender.

    Args:
        comparison: what to draw.
        ax: where to draw; by default in a new figure.
        predicted: how many times as long as the baseline a student expected contenders to take;
            None where nothing was predicted.

    Returns:
        The axes; ``axes.figure`` is the figure. Samples beyond the right edge, far out by Tukey's
        rule, are counted there and not drawn, so that one hiccup does not flatten the picture.
    """
    base = comparison[comparison.baseline].median
    guesses = (predicted or {}).items()
    marks = {name: base * ratio for name, ratio in guesses if isinstance(ratio, (int, float))}
    if ax is None:
        caption = _caption(comparison) + "\nDiamond: your prediction." * bool(marks)
        # Beside it each row keeps its half inch.
        height = 1.1 + 0.5 * len(comparison) + len(caption) / 700
        fig, ax = style.figure(height=height, width=7.5)
        style.caption(fig, caption)
    factor, unit = _unit(max(m.median for m in comparison))
    right = max([*(_fence(m.samples) for m in comparison), *marks.values()]) * factor
    left = min([*(m.minimum for m in comparison), *marks.values()]) * factor
    shades = style.series(comparison.names)
    summary = []
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
        if measurement.name in marks:
            mark = marks[measurement.name] * factor
            ax.plot(mark, row, "D", color=style.INK, fillstyle="none", markersize=9)
        note = _note(comparison, measurement.name, len(times) - len(inside))
        ax.annotate(
            note,
            (1.02, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=8.5,
            annotation_clip=False,
        )
        summary.append(f"{measurement.name}: {format_seconds(measurement.median)}, {note}")
    style.describe(ax, "; ".join(summary).replace("\n", " "))
    ax.axvline(
        base * factor, color=style.PALETTE["muted"], linewidth=1, linestyle=(0, (4, 3)), zorder=0
    )
    name_rows(ax, [name.replace("$", r"\$") for name in comparison.names])  # no formulas
    if right > 20 * left:
        ax.set_xscale("log")
        ax.set_xlim(left * 0.9, right * 1.1)
        name_decades(ax.xaxis)
    else:
        margin = 0.04 * (right - left)
        ax.set_xlim(left - margin, right + margin)
    style.finish(ax, title="Time per call", x=f"{unit} per call", y="")
    return ax


@dataclass(frozen=True)
class Sweep:
    """One line of a picture: a contender's middle value and its band at each parameter value.

    Attributes:
        name: the contender.
        at: the parameter's values, rising.
        bands: for each of them (lower edge, middle, upper edge). For times and throughput these are
            the quartiles; for ratios the 95 % interval and the estimate.
        published: the figures come from a document and not from this machine.

    >>> Sweep("vanilla", (250.0, 500.0), ((648.7, 651.4, 653.7), (314.7, 316.2, 317.5)), True).at
    (250.0, 500.0)
    """

    name: str
    at: tuple[float, ...]
    bands: tuple[Quartiles, ...]
    published: bool = False


def sweeps(cases: Iterable[AnyCase], parameter: str, quantity: Quantity) -> tuple[Sweep, ...]:
    """Return one sweep for each contender that occurs in the cases.

    Args:
        cases: of one suite; of two with the same value of the parameter the later counts.
        parameter: the name of a numeric parameter of the cases.
        quantity: "throughput" in calls/s, "time" in seconds per call, "time per item" in seconds
            per call divided by the parameter, "ratio" of the times to the baseline's.

    Raises:
        BenchmarkError: if a case lacks the parameter or it is not a number.
    """
    found: dict[str, dict[float, Quartiles]] = {}
    for case in cases:
        value = case.parameters.get(parameter)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise BenchmarkError(
                f"sweeps: expected each case to have a number {parameter!r}, got "
                f"{describe(value)} in {describe(dict(case.parameters))}."
            )
        for name in case.comparison.names:
            found.setdefault(name, {})[float(value)] = _band(case, name, quantity, value)
    return tuple(
        Sweep(name, tuple(sorted(bands)), tuple(bands[at] for at in sorted(bands)))
        for name, bands in found.items()
    )


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

    Measured lines are solid with filled marks, published ones dashed with hollow marks.

    Args:
        lines: from `sweeps`, or figures of a document as `Sweep`.
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
        _, ax = style.figure(width=8.0)
    if log:
        ax.set_xscale("log")
        ax.set_yscale("log")
    shades = style.series(list(dict.fromkeys(line.name for line in drawn)))
    places = sorted({at for line in drawn for at in line.at})
    if len(places) == 1 and ax.get_autoscalex_on():
        # Around a single value matplotlib finds no axis that is wider than nothing.
        ax.set_xlim(places[0] / 1.5, places[0] * 1.5)
    for number, line in enumerate(drawn):
        # Lines of a single point are drawn beside each other: their bands would cover each other.
        aside = 1 + 0.03 * (number - (len(drawn) - 1) / 2) if len(places) == 1 else 1.0
        _draw_line(ax, line, shades[line.name], scale, [at * aside for at in line.at])
    mark_sizes(ax, places)
    if log:
        name_decades(ax.yaxis)
    style.finish(ax, title=title, x=x, y=y)
    summary = "; ".join(_summary(line, scale) for line in drawn)
    style.describe(ax, f"{y} against {x}. {summary}")
    if label:
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=3.5)
    elif legend := ax.get_legend():
        legend.remove()
    return ax


def limits(bands: Sequence[Quartiles], reach: float = 1.5) -> tuple[float, float]:
    """Return the ends of an axis that shows all medians, and bands up to `reach` times as far.

    One wide interval on a busy machine must not press all lines into one.

    >>> low, high = limits([(0.9, 1.0, 1.1), (0.1, 1.2, 50.0)])
    >>> 0.6 < low < 0.7, 1.8 < high < 1.9
    (True, True)
    """
    middles = [middle for _, middle, _ in bands]
    low = max(min(low for low, _, _ in bands), min(middles) / reach, 1e-9)
    high = min(max(high for _, _, high in bands), max(middles) * reach)
    return low / 1.05, high * 1.05


def _note(comparison: PairedSamples, name: str, beyond: int) -> str:
    edge = f"({beyond} beyond the edge)" if beyond else ""
    if name == comparison.baseline:
        return f"baseline\n{edge}".strip()
    ratio = comparison.ratio(name)
    return f"{ratio.digits(ratio.value)} × {comparison.baseline}\n{ratio.answer} {edge}".strip()


def _caption(comparison: PairedSamples) -> str:
    return (
        f"Dots: all samples of {comparison.rounds} interleaved rounds. Band: the middle half "
        f"(25 to 75 %). Line: median. Dashed: median of {comparison.baseline}, "
        f"{format_seconds(comparison[comparison.baseline].median)}.\n"
        f"{footnote(comparison.advice)}"
    ).strip()


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


def _band(case: AnyCase, name: str, quantity: Quantity, value: float) -> Quartiles:
    measurement = case.comparison[name]
    if quantity == "throughput":
        return measurement.throughput
    if quantity == "ratio":
        ratio = case.comparison.ratio(name)
        return ratio.low, ratio.value, ratio.high
    if quantity in ("time", "time per item"):
        low, middle, high = measurement.quartiles
        items = value if quantity == "time per item" else 1.0
        return low / items, middle / items, high / items
    raise BenchmarkError(
        "sweeps: expected a quantity 'throughput', 'time', 'time per item' or 'ratio', "
        f"got {describe(quantity)}."
    )


def _draw_line(ax: Axes, line: Sweep, shade: str, scale: float, at: Sequence[float]) -> None:
    # An interval that does not exist (too few rounds) has no edges to draw.
    bounded = [
        (place, low * scale, high * scale)
        for place, (low, _, high) in zip(at, line.bands, strict=True)
        if math.isfinite(high)
    ]
    if bounded:
        places, low, high = zip(*bounded, strict=True)
        if len(bounded) > 1:
            ax.fill_between(places, low, high, color=shade, alpha=0.15, linewidth=0)
        else:
            ax.vlines(places, low, high, color=shade, alpha=0.35, linewidth=5)
    ax.plot(
        at,
        [middle * scale for _, middle, _ in line.bands],
        color=shade,
        marker=style.marker(line.name),
        linestyle=(0, (2, 2)) if line.published else "-",
        linewidth=1.2 if line.published else 1.8,
        markerfacecolor="white" if line.published else shade,
        markersize=5.5,
        label=_named(line).replace("$", r"\$"),
    )


def _named(line: Sweep) -> str:
    return f"{line.name} (published)" if line.published else line.name


def _summary(line: Sweep, scale: float) -> str:
    ends = sorted({0, len(line.at) - 1})
    values = [f"{line.bands[end][1] * scale:.3g} at {line.at[end]:,g}" for end in ends]
    return f"{_named(line)}: {', '.join(values)}"
