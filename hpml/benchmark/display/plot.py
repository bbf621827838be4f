"""The picture of a comparison. Nothing here computes a result.

Every picture shows how sure it is: each sample as a faint dot, the middle half as a band, or the
95 % interval of a ratio. A bar of a single height would hide just what the reader needs.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.charts import name_decades, name_rows
from hpml.base.tables import format_multiple, format_seconds
from hpml.benchmark.advising import UNSTABLE, kinds, some_names, unstable
from hpml.benchmark.paired import PairedSamples
from hpml.benchmark.robust import quartiles

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_comparison(comparison: PairedSamples, ax: Axes | None = None) -> Axes:
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
    told = []
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
        told.append(f"{measurement.name}: {format_seconds(measurement.median)}, {note}")
    style.describe(ax, "; ".join(told).replace("\n", " "))
    base = comparison[comparison.baseline].median * factor
    ax.axvline(base, color=style.PALETTE["muted"], linewidth=1, linestyle=(0, (4, 3)), zorder=0)
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


def _note(comparison: PairedSamples, name: str) -> str:
    ratio = comparison.ratio(name)
    return f"{format_multiple(ratio.value)} × {comparison.baseline}\n{ratio.answer}"


def _caption(comparison: PairedSamples) -> str:
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
