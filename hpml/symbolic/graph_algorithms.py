"""Draw graphs: choose the part of a graph and its labels; `hpml.base.drawing` does the layout.

The module has its name from pytorch-symbolic.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from torch import nn

from hpml.base.drawing import DrawingError, Look, draw, lay_out

from .building.handles import SymbolicData, as_handles, handle_of
from .building.interception import handle_token
from .building.node import Node, oldest_first
from .errors import ArgumentError, GraphError
from .graph import Graph, collect
from .symbolic_model import SymbolicModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LONGEST_LINE = 60
_MOST_LINES = 8
_IPYTHON_NAMES = re.compile(r"_+\d*|_i\d*")  # the history of results and inputs


class _Part(NamedTuple):
    """A graph to draw, with the layer and label of each call and the node of each value."""

    graph: Graph
    layers: Sequence[nn.Module]
    nodes: list[Node]
    names: list[str]
    outside: frozenset[int]  # values that the part needs and that are not among the given inputs


def draw_graph(
    *,
    model: SymbolicModel | None = None,
    inputs: Iterable[SymbolicData] | SymbolicData | None = None,
    outputs: Iterable[SymbolicData] | SymbolicData | None = None,
    node_text_func: Callable[[Any], str] | None = None,
    edge_text_func: Callable[[nn.Module], str] | None = None,
    node_text_namespace: Mapping[str, Any] | None = None,
    rotate_graph: bool = False,
    rotate_labels: bool = False,
    show: bool = False,
    figsize: tuple[float, float] | None = None,
    ax: Axes | None = None,
    highlight: Collection[SymbolicData | int] = (),
) -> Figure:
    """Draw a small graph: values as boxes, layers as labels on the lines between them.

    Pass a model, or inputs, or outputs, or both of the latter. Inputs alone draw all living values
    computed from them; other values that these need have a dotted outline. Outputs alone draw
    everything from which they are computed. Straight chains of more than 12 layers are folded.

    Args:
        model: the model to draw; labels are then the names of its layers.
        inputs: symbolic data, one or a list.
        outputs: symbolic data, one or a list.
        node_text_func: from symbolic data to the text in its box; the shape by default.
        edge_text_func: from a layer to its text; its name by default.
        node_text_namespace: names of values to show, such as ``globals()``.
        rotate_graph: draw from left to right instead of from top to bottom.
        rotate_labels: turn the labels to run along their lines.
        show: call ``matplotlib.pyplot.show``; otherwise no figure is left open.
        figsize: width and height in inches. By default the size grows with the graph.
        ax: draw here instead of on a new figure.
        highlight: values to highlight: symbolic data, or their numbers in ``model.graph``.

    Returns:
        The figure. A notebook shows it as the last line of a cell.

    Raises:
        ArgumentError: there is nothing to draw, or a model together with inputs or outputs, or an
            argument is not symbolic data.
        ForeignNodeError: with inputs and outputs, an output needs another input.
        GraphError: the graph has more than 150 boxes after folding.

    >>> from hpml.symbolic import Input
    >>> x = Input(shape=(4,))
    >>> y = nn.Linear(4, 2)(x)
    >>> figure = draw_graph(inputs=x, outputs=y)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['Linear', '(None, 4)', '(None, 2)']
    """
    part = _choose(model, inputs, outputs)
    lit = _numbers_of(part, highlight)
    node_text = _node_text(part, node_text_func, node_text_namespace)

    def edge_text(call: int) -> str:
        if edge_text_func is not None:
            return _shortened(edge_text_func(part.layers[call]))
        return _shortened(part.names[call])

    try:
        layout = lay_out(
            part.graph, node_text, edge_text, rotated=rotate_graph, turn_labels=rotate_labels
        )
    except DrawingError as error:
        raise GraphError(
            object=error.object,
            expected=error.expected,
            received=error.received,
            remedy="Draw a part of it, draw_graph(inputs=..., outputs=...), or print "
            "model.summary().",
        ) from None
    look = Look(
        inputs=frozenset(part.graph.inputs) - part.outside,
        outputs=frozenset(part.graph.outputs),
        outside=part.outside,
        lit=lit,
        lit_calls=frozenset(
            position
            for position, call in enumerate(part.graph.calls)
            if not lit.isdisjoint(call.results)
        ),
        turn_labels=rotate_labels and not rotate_graph,
    )
    return draw(layout, look, figsize=figsize, ax=ax, show=show)


# --- the part to draw -----------------------------------------------------------------------------


def _choose(model: Any, inputs: Any, outputs: Any) -> _Part:
    if model is not None and inputs is None and outputs is None:
        if not isinstance(model, SymbolicModel):
            raise ArgumentError(
                object="model",
                expected="a SymbolicModel",
                received=type(model).__name__,
                remedy="Build one with SymbolicModel(inputs, outputs): only those have a graph.",
            )
        names = [  # a repeated call of a layer also has the name of the first
            call.name if call.name == call.module else f"{call.name} (= {call.module})"
            for call in model.graph.calls
        ]
        return _Part(model.graph, model.ordered_layers, model._nodes, names, frozenset())
    if model is not None or (inputs is None and outputs is None):
        raise ArgumentError(
            object="draw_graph",
            expected="a model, or inputs= and outputs= or one of them",
            received="both" if model is not None else "none of them",
            remedy="Pass draw_graph(model=model) or draw_graph(inputs=x, outputs=y).",
        )
    input_nodes = [] if inputs is None else [h._node for h in as_handles("inputs", inputs)]
    output_nodes = [] if outputs is None else [h._node for h in as_handles("outputs", outputs)]
    outside: list[Node] = []
    if inputs is None:
        input_nodes = [node for node in oldest_first(output_nodes) if node.layer is None]
    elif outputs is None:
        output_nodes, outside = _descendants(input_nodes)
    collected = collect([*input_nodes, *outside], output_nodes)
    names = [
        collected.nodes[next(filter(None, call.results))].custom_name or call.layer_type
        for call in collected.graph.calls
    ]
    numbers = frozenset(range(len(input_nodes), len(input_nodes) + len(outside)))
    return _Part(collected.graph, collected.layers, collected.nodes, names, numbers)


def _descendants(nodes: list[Node]) -> tuple[list[Node], list[Node]]:
    """Return the living descendants without children, and other nodes that descendants need."""
    found, waiting = set(nodes), list(nodes)
    while waiting:
        for child in waiting.pop().living_children():
            if child not in found:
                found.add(child)
                waiting.append(child)
    below = found.difference(nodes)
    ends = below.difference(*[node.parents for node in below])
    outside = {parent for node in below for parent in node.parents if parent not in found}
    age = operator.attrgetter("index")
    return sorted(ends, key=age), sorted(outside, key=age)


def _numbers_of(part: _Part, highlight: Collection[SymbolicData | int]) -> frozenset[int]:
    number_of = {node: number for number, node in enumerate(part.nodes)}
    count = len(part.graph.values)
    numbers = set()
    for value in highlight:
        number = number_of.get(value._node) if isinstance(value, SymbolicData) else value
        if not isinstance(number, int) or not 0 <= number < count:
            raise ArgumentError(
                object="highlight",
                expected="values of the graph that is drawn, symbolic data or numbers from 0 to "
                f"{count - 1}",
                received=repr(value),
                remedy="Pass values on a path between the inputs and outputs that are drawn.",
            )
        numbers.add(number)
    return frozenset(numbers)


# --- labels ---------------------------------------------------------------------------------------


def _node_text(
    part: _Part,
    function: Callable[[Any], str] | None,
    namespace: Mapping[str, Any] | None,
) -> Callable[[int], str]:
    names = {
        value._node: name
        for name, value in reversed(list((namespace or {}).items()))
        if isinstance(value, SymbolicData) and not _IPYTHON_NAMES.fullmatch(name)
    }

    def text(number: int) -> str:
        if not part.nodes:  # the model is a copy
            return _shortened(part.graph.values[number].text())
        node = part.nodes[number]
        if function is not None:
            return _shortened(function(handle_of(node, handle_token())))
        about = part.graph.values[number].text()
        return _shortened(f"{names[node]}\n{about}" if node in names else about)

    return text


def _shortened(text: object) -> str:
    """Return a text that fits into a box."""
    lines = str(text).expandtabs(4).splitlines()[:_MOST_LINES]
    return "\n".join([line[:_LONGEST_LINE] for line in lines])
