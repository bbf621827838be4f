"""A chain of operators in rows, as text is wrapped: a long chain in one row is too small to read.

Lines that skip operators run below the row of their first one, and along the left margin.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hpml.base import style
from hpml.base.charts import Chart, show
from hpml.base.drawing.fonts import BOX_POINTS, FONT, measured
from hpml.base.page import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDEST = 5.4
"""Inches of a row."""
_HEIGHT, _GAP, _BELOW, _MARGIN = 0.34, 0.3, 0.4, 0.42
"""Inches: of a box, between boxes, between rows, and left of the rows."""


class Box(NamedTuple):
    """A box of the picture: its row, its left end and its width, in inches."""

    row: int
    left: float
    width: float

    @property
    def middle(self) -> float:
        return self.left + self.width / 2

    @property
    def top(self) -> float:
        return self.row * (_HEIGHT + _BELOW)


def linear_layers(parents: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return each MatMul with the Add of weights that alone reads it, named as the exporter does.

    >>> linear_layers({"x": [], "MatMul_1": ["x"], "Add_1": ["MatMul_1"], "Add_2": ["x", "Add_1"]})
    [('MatMul_1', 'Add_1')]
    """
    pairs = []
    for name, read in parents.items():
        if name.startswith("Add_") and len(read) == 1 and read[0].startswith("MatMul_"):
            readers = [other for other, each in parents.items() if read[0] in each]
            pairs += [(read[0], name)] if readers == [name] else []
    return pairs


def draw_wrapped(parents: Mapping[str, Sequence[str]], *, title: str) -> Page:
    """Draw operators in rows, in their order, with the two of each linear layer in one colour."""
    caption = "In colour: the two operators of a linear layer, which a runtime can fuse into one."
    return show(wrapped(parents, linear_layers(parents), title=title), caption=caption, width=6.4)


def wrapped(
    parents: Mapping[str, Sequence[str]], fused: Sequence[tuple[str, ...]], *, title: str
) -> Chart:
    """Return a chart of operators in rows; fused ones are neighbours and have one colour."""
    boxes = _boxes(parents, fused)
    rows = 1 + max(box.row for box in boxes.values())
    shades = {name: style.tint(style.SECOND, 0.45) for group in fused for name in group}
    edges = [(above, name) for name, each in parents.items() for above in each]
    following = set(itertools.pairwise(parents))
    height = rows * (_HEIGHT + _BELOW)

    def draw(ax: Axes) -> None:
        from matplotlib.patches import FancyBboxPatch

        for edge in edges:
            start, end = (boxes[name] for name in edge)
            points = _line(start, end, skips=edge not in following)
            ax.plot(*zip(*points[:-1], strict=True), color=style.INK, lw=1.1,
                    solid_joinstyle="round")  # fmt: skip
            ax.annotate("", points[-1], points[-2], arrowprops={
                "arrowstyle": "-|>", "color": style.INK, "lw": 1.1, "shrinkA": 0, "shrinkB": 0,
            })  # fmt: skip
        for name, box in boxes.items():
            ax.add_patch(FancyBboxPatch((box.left, box.top), box.width, _HEIGHT, zorder=3,
                                        boxstyle="round,pad=0,rounding_size=0.08",
                                        facecolor=shades.get(name, "white"),
                                        edgecolor=style.INK))  # fmt: skip
            ax.text(box.middle, box.top + _HEIGHT / 2, name, ha="center", va="center", zorder=4,
                    fontsize=BOX_POINTS, **FONT)  # fmt: skip
        ax.set(xlim=(-_MARGIN, WIDEST), ylim=(height, -0.08))
        ax.set_aspect("equal", anchor="W")
        ax.axis("off")

    text = "; ".join(f"{name} from {', '.join(each)}" for name, each in parents.items() if each)
    pairs = "; ".join(" and ".join(group) for group in fused)
    return Chart(draw, f"{text}. In one colour: {pairs}.", height + 0.5, title=title)


def _boxes(
    parents: Mapping[str, Sequence[str]], fused: Sequence[tuple[str, ...]]
) -> dict[str, Box]:
    """Return the box of each operator; a row ends where the next group does not fit."""
    of = {name: group for group in fused for name in group}
    boxes, row, left = dict[str, Box](), 0, 0.0
    for group, names in itertools.groupby(parents, lambda name: of.get(name, (name,))):
        widths = [max(measured(name, BOX_POINTS)[0] + 0.22, 0.62) for name in group]
        if left and left + sum(widths) + _GAP * (len(widths) - 1) > WIDEST:
            row, left = row + 1, 0.0
        for name, width in zip(names, widths, strict=True):
            boxes[name] = Box(row, left, width)
            left += width + _GAP
    return boxes


def _line(start: Box, end: Box, *, skips: bool) -> list[tuple[float, float]]:
    """Return the corners of the line between two boxes, so that no two lines cross."""
    if skips:
        above, below = (box.top + _HEIGHT + 0.3 * _BELOW for box in (start, end))
        edge = -0.8 * _MARGIN
        return [(start.middle, start.top + _HEIGHT), (start.middle, above), (edge, above),
                (edge, below), (end.middle, below), (end.middle, end.top + _HEIGHT)]  # fmt: skip
    right, middle = start.left + start.width, start.top + _HEIGHT / 2
    if start.row == end.row:
        return [(right, middle), (right, middle), (end.left, middle)]
    between, edge = start.top + _HEIGHT + 0.65 * _BELOW, -0.4 * _MARGIN
    into = end.top + _HEIGHT / 2
    return [(right, middle), (right + _GAP / 2, middle), (right + _GAP / 2, between),
            (edge, between), (edge, into), (end.left, into)]  # fmt: skip
