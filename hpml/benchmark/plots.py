"""Pictures of comparisons and of sweeps over a parameter."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.charts import Line, name_decades, name_rows
from hpml.base.errors import describe
from hpml.base.tables import format_seconds
from hpml.benchmark.advice import footnote, heading
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.paired import AnyCase, PairedSamples, seconds_at
from hpml.benchmark.robust import quartiles

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_comparison(
    comparison: PairedSamples,
    ax: Axes | None = None,
    predicted: Mapping[str, float | str | None] | None = None,
) -> Axes:
    """Draw a comparison; see `hpml.benchmark.Comparison.plot`."""
    base = comparison[comparison.baseline].median
    guesses = (predicted or {}).items()
    marks = {name: base * ratio for name, ratio in guesses if isinstance(ratio, (int, float))}
    if ax is None:
        fig, ax = style.figure(height=1.3 + 0.5 * len(comparison), width=7.5)
        style.caption(
            fig,
            "Dot: sample. Band: their middle half. Line: median. Dashed: the baseline's median."
            + " Diamond: predicted." * bool(marks),
        )
        style.fold(ax, heading(comparison.advice, comparison.owner), _notes(comparison))
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
    style.describe(ax, "; ".join(summary).replace("\n", ", "))
    ax.axvline(
        base * factor, color=style.PALETTE["muted"], linewidth=1, linestyle=(0, (4, 3)), zorder=0
    )
    name_rows(ax, [name.replace("$", r"\$") for name in comparison.names])  # no mathtext
    if right > 20 * left:
        ax.set_xscale("log")
        ax.set_xlim(left * 0.9, right * 1.1)
        name_decades(ax.xaxis)
    else:
        margin = 0.04 * (right - left)
        ax.set_xlim(left - margin, right + margin)
    each = "call" if all(m.items == 1 for m in comparison) else "item"
    style.finish(ax, title=f"Time per {each}", x=f"{unit} per {each}", y="")
    return ax


def sweeps(cases: Iterable[AnyCase], parameter: str, *, per_item: bool = False) -> tuple[Line, ...]:
    """Return the times against a parameter, one line of a chart per contender.

    Args:
        cases: cases from the same rounds; for equal values of the parameter the last one is used.
        parameter: the name of a numeric parameter of the cases.
        per_item: whether to divide the times by the parameter.

    Returns:
        Times in µs per call or per item, with a band from the 25th to the 75th percentile.

    Raises:
        BenchmarkError: if the parameter is missing from a case or is not a number.
    """
    found: dict[float, PairedSamples] = {}
    for case in cases:
        value = case.parameters.get(parameter)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise BenchmarkError(
                object=f"parameter {parameter!r} of sweeps",
                expected="a number in each case",
                received=f"{describe(value)} in {describe(dict(case.parameters))}",
                remedy="Name a parameter that is a number in each case, or leave out the others.",
            )
        found[float(value)] = case.comparison
    lines = []
    for name, times in seconds_at(dict(sorted(found.items()))).items():
        bands = []
        for x, seconds in times.items():
            factor = 1e6 / x if per_item else 1e6
            quarter, _, three = found[x][name].quartiles
            bands.append([factor * each for each in (quarter, seconds, three)])
        low, middle, high = zip(*bands, strict=True)
        lines.append(Line(name, list(times), middle, marker=style.marker(name), band=(low, high)))
    return tuple(lines)


def _note(comparison: PairedSamples, name: str, beyond: int) -> str:
    edge = f"({beyond} sample{'s' * (beyond != 1)} beyond the edge)" if beyond else ""
    if name == comparison.baseline:
        return f"baseline\n{edge}".strip()
    ratio = comparison.ratio(name)
    return f"{ratio.shown} × {comparison.baseline}\n{ratio.answer} {edge}".strip()


def _notes(comparison: PairedSamples) -> str:
    return (
        f"{comparison.rounds} interleaved rounds. The band is from 25 to 75 %. "
        f"The median of {comparison.baseline} is "
        f"{format_seconds(comparison[comparison.baseline].median)}.\n"
        f"{footnote(comparison.advice, comparison.owner)}"
    ).strip()


def _fence(samples: Sequence[float]) -> float:
    """Return the largest sample within Tukey's outer fence, three interquartile ranges out."""
    low, middle, high = quartiles(samples)
    limit = max(high + 3 * (high - low), 1.05 * middle)
    return max(sample for sample in samples if sample <= limit)


def _unit(seconds: float) -> tuple[float, str]:
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1:
            return factor, unit
    return 1e9, "ns"
