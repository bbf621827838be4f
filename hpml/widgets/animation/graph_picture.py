"""The picture of a graph as SVG whose boxes, labels and lines can be lit one by one.

Places come from `hpml.symbolic.layout`. Colours follow the page, so that the picture reads in light
and dark themes; the same picture stands by itself, on white, where scripts and style sheets of a
page are stripped.
"""

from __future__ import annotations

import base64
import html
import itertools
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hpml.base.page import asset
from hpml.widgets.animation.animation import Keyframe, baked, part, placeholder

if TYPE_CHECKING:
    from hpml.symbolic.graph import Graph
    from hpml.symbolic.layout import CallLabel, Layout, Line, Rectangle, ValueBox


_UNIT = 100  # of the drawing, in an inch
_MARGIN = 0.2
_LEAST_SCALE = 0.75  # smaller, nobody can read it: then it scrolls

# What is said by colour is said by line or thickness, too.
_ALONE = (
    ".hpml-graph {--hpml-ink: #1A1A1A; --hpml-paper: white; --hpml-line: #6A6A6A; "
    "--hpml-accent: #C4500B}"
)


class Picture(NamedTuple):
    """A graph drawn as SVG, and the names of its parts.

    Attributes:
        svg: the drawing, for a template of an animation.
        width: in inches.
        height: in inches.
        values: for each value of the graph the part that stands for it: its box, or that of the
            chain it is folded into.
        calls: for each position in ``graph.calls`` the part of its label.
        arguments: for (position of a call, value) the part of the line between them.
        results: for (position of a call, value) the part of the line between them.
        badges: for each value that has a box of its own the placeholder of a sign at its corner;
            the part of the sign has the same name.
        notes: for each value that has a box of its own the placeholder of a small text above it.
    """

    svg: str
    width: float
    height: float
    values: Mapping[int, str]
    calls: Mapping[int, str]
    arguments: Mapping[tuple[int, int], str]
    results: Mapping[tuple[int, int], str]
    badges: Mapping[int, str]
    notes: Mapping[int, str]


def picture_of(
    graph: Graph,
    text: str,
    *,
    kind: str = "",
    prefix: str = "",
    rotated: bool | None = None,
    node_text: Callable[[int], str] | None = None,
    edge_text: Callable[[int], str] | None = None,
    leads_to: Mapping[str, tuple[int, str]] | None = None,
) -> Picture:
    """Draw a graph.

    Args:
        graph: as ``SymbolicModel.graph``.
        text: what is to be seen, for a screen reader.
        kind: a class of the drawing, by which a style sheet knows it from others on the page.
        prefix: begins the name of every part, so that two pictures stand in one template.
        rotated: whether it runs to the right; by default it does where it is too tall for a page.
        node_text: from the number of a value to the text in its box.
        edge_text: from the position of a call to the text of its label; may be empty.
        leads_to: for the name of a part the keyframe it leads to when it is clicked, and its name
            for who comes there with the Tab key; an empty name leaves the part to the mouse.

    Raises:
        GraphError: the graph is too large for a picture.
    """
    layout = _laid_out(graph, node_text, edge_text, rotated)
    brush = _Brush(prefix, graph, leads_to or {})
    pieces = [brush.lines(layout)]
    pieces += [brush.label(label) for label in layout.labels]
    pieces += [brush.box(box) for box in layout.boxes]
    width, height = layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN
    view = f"{_at(-_MARGIN)} {_at(-_MARGIN)} {_at(width)} {_at(height)}"
    svg = (
        f'<svg class="hpml-graph {html.escape(kind)}" viewBox="{view}" width="{_at(width)}" '
        f'height="{_at(height)}" style="min-width: {_at(_LEAST_SCALE * width)}px" '
        f'role="img" aria-label="{html.escape(text)}">{"".join(pieces)}</svg>'
    )
    values = {result: name for call, name in brush.calls.items() for result in _made(graph, call)}
    return Picture(
        svg,
        width,
        height,
        values | brush.values,
        brush.calls,
        brush.arguments,
        brush.results,
        brush.badges,
        brush.notes,
    )


def standing_picture(picture: Picture, keyframe: Keyframe, text: str, style: str = "") -> str:
    """Return the picture at one keyframe as an image that needs no script and no style sheet.

    Args:
        picture: what is drawn.
        keyframe: which parts are lit.
        text: what is to be seen, for a screen reader.
        style: the style sheet of what is lit.
    """
    svg = baked(picture.svg, keyframe).replace(
        "<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1
    )
    opening, _, rest = svg.partition(">")
    paper = (
        f'<rect x="{_at(-_MARGIN)}" y="{_at(-_MARGIN)}" width="100%" height="100%" '
        'style="fill: white; stroke: none"/>'
    )
    whole = (
        f"{opening}><style>{asset(__package__, 'graph.css')}{style}{_ALONE}</style>{paper}{rest}"
    )
    data = base64.b64encode(whole.encode()).decode("ascii")
    return (
        f'<img src="data:image/svg+xml;base64,{data}" alt="{html.escape(text)}" '
        f'width="{_at(picture.width)}" style="max-width: 100%;">'
    )


def _laid_out(
    graph: Graph,
    node_text: Callable[[int], str] | None,
    edge_text: Callable[[int], str] | None,
    rotated: bool | None,
) -> Layout:
    from hpml.symbolic.drawing import measured_size
    from hpml.symbolic.layout import lay_out

    def measure(text: str, is_label: bool) -> tuple[float, float]:
        return measured_size(text, is_label) if text else (0.0, 0.0)

    given: Any = {"node_text": node_text, "edge_text": edge_text, "measure": measure}
    if rotated is not None:
        return lay_out(graph, rotate_graph=rotated, **given)
    layout = lay_out(graph, **given)
    return layout if layout.height <= 6.2 else lay_out(graph, rotate_graph=True, **given)


def _made(graph: Graph, call: int) -> list[int]:
    return [result for result in graph.calls[call].results if result is not None]


class _Brush:
    """Draws the things of one layout, and remembers what they are called."""

    def __init__(self, prefix: str, graph: Graph, leads_to: Mapping[str, tuple[int, str]]) -> None:
        self._prefix = prefix
        self._graph = graph
        self._leads_to = leads_to
        self.values: dict[int, str] = {}
        self.calls: dict[int, str] = {}
        self.badges: dict[int, str] = {}
        self.notes: dict[int, str] = {}
        self.arguments: dict[tuple[int, int], str] = {}
        self.results: dict[tuple[int, int], str] = {}

    def lines(self, layout: Layout) -> str:
        """Draw all lines once, and each again on top, unseen until it is lit."""
        plain = dict.fromkeys(curve for line in layout.lines for curve in _curves(line))
        # A label without text is a point on the line.
        through = {
            label.calls[0]: _through(label, layout) for label in layout.labels if not label.text
        }
        plain |= dict.fromkeys(through.values())
        folded = {label.calls[0]: label for label in layout.labels if label.is_folded}
        heads, lit = [], []
        for line in layout.lines:
            name = self._line_name(line, folded)
            head = ""
            if line.is_result or line.call in folded:
                shape = _head(line, self._graph.outputs)
                heads.append(f'<path class="head" d="{shape}"/>')
                head = f'<path class="overhead" d="{shape}"/>'
            curves = "".join(_curves(line)) + (through.get(line.call, "") if line.is_result else "")
            lit.append(f'<g {part(name)}><path class="over" d="{curves}"/>{head}</g>')
        return f'<path d="{"".join(plain)}"/>{"".join(heads)}{"".join(lit)}'

    def _line_name(self, line: Line, folded: Mapping[int, CallLabel]) -> str:
        kind = "r" if line.is_result else f"a{line.argument}-"
        name = f"{self._prefix}{kind}{line.call}-{line.value}"
        if line.is_result:
            # The last layer of a folded chain makes the value that is seen.
            call = folded[line.call].calls[-1] if line.call in folded else line.call
            self.results[call, line.value] = name
        else:
            self.arguments[line.call, line.value] = name
        return name

    def label(self, label: CallLabel) -> str:
        """Draw the name of a layer, or the box of a folded chain."""
        name = f"{self._prefix}c{label.calls[0]}"
        if label.text:
            self.calls.update(dict.fromkeys(label.calls, name))
        kind = "shape folded" if label.is_folded else "label"
        return self._group(kind, name, label.place, label.text) if label.text else ""

    def box(self, box: ValueBox) -> str:
        """Draw the box of a value, with a place for a sign at its corner."""
        name = f"{self._prefix}v{box.value}"
        self.values[box.value] = name
        badge = self.badges[box.value] = f"{self._prefix}b{box.value}"
        note = self.notes[box.value] = f"{self._prefix}n{box.value}"
        kinds = {"input": self._graph.inputs, "output": self._graph.outputs}
        kind = " ".join(["shape", *(kind for kind, values in kinds.items() if box.value in values)])
        x, y = _at(box.place.right), _at(box.place.top)
        sign = (
            f'<g class="badge" {part(badge)}><circle cx="{x}" cy="{y}" r="9"/>'
            f'<text x="{x}" y="{y + 4}" {placeholder(badge)}></text></g>'
            f'<text class="note" x="{_at(box.place.left) + 3}" y="{y - 5}" '
            f"{placeholder(note)}></text>"
        )
        return self._group(kind, name, box.place, box.text) + sign

    def _group(self, kind: str, name: str, place: Rectangle, text: str) -> str:
        leads = ""
        if name in self._leads_to:
            target, called = self._leads_to[name]
            leads = f' data-go="{target}"'
            leads += f' aria-label="{html.escape(called)}"' if called else ""
        around = _rectangle(place, 0.035, 'class="around" ') if "output" in kind else ""
        return (
            f'<g class="{kind}" {part(name)}{leads}>{around}{_rectangle(place)}'
            f"{_text(place, text)}</g>"
        )


def _at(inches: float) -> int:
    return round(inches * _UNIT)


def _rectangle(place: Rectangle, grown: float = 0.0, attributes: str = "") -> str:
    return (
        f'<rect {attributes}x="{_at(place.left - grown)}" y="{_at(place.top - grown)}" '
        f'width="{_at(place.width + 2 * grown)}" height="{_at(place.height + 2 * grown)}" rx="8"/>'
    )


def _text(place: Rectangle, text: str) -> str:
    lines = text.split("\n")
    x, y = _at(place.x), _at(place.y) + 4
    if len(lines) == 1:
        return f'<text x="{x}" y="{y}">{html.escape(text)}</text>'
    first = y - 15 * (len(lines) - 1) / 2
    spans = "".join(
        f'<tspan x="{x}" y="{first + 15 * i:g}">{html.escape(line)}</tspan>'
        for i, line in enumerate(lines)
    )
    return f"<text>{spans}</text>"


def _curves(line: Line) -> Iterable[str]:
    """Return the single curves of a line, so that what two lines share is drawn once."""
    for first in range(0, len(line.points) - 1, 3):
        (x1, y1), *more = line.points[first : first + 4]
        if len({x for x, _ in more} | {x1}) == 1 or len({y for _, y in more} | {y1}) == 1:
            yield f"M{_at(x1)} {_at(y1)}L{_at(more[-1][0])} {_at(more[-1][1])}"
        else:
            rest = " ".join(f"{_at(x)} {_at(y)}" for x, y in more)
            yield f"M{_at(x1)} {_at(y1)}C{rest}"


def _through(label: CallLabel, layout: Layout) -> str:
    """Return the line through a label without text, from where lines arrive to where they leave."""
    ends = {line.points[-1] for line in layout.lines if _reads(line, label)}
    starts = {line.points[0] for line in layout.lines if _leaves(line, label)}
    return "".join(
        f"M{_at(a)} {_at(b)}L{_at(c)} {_at(d)}"
        for (a, b), (c, d) in itertools.product(ends, starts)
    )


def _reads(line: Line, label: CallLabel) -> bool:
    return line.call == label.calls[0] and not line.is_result


def _leaves(line: Line, label: CallLabel) -> bool:
    return line.call == label.calls[0] and line.is_result


def _head(line: Line, outputs: Collection[int]) -> str:
    x1, (x2, y2) = line.points[-2][0], line.points[-1]
    along = (0.0, 1.0) if abs(x1 - x2) < 1e-9 else (1.0, 0.0)
    back = 0.045 if line.is_result and line.value in outputs else 0.01
    x, y = x2 - back * along[0], y2 - back * along[1]
    base = (x - 0.095 * along[0], y - 0.095 * along[1])
    side = (0.045 * along[1], 0.045 * along[0])
    corners = [
        (x, y),
        (base[0] + side[0], base[1] + side[1]),
        (base[0] - side[0], base[1] - side[1]),
    ]
    return "M" + "L".join(f"{_at(a)} {_at(b)}" for a, b in corners) + "z"
