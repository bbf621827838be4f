"""Dumbbells: from the time of one share of work to that of two, a row for each way."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from hpml.base import style
from hpml.base.charts import Chart, name_rows
from hpml.benchmark import Ratio

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ONCE, _TWICE = "1: side\nby side ", " 2: one after\n the other"


class Dumbbell(NamedTuple):
    """A row: the time of two shares as a multiple of one's, and the form of its mark."""

    ratio: Ratio
    colour: str = style.DATA
    marker: str = "o"


def dumbbells(rows: Mapping[str, Dumbbell], *, title: str, x: str) -> Chart:
    """Return a row for each name, from 1 to its ratio, with the ratio in the margin."""
    ends = [end for row in rows.values() for end in (row.ratio.low, row.ratio.high)]
    known = [1.0, 2.0, *(end for end in ends if math.isfinite(end))]
    known += [row.ratio.value for row in rows.values()]

    def draw(ax: Axes) -> None:
        for place, (ratio, colour, marker) in enumerate(rows.values()):
            ax.plot(
                [1, ratio.value],
                [place] * 2,
                color=style.tint(colour, 0.45),
                linewidth=5,
                solid_capstyle="butt",
            )
            ax.plot(1, place, "o", color=style.INK, markerfacecolor="white", markersize=8)
            ax.plot(ratio.value, place, marker, color=colour, markersize=11)
            ax.plot(
                [ratio.low, ratio.high],
                [place + 0.26] * 2,
                "-|",
                color=style.INK,
                linewidth=1.4,
                markersize=6,
            )
            ax.annotate(
                ratio.with_interval,
                (1.02, place),
                va="center",
                fontsize=9,
                xycoords=("axes fraction", "data"),
                annotation_clip=False,
            )
        name_rows(ax, [textwrap.fill(name, 30) for name in rows])
        space = 0.06 * (max(known) - min(known))
        ax.set_xlim(min(known) - space, max(known) + space)
        ax.set_xticks([1, 2], [_ONCE, _TWICE])
        # Away from one another, since a wide axis has 1 and 2 close together.
        for label, side in zip(ax.get_xticklabels(), ("right", "left"), strict=True):
            label.set(ha=side)

    text = "; ".join(f"{name}: {row.ratio.with_interval}" for name, row in rows.items())
    return Chart(draw, f"{text}.", 1.3 + 0.5 * len(rows), title=title, x=x, at=(1, 2))
