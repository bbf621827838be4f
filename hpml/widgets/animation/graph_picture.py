"""Draw a graph as SVG whose boxes, labels and lines can be highlighted one by one."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hpml.base.drawing import Drawable, lay_out
from hpml.base.drawing.grid import Point, Rectangle
from hpml.base.drawing.layout import CallLabel, Layout, Line, ValueBox, arrow_head
from hpml.widgets.animation.animation import part, placeholder

_UNIT = 100  # SVG units per inch
_MARGIN = 0.2
_LEAST_SCALE = 0.75  # a smaller picture would be unreadable, so it scrolls


@dataclass
class Picture:
    """A graph as SVG, `width` inches wide, and the names of its parts.

    `values` has the box of each value or of the chain that it is folded into, `calls` the label of
    each call, `lines` each line by (call, value, whether the call makes it). `badges` and `notes`
    are placeholders at the corner of and above each value's own box.
    """

    svg: str = ""
    width: float = 0.0
    values: dict[int, str] = field(default_factory=dict)
    calls: dict[int, str] = field(default_factory=dict)
    lines: dict[tuple[int, int, bool], str] = field(default_factory=dict)
    badges: dict[int, str] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)


def picture_of(
    graph: Drawable,
    text: str,
    node_text: Callable[[int], str],
    edge_text: Callable[[int], str],
    *,
    kind: str = "",
    prefix: str = "",
    links: Mapping[str, tuple[int, str]] | None = None,
    groups: Sequence[tuple[int, ...]] | None = None,
    max_height: float = 5.2,
) -> Picture:
    """Draw a graph downwards, or to the right if it would be higher than `max_height` inches.

    `links` has, by name of a part, the keyframe shown after a click, and the part's label for Tab.
    """
    layout = lay_out(graph, node_text, edge_text, groups=groups)
    if layout.height > max_height and groups is None:
        layout = lay_out(graph, node_text, edge_text, rotated=True)
    picture = Picture(width=layout.width + 2 * _MARGIN)
    painter = _Painter(picture, graph, layout, prefix, links or {})
    width, height = _at(picture.width), _at(layout.height + 2 * _MARGIN)
    view = f"{_at(-_MARGIN)} {_at(-_MARGIN)} {width} {height}"
    role = "group" if links else "img"  # an image has no interactive parts
    picture.svg = (
        f'<svg class="hpml-graph {html.escape(kind)}" viewBox="{view}" width="{width}" '
        f'height="{height}" style="min-width: {round(_LEAST_SCALE * width)}px" '
        f'role="{role}" aria-label="{html.escape(text)}">{"".join(painter.pieces())}</svg>'
    )
    return picture


class _Painter:
    """Draws one layout, and stores the names of its parts in the picture."""

    def __init__(
        self,
        picture: Picture,
        graph: Drawable,
        layout: Layout,
        prefix: str,
        links: Mapping[str, tuple[int, str]],
    ) -> None:
        self._picture, self._graph, self._layout = picture, graph, layout
        self._prefix, self._links = prefix, links
        self._folded = {label.calls[0]: label for label in layout.labels if label.is_folded}

    def pieces(self) -> Iterable[str]:
        """Draw all lines, then each again for its highlight, then labels and boxes on top."""
        yield f'<path d="{_path(_curves(*self._layout.lines))}"/>'
        lines = [self._line(line) for line in self._layout.lines]
        yield from (f'<path class="head" d="{head}"/>' for head, _ in lines if head)
        yield from (lit for _, lit in lines)
        yield from map(self._label, self._layout.labels)
        yield from map(self._box, self._layout.boxes)

    def _line(self, line: Line) -> tuple[str, str]:
        name = f"{self._prefix}{'r' if line.is_result else 'a'}{line.call}-{line.value}"
        call, is_folded = line.call, line.call in self._folded
        if line.is_result and is_folded:
            call = self._folded[call].calls[-1]  # the last call of a chain makes the shown value
        self._picture.lines[call, line.value, line.is_result] = name
        head = ""
        if line.is_result or is_folded:
            outlined = line.is_result and line.value in self._graph.outputs
            head = _corners(arrow_head(line, back=0.045 if outlined else 0.01))
        over = f'<path class="overhead" d="{head}"/>' if head else ""
        if not line.is_result:
            back = line._replace(points=line.points[::-1])
            over += f'<path class="asking" d="{_corners(arrow_head(back))}"/>'
        return head, f'<g {part(name)}><path class="over" d="{_path(_curves(line))}"/>{over}</g>'

    def _label(self, label: CallLabel) -> str:
        if not label.text:
            return ""
        name = f"{self._prefix}c{label.calls[0]}"
        self._picture.calls.update(dict.fromkeys(label.calls, name))
        for call in label.calls[:-1] if label.is_folded else ():
            results = (value for value in self._graph.calls[call].results if value is not None)
            self._picture.values.update(dict.fromkeys(results, name))
        kind = "shape folded" if label.is_folded else "label"
        return self._group(kind, name, label.rectangle, label.text)

    def _box(self, box: ValueBox) -> str:
        """Draw the box of a value, with placeholders at its corner and above it."""
        name, badge, note = (f"{self._prefix}{kind}{box.value}" for kind in "vbn")
        self._picture.values[box.value] = name
        self._picture.badges[box.value], self._picture.notes[box.value] = badge, note
        kinds = {"input": self._graph.inputs, "output": self._graph.outputs}
        kind = " ".join(["shape", *(kind for kind, values in kinds.items() if box.value in values)])
        left, x, y = _at(box.rectangle.left), _at(box.rectangle.right), _at(box.rectangle.top)
        above = 9 if "output" in kind else 5  # an output has a second outline
        return self._group(kind, name, box.rectangle, box.text) + (
            f'<g class="badge" {part(badge)}><circle cx="{x}" cy="{y}" r="9"/>'
            f'<text x="{x}" y="{y + 4}" {placeholder(badge)}></text></g>'
            f'<text class="note" x="{left + 3}" y="{y - above}" {placeholder(note)}></text>'
        )

    def _group(self, kind: str, name: str, rectangle: Rectangle, text: str) -> str:
        attributes = ""
        if name in self._links:
            target, label = self._links[name]
            attributes = f' data-go="{target}"'
            attributes += f' aria-label="{html.escape(label)}"' if label else ""
        outline = _rectangle(rectangle, 0.035, 'class="around" ') if "output" in kind else ""
        return (
            f'<g class="{kind}" {part(name)}{attributes}>{outline}{_rectangle(rectangle)}'
            f"{_text(rectangle, text)}</g>"
        )


def _at(inches: float) -> int:
    return round(inches * _UNIT)


def _rectangle(rectangle: Rectangle, margin: float = 0.0, attributes: str = "") -> str:
    x, y = _at(rectangle.left - margin), _at(rectangle.top - margin)
    width, height = _at(rectangle.width + 2 * margin), _at(rectangle.height + 2 * margin)
    return f'<rect {attributes}x="{x}" y="{y}" width="{width}" height="{height}" rx="8"/>'


def _text(rectangle: Rectangle, text: str) -> str:
    lines = text.split("\n")
    x, y = _at(rectangle.x), _at(rectangle.y) + 4
    if len(lines) == 1:
        return f'<text x="{x}" y="{y}">{html.escape(text)}</text>'
    first = y - 15 * (len(lines) - 1) / 2
    spans = "".join(
        f'<tspan x="{x}" y="{first + 15 * i:g}">{html.escape(line)}</tspan>'
        for i, line in enumerate(lines)
    )
    return f"<text>{spans}</text>"


def _corners(points: Iterable[Point]) -> str:
    return "M" + "L".join(f"{_at(x)} {_at(y)}" for x, y in points) + "z"


def _curves(*lines: Line) -> Iterable[tuple[Point, ...]]:
    """Return the curves of lines, four points each, without duplicates."""
    return dict.fromkeys(
        line.points[n : n + 4] for line in lines for n in range(0, len(line.points) - 1, 3)
    )


def _path(curves: Iterable[tuple[Point, ...]]) -> str:
    """Return curves as an SVG path, with straight ones as lines."""
    steps = []
    for (x1, y1), *more in curves:
        if len({x for x, _ in more} | {x1}) == 1 or len({y for _, y in more} | {y1}) == 1:
            steps.append(f"M{_at(x1)} {_at(y1)}L{_at(more[-1][0])} {_at(more[-1][1])}")
        else:
            rest = " ".join(f"{_at(x)} {_at(y)}" for x, y in more)
            steps.append(f"M{_at(x1)} {_at(y1)}C{rest}")
    return "".join(steps)
