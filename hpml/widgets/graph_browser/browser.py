"""The graph of a model, node by node: what a node is, where it comes from and who uses it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hpml.base.errors import describe
from hpml.base.page import asset
from hpml.base.tables import Table
from hpml.widgets.animation.animation import Animation, Keyframe, baked, placeholder
from hpml.widgets.animation.graph_picture import Picture, picture_of, standing_picture
from hpml.widgets.errors import WidgetError

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel


class Entry(NamedTuple):
    """One node of a graph, an input or an applied layer; other nodes are named by position."""

    name: str
    layer_type: str
    shapes: tuple[str, ...]
    kinds: tuple[str, ...]
    parents: tuple[int, ...]
    children: tuple[int, ...]
    parameters: tuple[tuple[str, tuple[int, ...]], ...]
    parameter_count: int
    is_output: bool
    values: tuple[int, ...]
    call: int | None


def entries(model: SymbolicModel) -> tuple[Entry, ...]:
    """Return the nodes of a model's graph: inputs first, then its layers in their order."""
    graph = model.graph
    maker = {value: place for place, value in enumerate(graph.inputs)}
    for place, call in enumerate(graph.calls, len(graph.inputs)):
        maker.update((result, place) for result in call.results if result is not None)
    parents: list[tuple[int, ...]] = [()] * len(graph.inputs)
    parents += [tuple(maker[argument] for argument in call.arguments) for call in graph.calls]
    children: dict[int, dict[int, None]] = {}
    for child, above in enumerate(parents):
        for parent in above:
            children.setdefault(parent, {})[child] = None

    single = len(graph.inputs) == 1
    made: list[tuple[str, str, tuple[int, ...], int | None, Any]] = [
        ("input" if single else f"input {i}", "input", (value,), None, None)
        for i, value in enumerate(graph.inputs, 1)
    ]
    layers = model.ordered_layers
    for position, call in enumerate(graph.calls):
        results = tuple(result for result in call.results if result is not None)
        made.append((call.name, call.layer_type, results, position, layers[position]))
    found = []
    for place, (name, layer_type, values, at, layer) in enumerate(made):
        parameters = [] if layer is None else list(layer.named_parameters())
        found.append(
            Entry(
                name,
                layer_type,
                tuple(graph.values[value].text() for value in values),
                tuple(graph.values[value].kind for value in values),
                parents[place],
                tuple(children.get(place, ())),
                tuple((label, tuple(parameter.shape)) for label, parameter in parameters),
                sum(parameter.numel() for _, parameter in parameters),
                not set(values).isdisjoint(graph.outputs),
                values,
                at,
            )
        )
    return tuple(found)


def graph_browser(model: SymbolicModel, *, title: str = "") -> Animation:
    """Return the picture of a model's graph, in which a reader goes from node to node.

    A node is chosen by a click, with Tab and Enter, from a list, or with the arrow keys; its
    parents and children light up, and beside the picture stands what is known about it.

    Raises:
        WidgetError: if `model` is no ``SymbolicModel``.
        DrawingError: if its graph is too large for a picture.

    >>> from torch import nn
    >>> from hpml.symbolic import Input, SymbolicModel
    >>> x = Input(shape=(4,))
    >>> graph_browser(SymbolicModel(x, nn.Linear(4, 2)(x)), title="Tiny")
    Tiny: 2 entries
      1. input: input, shape (None, 4), used by Linear_1
      2. Linear_1: Linear, shape (None, 2), from input, 10 parameters, output
    """
    from hpml.symbolic import SymbolicModel

    if not isinstance(model, SymbolicModel):
        raise WidgetError(
            f"graph_browser expects a SymbolicModel, got {describe(model)}; build one with "
            "SymbolicModel(inputs, outputs)."
        )
    found = entries(model)
    graph = model.graph
    picture = picture_of(
        graph,
        f"Graph of {len(found)} nodes",
        lambda value: graph.values[value].text(),
        lambda call: graph.calls[call].name,
        kind="browser",
        leads_to=_targets(found),
    )
    keyframes = [_keyframe(found, place, picture) for place in range(len(found))]
    template = _template(picture.svg)
    look = asset(__package__, "picture.css")
    image = standing_picture(picture, keyframes[0], f"Graph of {len(found)} nodes", look)
    return Animation(
        title or "The graph, node by node",
        template,
        keyframes,
        style=asset("hpml.widgets.animation", "graph.css")
        + look
        + asset(__package__, "browser.css"),
        kind="browser",
        still=baked(_template(image), keyframes[0]),
        table=_table(found),
        labels=[entry.name for entry in found],
    )


def _targets(found: Sequence[Entry]) -> dict[str, tuple[int, str]]:
    """Return where parts lead: labels to their layers, boxes to what makes them."""
    names: dict[str, tuple[int, str]] = {}
    for place, entry in enumerate(found):
        # One stop a node for the Tab key: the label where there is one.
        called = entry.name if entry.call is None else ""
        names |= {f"v{value}": (place, called) for value in entry.values}
        if entry.call is not None:
            names[f"c{entry.call}"] = (place, entry.name)
    return names


def _keyframe(found: Sequence[Entry], place: int, picture: Picture) -> Keyframe:
    entry = found[place]
    groups = [("child", entry.children), ("parent", entry.parents), ("chosen", (place,))]
    marks: dict[str, str] = {}
    for state, places in groups:
        for other in (found[i] for i in places):
            marks |= {picture.values[value]: state for value in other.values}
            if other.call is not None:
                marks[picture.calls[other.call]] = state
    marks[picture.values[entry.values[0]]] += " here"
    if entry.call is not None:
        reads = [v for i in entry.parents for v in found[i].values]
        lines = [(entry.call, value, False) for value in reads]
        lines += [(entry.call, value, True) for value in entry.values]
        marks |= {picture.lines[line]: "lit" for line in lines if line in picture.lines}
    line = _line(found, entry)
    return Keyframe(line, marks=marks, pieces={"about": _about(found, entry)})


def _line(found: Sequence[Entry], entry: Entry) -> str:
    parts = [f"{entry.name}: {entry.layer_type}", f"shape {' and '.join(entry.shapes)}"]
    if entry.parents:
        parts.append(f"from {_listed(found, entry.parents)}")
    if entry.children:
        parts.append(f"used by {_listed(found, entry.children)}")
    if entry.parameter_count:
        parts.append(f"{entry.parameter_count:,} parameters")
    return ", ".join([*parts, *(["output"] if entry.is_output else [])])


def _listed(found: Sequence[Entry], places: Sequence[int]) -> str:
    return " and ".join(found[place].name for place in places) or "–"


def _about(found: Sequence[Entry], entry: Entry) -> str:
    def buttons(places: Sequence[int]) -> str:
        made = [
            f'<button type="button" data-go="{place}">{html.escape(found[place].name)}</button>'
            for place in places
        ]
        return "".join(made) or "none"

    values = "<br>".join(
        f"<code>{html.escape(shape)}</code> {html.escape(kind) if kind != shape else ''}"
        for shape, kind in zip(entry.shapes, entry.kinds, strict=True)
    )
    parameters = "<br>".join(
        f"<code>{html.escape(name)}</code> {html.escape(str(shape))}"
        for name, shape in entry.parameters
    )
    total = f"{entry.parameter_count:,} in all" if len(entry.parameters) > 1 else ""
    both = "<br>".join(filter(None, [parameters, total])) or "none"
    role = " (output of the model)" if entry.is_output else ""
    return (
        f"<h4>{html.escape(entry.name)}</h4><dl>"
        f"<dt>type</dt><dd>{html.escape(entry.layer_type)}{role}</dd>"
        f"<dt>shape</dt><dd>{values}</dd>"
        f'<dt>parents</dt><dd class="parents">{buttons(entry.parents)}</dd>'
        f'<dt>children</dt><dd class="children">{buttons(entry.children)}</dd>'
        f"<dt>parameters</dt><dd>{both}</dd></dl>"
    )


def _template(drawing: str) -> str:
    return (
        f'<div class="sides"><div class="drawing hpml-animation-scroll">{drawing}</div>'
        f'<div class="about" {placeholder("about")}></div></div>'
    )


def _table(found: Sequence[Entry]) -> Table:
    rows = [
        [
            entry.name,
            entry.layer_type,
            " and ".join(entry.shapes),
            _listed(found, entry.parents),
            _listed(found, entry.children),
            entry.parameter_count,
        ]
        for entry in found
    ]
    columns = ["node", "type", "shape", "parents", "children", "parameters"]
    return Table(columns, rows, formats={"parameters": "{:,}".format})
