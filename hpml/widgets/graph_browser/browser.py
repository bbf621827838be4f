"""Show a model's graph node by node, with the details and neighbours of each."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from hpml.base.errors import describe
from hpml.base.page import asset
from hpml.base.tables import Table
from hpml.widgets.animation.animation import Animation, Keyframe, placeholder
from hpml.widgets.animation.graph_picture import Picture, picture_of
from hpml.widgets.errors import WidgetError

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel
    from hpml.symbolic.graph import Graph


@dataclass
class Node:
    """An input or a call of a layer; `parents` and `children` are indices of nodes."""

    name: str
    layer_type: str
    values: tuple[int, ...]
    parents: tuple[int, ...] = ()
    call: int | None = None
    layer: Any = None
    children: list[int] = field(default_factory=list)

    @property
    def parameter_count(self) -> int:
        return 0 if self.layer is None else sum(p.numel() for p in self.layer.parameters())


def nodes(model: SymbolicModel) -> list[Node]:
    """Return the nodes of a model's graph: inputs, then layers in topological order."""
    graph = model.graph
    names = [f"input {i}" for i, _ in enumerate(graph.inputs, 1)]
    names = ["input"] if len(names) == 1 else names
    result = [Node(name, "input", (v,)) for name, v in zip(names, graph.inputs, strict=True)]
    maker = {value: index for index, value in enumerate(graph.inputs)}
    for number, (call, layer) in enumerate(zip(graph.calls, model.ordered_layers, strict=True)):
        values = tuple(value for value in call.results if value is not None)
        parents = tuple(dict.fromkeys(maker[argument] for argument in call.arguments))
        maker |= dict.fromkeys(values, len(result))
        for parent in parents:
            result[parent].children.append(len(result))
        result.append(Node(call.name, call.layer_type, values, parents, number, layer))
    return result


def graph_browser(model: SymbolicModel, *, title: str = "", max_height: float = 5.2) -> Animation:
    """Return the picture of a model's graph, in which the reader moves from node to node.

    The reader chooses a node by a click, with Tab and Enter, from a list, or with the arrow keys;
    its parents and children are highlighted, and its details are beside the picture.

    Args:
        model: the model whose graph is shown.
        title: the heading of the picture.
        max_height: the greatest height in inches of a graph that is drawn downwards; a higher one
            is drawn to the right.

    Raises:
        WidgetError: if `model` is not a ``SymbolicModel``.
        DrawingError: if its graph is too large for a picture.

    >>> from torch import nn
    >>> from hpml.symbolic import Input, SymbolicModel
    >>> x = Input(shape=(4,))
    >>> graph_browser(SymbolicModel(x, nn.Linear(4, 2)(x)), title="Tiny")
    Tiny: 2 states
      1. input: input, shape (None, 4), used by Linear_1
      2. Linear_1: Linear, shape (None, 2), from input, 10 parameters, output
    """
    from hpml.symbolic import SymbolicModel

    if not isinstance(model, SymbolicModel):
        raise WidgetError(
            object="model of graph_browser",
            expected="a SymbolicModel",
            received=describe(model),
            remedy="Build one with SymbolicModel(inputs, outputs).",
        )
    all_nodes, graph = nodes(model), model.graph
    links: dict[str, tuple[int, str]] = {}
    for index, node in enumerate(all_nodes):
        # The Tab key stops once per node: at the label of a layer, or the box of an input.
        links |= {f"v{value}": (index, node.name * (node.call is None)) for value in node.values}
        links |= {} if node.call is None else {f"c{node.call}": (index, node.name)}
    picture = picture_of(
        graph,
        f"Graph of {len(all_nodes)} nodes",
        lambda value: graph.values[value].text(),
        lambda call: graph.calls[call].name,
        kind="browser",
        links=links,
        max_height=max_height,
    )
    view = _View(graph, all_nodes, picture)
    columns = ["node", "type", "shape", "parents", "children", "parameters"]
    return Animation(
        title or "The graph, node by node",
        f'<div class="sides"><div class="drawing hpml-animation-scroll">{picture.svg}</div>'
        f'<div class="about" {placeholder("about")}></div></div>',
        [view.keyframe(node) for node in all_nodes],
        style=asset("hpml.widgets.animation", "graph.css")
        + asset(__package__, "picture.css")
        + asset(__package__, "browser.css"),
        kind="browser",
        table=Table(
            columns, [view.row(node) for node in all_nodes], formats={"parameters": "{:,}".format}
        ),
        labels=[node.name for node in all_nodes],
    )


class _View(NamedTuple):
    graph: Graph
    nodes: Sequence[Node]
    picture: Picture

    def keyframe(self, node: Node) -> Keyframe:
        picture, marks = self.picture, dict[str, str]()
        groups = {"child": node.children, "parent": node.parents}
        states = [(state, self.nodes[i]) for state, indices in groups.items() for i in indices]
        for state, other in [*states, ("chosen", node)]:
            marks |= {picture.values[value]: state for value in other.values}
            marks |= {} if other.call is None else {picture.calls[other.call]: state}
        marks[picture.values[node.values[0]]] += " here"
        if node.call is not None:
            reads = [value for i in node.parents for value in self.nodes[i].values]
            lines = [(node.call, value, False) for value in reads]
            lines += [(node.call, value, True) for value in node.values]
            marks |= {picture.lines[line]: "lit" for line in lines if line in picture.lines}
        return Keyframe(self._line(node), marks=marks, pieces={"about": self._about(node)})

    def row(self, node: Node) -> list[object]:
        neighbours = map(self._names, (node.parents, node.children))
        return [node.name, node.layer_type, self._shapes(node), *neighbours, node.parameter_count]

    def _line(self, node: Node) -> str:
        _, kind, shape, parents, children, count = self.row(node)
        parts = [f"{node.name}: {kind}", f"shape {shape}"]
        parts += [f"from {parents}"] * bool(node.parents)
        parts += [f"used by {children}"] * bool(node.children)
        parts += [f"{count:,} parameters"] * bool(count)
        return ", ".join([*parts, *(["output"] * self._is_output(node))])

    def _names(self, indices: Sequence[int]) -> str:
        return " and ".join(self.nodes[index].name for index in indices) or "–"

    def _shapes(self, node: Node) -> str:
        return " and ".join(self.graph.values[value].text() for value in node.values)

    def _is_output(self, node: Node) -> bool:
        return not set(node.values).isdisjoint(self.graph.outputs)

    def _about(self, node: Node) -> str:
        def buttons(indices: Sequence[int]) -> str:
            return (
                "".join(
                    f'<button type="button" data-go="{index}">'
                    f"{html.escape(self.nodes[index].name)}</button>"
                    for index in indices
                )
                or "none"
            )

        values = [self.graph.values[value] for value in node.values]
        shapes = "<br>".join(
            f"<code>{html.escape(value.text())}</code> "
            f"{html.escape(value.kind) if value.kind != value.text() else ''}"
            for value in values
        )
        named = () if node.layer is None else node.layer.named_parameters()
        parts = [f"<code>{html.escape(name)}</code> {tuple(each.shape)}" for name, each in named]
        parts += [f"{node.parameter_count:,} in total"] * (len(parts) > 1)
        role = " (output of the model)" if self._is_output(node) else ""
        return (
            f'<p class="head">{html.escape(node.name)}</p><dl>'
            f"<dt>type</dt><dd>{html.escape(node.layer_type)}{role}</dd>"
            f"<dt>shape</dt><dd>{shapes}</dd>"
            f'<dt>parents</dt><dd class="parents">{buttons(node.parents)}</dd>'
            f'<dt>children</dt><dd class="children">{buttons(node.children)}</dd>'
            f"<dt>parameters</dt><dd>{'<br>'.join(parts) or 'none'}</dd></dl>"
        )
