"""Where everything stands in the picture of a graph: from a `Graph` to an immutable `Layout`.

Values are boxes; the layer that makes a value is a label on the way to it, with a place of its
own, so that texts never overlap. Values and labels stand in alternating rows, each below
everything it needs. A line that passes a row has a place there too, and lines turn only between
the rows: so a skip connection bows around the chain and no line runs through a box.

Nothing here knows how to draw. Lengths are inches, x runs to the right and y down the page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .errors import GraphError
from .graph import Call, Graph
from .layering import order_rows
from .page import Page, Point, Rectangle
from .routing import fold_chains, rows_and_routes

MOST_BOXES = 150
"""A picture of more boxes helps nobody."""

_PADDING = {"box": (0.11, 0.075), "label": (0.05, 0.025)}
_LEAST_BOX = (0.62, 0.28)

Measure = Callable[[str, bool], tuple[float, float]]
"""``(text, is_label) -> (width, height)`` of the text alone, in inches."""


class ValueBox(NamedTuple):
    """The box of a value: its number in the graph, its place, its text."""

    value: int
    place: Rectangle
    text: str


class CallLabel(NamedTuple):
    """The label of a call, or the box that stands for a folded chain of calls.

    Attributes:
        calls: positions in ``graph.calls``: one, or those of the chain in their order.
        place: where it stands.
        text: what it says.
    """

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
        call: the position in ``graph.calls``; of a folded chain the first.
        is_result: whether the call makes the value; else it reads it.
        argument: which argument or which result of the call the value is.
        points: cubic Bézier curves end to end: a point, then three more for each curve.
    """

    value: int
    call: int
    is_result: bool
    argument: int
    points: tuple[Point, ...]


class Layout(NamedTuple):
    """Places for everything in the picture of a graph.

    Attributes:
        width: of the whole, in inches.
        height: of the whole, in inches.
        boxes: the values that are drawn.
        labels: the calls, and the folded chains.
        lines: how they are connected.
    """

    width: float
    height: float
    boxes: tuple[ValueBox, ...]
    labels: tuple[CallLabel, ...]
    lines: tuple[Line, ...]


def estimated_size(text: str, is_label: bool) -> tuple[float, float]:
    """Return about how large a text is, for a layout without a drawing library.

    >>> estimated_size("(None, 4)", is_label=False)
    (0.72, 0.15)
    """
    lines = text.split("\n")
    letter = 0.07 if is_label else 0.08
    return round(letter * max(map(len, lines)), 3), round(0.15 * len(lines), 3)


def lay_out(
    graph: Graph,
    *,
    node_text: Callable[[int], str] | None = None,
    edge_text: Callable[[int], str] | None = None,
    measure: Measure = estimated_size,
    rotate_graph: bool = False,
    rotate_labels: bool = False,
    groups: Sequence[tuple[int, ...]] | None = None,
) -> Layout:
    """Return where everything stands in the picture of a graph; the same graph, the same places.

    Args:
        graph: what to draw.
        node_text: from the number of a value to the text in its box; its shape by default.
        edge_text: from the position of a call to the text of its label; its name by default.
        measure: the size of a text in inches; `estimated_size` by default.
        rotate_graph: consecutive layers stand to the right, not below.
        rotate_labels: labels are turned a quarter, to run along their line; in a rotated graph
            they run along it anyway.
        groups: positions of all calls; those of a straight chain that is drawn as one box stand
            together. By default the middle of each chain of more than 12.

    Raises:
        GraphError: the picture would have more than 150 boxes after folding long chains, or as
            many lines as nobody can follow.

    >>> from torch import nn
    >>> from hpml.symbolic import Input, SymbolicModel
    >>> x = Input(shape=(4,))
    >>> layout = lay_out(SymbolicModel(x, nn.ReLU()(x)).graph)
    >>> [box.text for box in layout.boxes], [label.text for label in layout.labels]
    (['(None, 4)', '(None, 4)'], ['ReLU_1'])
    """
    groups = fold_chains(graph) if groups is None else tuple(groups)
    calls = [_as_one_call(graph, group) for group in groups]
    shown = _shown_values(graph, calls)
    _check_size(len(shown) + sum(len(group) > 1 for group in groups), len(graph.calls))

    value_text = node_text or (lambda value: graph.values[value].text())
    call_text = edge_text or (lambda call: graph.calls[call].name)
    texts = [value_text(value) for value in shown]
    texts += [_group_text(group, call_text) for group in groups]
    is_box = [True] * len(shown) + [len(group) > 1 for group in groups]
    turned = rotate_labels and not rotate_graph
    sizes = [
        _size(text, box, measure, turned and not box)
        for text, box in zip(texts, is_box, strict=True)
    ]

    rows, routes = rows_and_routes(graph, calls, shown)
    rows = order_rows(rows)
    doubled = {len(shown) + route.group for route in routes if route.offset}
    page = Page(rows, sizes, is_box, doubled, rotated=rotate_graph)
    places = [page.rectangle(thing) for thing in range(len(sizes))]
    boxes = [ValueBox(value, places[i], texts[i]) for i, value in enumerate(shown)]
    labels = [CallLabel(group, places[i], texts[i]) for i, group in enumerate(groups, len(shown))]
    lines = [
        Line(r.value, groups[r.group][0], r.is_result, r.argument, page.curve(r.things, r.offset))
        for r in routes
    ]
    width, height = page.size()
    return Layout(width, height, tuple(boxes), tuple(labels), tuple(lines))


def _as_one_call(graph: Graph, group: tuple[int, ...]) -> Call:
    first, last = graph.calls[group[0]], graph.calls[group[-1]]
    return first._replace(results=last.results)


def _shown_values(graph: Graph, calls: list[Call]) -> list[int]:
    made = [result for call in calls for result in call.results if result is not None]
    return [*graph.inputs, *made]


def _check_size(boxes: int, calls: int) -> None:
    if boxes > MOST_BOXES:
        raise GraphError(
            f"draw_graph expected a graph of at most {MOST_BOXES} boxes, received {calls:,} "
            f"layers, which make {boxes:,} boxes even with long straight chains folded: draw a "
            "part of it, draw_graph(inputs=..., outputs=...), or print model.summary()"
        )


def _group_text(group: tuple[int, ...], call_text: Callable[[int], str]) -> str:
    if len(group) == 1:
        return call_text(group[0])
    first, last = call_text(group[0]), call_text(group[-1])
    names = first if first == last else f"{first} … {last}"
    return f"⋯ {len(group):,} layers ⋯\n{names}"


def _size(text: str, is_box: bool, measure: Measure, turned: bool) -> tuple[float, float]:
    width, height = measure(text, not is_box)
    beside, above = _PADDING["box" if is_box else "label"]
    width, height = width + 2 * beside, height + 2 * above
    if is_box:
        width, height = max(width, _LEAST_BOX[0]), max(height, _LEAST_BOX[1])
    return (height, width) if turned else (width, height)


__all__ = [
    "CallLabel",
    "Layout",
    "Line",
    "Rectangle",
    "ValueBox",
    "estimated_size",
    "fold_chains",
    "lay_out",
]
