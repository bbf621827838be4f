"""Where everything stands in the picture of a graph: from a graph to an immutable `Layout`.

Values are boxes; the call that makes a value is a label on the way to it, with a place of its own,
so that texts never overlap. Values and labels stand in alternating rows, each below everything it
needs. A line that passes a row has a place there too, and lines turn only between the rows: so a
skip connection bows around the chain and no line runs through a box.

Nothing here knows how to draw. Lengths are inches, x runs to the right and y down the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hpml.base.drawing.fonts import text_size
from hpml.base.drawing.graph import Drawable, DrawingError
from hpml.base.drawing.grid import Grid, Point, Rectangle
from hpml.base.drawing.layering import order_rows
from hpml.base.drawing.routing import fold_chains, rows_and_routes

MOST_BOXES = 150
"""A picture of more boxes is unreadable."""

_PADDING = {"box": (0.11, 0.075), "label": (0.05, 0.025)}
_LEAST_BOX = (0.62, 0.28)


class ValueBox(NamedTuple):
    """The box of a value: its number in the graph, its place, its text."""

    value: int
    place: Rectangle
    text: str


class CallLabel(NamedTuple):
    """The label of one call, or the box of a folded chain of calls, given by their positions."""

    calls: tuple[int, ...]
    place: Rectangle
    text: str

    @property
    def is_folded(self) -> bool:
        """Whether this stands for several calls."""
        return len(self.calls) > 1


class Line(NamedTuple):
    """A line from a value to the label of a call that reads it, or on to a value it makes.

    Attributes:
        value: the value.
        call: the position of the call; of a folded chain the first.
        is_result: whether the call makes the value; else it reads it.
        points: cubic Bézier curves end to end: a point, then three more for each curve.
    """

    value: int
    call: int
    is_result: bool
    points: tuple[Point, ...]


class Layout(NamedTuple):
    """Places for everything in the picture of a graph; its width and height are inches."""

    width: float
    height: float
    boxes: tuple[ValueBox, ...]
    labels: tuple[CallLabel, ...]
    lines: tuple[Line, ...]


def arrow_head(line: Line, *, back: float = 0.01) -> tuple[Point, Point, Point]:
    """Return the corners of the arrow head at the end of a line, so many inches before it."""
    length, width = 0.095, 0.085
    (x1, y1), (x2, y2) = line.points[0], line.points[-1]
    is_down = abs(line.points[-2][0] - x2) < 1e-9
    along = (0.0, math.copysign(1.0, y2 - y1)) if is_down else (math.copysign(1.0, x2 - x1), 0.0)
    x, y = x2 - back * along[0], y2 - back * along[1]
    base = (x - length * along[0], y - length * along[1])
    side = (width / 2 * along[1], width / 2 * along[0])
    return (x, y), (base[0] + side[0], base[1] + side[1]), (base[0] - side[0], base[1] - side[1])


def lay_out(
    graph: Drawable,
    node_text: Callable[[int], str],
    edge_text: Callable[[int], str],
    *,
    rotated: bool = False,
    turn_labels: bool = False,
    groups: Sequence[tuple[int, ...]] | None = None,
) -> Layout:
    """Return where everything stands in the picture of a graph; the same graph, the same places.

    Args:
        graph: what to draw.
        node_text: from the number of a value to the text in its box.
        edge_text: from the position of a call to the text of its label; empty for none.
        rotated: consecutive calls stand to the right, not below.
        turn_labels: labels are turned a quarter, to run along their line; in a rotated graph they
            run along it anyway.
        groups: positions of all calls; those of a straight chain that is drawn as one box stand
            together. By default the middle of each chain of more than 12.

    Raises:
        DrawingError: the picture would have more than 150 boxes after folding long chains.
    """
    groups = fold_chains(graph) if groups is None else tuple(groups)
    made = [r for group in groups for r in graph.calls[group[-1]].results if r is not None]
    shown = [*graph.inputs, *made]
    boxes = len(shown) + sum(len(group) > 1 for group in groups)
    if boxes > MOST_BOXES:
        raise DrawingError(
            f"a picture of a graph expected at most {MOST_BOXES} boxes, received "
            f"{len(graph.calls):,} layers, which make {boxes:,} boxes even with long straight "
            "chains folded: draw a part of it"
        )
    texts = [node_text(value) for value in shown]
    texts += [_group_text(group, edge_text) for group in groups]
    is_box = [True] * len(shown) + [len(group) > 1 for group in groups]
    turned = turn_labels and not rotated
    sizes = [_size(text, box, turned and not box) for text, box in zip(texts, is_box, strict=True)]
    rows, routes = rows_and_routes(graph, groups, shown)
    grid = Grid(order_rows(rows), sizes, is_box, rotated=rotated)
    places = [grid.rectangle(thing) for thing in range(len(sizes))]
    return Layout(
        *grid.size,
        tuple(ValueBox(value, places[i], texts[i]) for i, value in enumerate(shown)),
        tuple(CallLabel(g, places[i], texts[i]) for i, g in enumerate(groups, len(shown))),
        tuple(Line(r.value, groups[r.group][0], r.is_result, grid.curve(r.things)) for r in routes),
    )


def _group_text(group: tuple[int, ...], call_text: Callable[[int], str]) -> str:
    if len(group) == 1:
        return call_text(group[0])
    first, last = call_text(group[0]), call_text(group[-1])
    names = first if first == last else f"{first} … {last}"
    return f"⋯ {len(group):,} layers ⋯\n{names}"


def _size(text: str, is_box: bool, turned: bool) -> tuple[float, float]:
    if not text and not is_box:
        return 0.0, 0.0  # the line just goes on
    width, height = text_size(text, is_label=not is_box)
    beside, above = _PADDING["box" if is_box else "label"]
    width, height = width + 2 * beside, height + 2 * above
    if is_box:
        width, height = max(width, _LEAST_BOX[0]), max(height, _LEAST_BOX[1])
    return (height, width) if turned else (width, height)
