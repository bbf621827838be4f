"""Compute the layout of a graph's picture, without drawing it.

Values are boxes, and calls are labels on the lines to their results, in alternating rows. A line
that passes a row has a position in it, so no line runs through a box and no texts overlap. Lengths
are inches; x points right and y down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hpml.base.drawing.fonts import BOX_POINTS, LABEL_POINTS, measured
from hpml.base.drawing.graph import Drawable, DrawingError
from hpml.base.drawing.grid import Grid, Point, Rectangle
from hpml.base.drawing.layering import order_rows
from hpml.base.drawing.routing import fold_chains, rows_and_routes

MOST_BOXES = 150
"""Pictures with more boxes are unreadable."""

_PADDING = {"box": (0.11, 0.075), "label": (0.05, 0.025)}
_LEAST_BOX = (0.62, 0.28)


class ValueBox(NamedTuple):
    """The box of a value, which is given by its number in the graph."""

    value: int
    rectangle: Rectangle
    text: str


class CallLabel(NamedTuple):
    """The label of one call, or the box of a folded chain of calls."""

    calls: tuple[int, ...]
    rectangle: Rectangle
    text: str

    @property
    def is_folded(self) -> bool:
        return len(self.calls) > 1


class Line(NamedTuple):
    """A line from a value to a call that reads it or, if `is_result`, from a call to its result.

    `points` are cubic Bézier curves end to end: a point, then three more for each curve.
    """

    value: int
    call: int
    is_result: bool
    points: tuple[Point, ...]


class Layout(NamedTuple):
    """The positions of everything in the picture of a graph, in inches."""

    width: float
    height: float
    boxes: tuple[ValueBox, ...]
    labels: tuple[CallLabel, ...]
    lines: tuple[Line, ...]


def arrow_head(line: Line, *, back: float = 0.01) -> tuple[Point, Point, Point]:
    """Return the corners of an arrow head, `back` inches before the end of a line."""
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
    """Return the layout of a graph's picture.

    `node_text` gives the text in the box of a value, `edge_text` that of a call's label. A
    `rotated` graph runs to the right; `turn_labels` rotates the labels of others by 90 degrees.
    `groups` are the indices of all calls, with those of a folded chain together; by default those
    of `fold_chains`.

    Raises:
        DrawingError: the picture would have more than 150 boxes after folding long chains.
    """
    groups = fold_chains(graph) if groups is None else tuple(groups)
    results = [r for group in groups for r in graph.calls[group[-1]].results if r is not None]
    shown = [*graph.inputs, *results]
    boxes = len(shown) + sum(len(group) > 1 for group in groups)
    if boxes > MOST_BOXES:
        raise DrawingError(
            object="a picture of a graph",
            expected=f"at most {MOST_BOXES} boxes",
            received=f"{len(graph.calls):,} layers, which need {boxes:,} boxes even with long "
            "straight chains folded",
            remedy="Draw a part of it.",
        )
    texts = [node_text(value) for value in shown]
    texts += [_group_text(group, edge_text) for group in groups]
    is_box = [True] * len(shown) + [len(group) > 1 for group in groups]
    turned = turn_labels and not rotated
    sizes = [_size(text, box, turned and not box) for text, box in zip(texts, is_box, strict=True)]
    rows, routes = rows_and_routes(graph, groups, shown)
    grid = Grid(order_rows(rows), sizes, is_box, rotated=rotated)
    rectangles = [grid.rectangle(item) for item in range(len(sizes))]
    return Layout(
        *grid.size,
        tuple(ValueBox(value, rectangles[i], texts[i]) for i, value in enumerate(shown)),
        tuple(CallLabel(g, rectangles[i], texts[i]) for i, g in enumerate(groups, len(shown))),
        tuple(Line(r.value, groups[r.group][0], r.is_result, grid.curve(r.items)) for r in routes),
    )


def _group_text(group: tuple[int, ...], call_text: Callable[[int], str]) -> str:
    if len(group) == 1:
        return call_text(group[0])
    first, last = call_text(group[0]), call_text(group[-1])
    names = first if first == last else f"{first} … {last}"
    return f"⋯ {len(group):,} layers ⋯\n{names}"


def _size(text: str, is_box: bool, turned: bool) -> tuple[float, float]:
    if not text and not is_box:
        return 0.0, 0.0  # only the line
    width, height = measured(text, BOX_POINTS if is_box else LABEL_POINTS) if text else (0.0, 0.0)
    beside, above = _PADDING["box" if is_box else "label"]
    width, height = width + 2 * beside, height + 2 * above
    if is_box:
        width, height = max(width, _LEAST_BOX[0]), max(height, _LEAST_BOX[1])
    return (height, width) if turned else (width, height)
