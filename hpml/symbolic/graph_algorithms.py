"""Pictures of graphs: `draw_graph`.

Which part of which graph, and what is written where, is decided here; where it stands and how it
looks by `hpml.base.drawing`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from torch import nn

from hpml.base.drawing import DrawingError, Look, draw, lay_out

from .building.handles import SymbolicData, as_handles, handle_of
from .building.interception import handle_token
from .building.node import Concrete, Node, layer_name, oldest_first
from .errors import ArgumentError, GraphError
from .graph import Graph, check_inputs, collect
from .symbolic_model import SymbolicModel
from .useful_layers import GetAttr

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LONGEST_LINE = 60
_MOST_LINES = 8
_LAST_RESULTS = re.compile(r"_+\d*|_i\d*")  # what IPython keeps under these names


class _Part(NamedTuple):
    """What is drawn: a graph, the layer of each call, the node of each value, what to call calls.

    ``outside`` holds the values that come from outside the part.
    """

    graph: Graph
    layers: Sequence[nn.Module]
    nodes: list[Node]
    names: list[str]
    outside: frozenset[int]


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

    Give a model, or inputs, or outputs, or both. Inputs alone mean everything below them that is
    alive; what this needs from elsewhere has a dotted outline. Outputs alone mean everything above
    them. Straight chains of more than 12 layers are folded. The picture is the same from run to
    run, and its size grows with the graph, so that texts never overlap.

    Args:
        model: the model to draw; labels are then the names of its layers.
        inputs: symbolic data, one or several.
        outputs: symbolic data, one or several.
        node_text_func: from symbolic data to the text in its box; the shape by default, with
            ``None`` for an unknown batch size.
        edge_text_func: from a layer to its text; its name by default.
        node_text_namespace: such as ``globals()``: a value that is in it is called by its name.
            Ignored if ``node_text_func`` is given.
        rotate_graph: draw consecutive layers to the right, not downwards.
        rotate_labels: turn the labels to run along their lines.
        show: call ``matplotlib.pyplot.show``; else no figure is left open.
        figsize: width and height in inches instead of those that suit the graph; everything,
            text too, is scaled to fit.
        ax: draw here instead of on a new figure; everything is scaled to fit.
        highlight: values to light up: symbolic data, or their numbers in ``model.graph``.

    Returns:
        The figure. In a notebook, as the last line of a cell, it is shown.

    Raises:
        ArgumentError: nothing to draw is given, or a model and more, or something that is not
            symbolic data.
        ForeignNodeError: with inputs and outputs, an output needs another input.
        GraphError: the graph has more than 150 boxes, long chains folded.

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
            f"{error}, draw_graph(inputs=..., outputs=...), or print model.summary()"
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


# --- what is drawn --------------------------------------------------------------------------------


def _choose(model: Any, inputs: Any, outputs: Any) -> _Part:
    if model is not None and inputs is None and outputs is None:
        if not isinstance(model, SymbolicModel):
            raise ArgumentError(
                f"model expected a SymbolicModel, received {type(model).__name__}: only those "
                "have a graph; build one with SymbolicModel(inputs, outputs)"
            )
        layers = model._execution_order_layers
        names = _model_names(model.graph, layers)
        return _Part(model.graph, layers, model._nodes, names, frozenset())
    if model is not None or (inputs is None and outputs is None):
        raise ArgumentError(
            "draw_graph expected a model, or inputs= and outputs= or one of them, received "
            f"{'both' if model is not None else 'none of them'}"
        )
    given = [] if inputs is None else _nodes("inputs", inputs)
    wanted = [] if outputs is None else _nodes("outputs", outputs)
    outside: list[Node] = []
    if inputs is None:
        given = [node for node in oldest_first(*wanted) if node.layer is None]
    elif outputs is None:
        wanted, outside = _ends_below(given)
    check_inputs(given)
    collected = collect([*given, *outside], wanted)
    names = [
        _own_name(layer)
        or collected.nodes[_first_result(call.results)].custom_name
        or layer_name(layer)
        for call, layer in zip(collected.graph.calls, collected.layers, strict=True)
    ]
    numbers = frozenset(range(len(given), len(given) + len(outside)))
    return _Part(collected.graph, collected.layers, collected.nodes, names, numbers)


def _nodes(what: str, given: Any) -> list[Node]:
    several = isinstance(given, Iterable) and not isinstance(given, SymbolicData)
    return [handle._node for handle in as_handles(what, list(given) if several else given)]


def _ends_below(nodes: list[Node]) -> tuple[list[Node], list[Node]]:
    """Return the living values below nodes that nothing reads, and what all this needs besides."""
    known, waiting = set(nodes), list(nodes)
    while waiting:
        for child in waiting.pop().living_children():
            if child not in known:
                known.add(child)
                waiting.append(child)
    below = known.difference(nodes)
    ends = below.difference(*[node.parents for node in below])
    outside = {parent for node in below for parent in node.parents if parent not in known}
    return sorted(ends, key=_age), sorted(outside, key=_age)


def _age(node: Node) -> int:
    return node.index


def _first_result(results: tuple[int | None, ...]) -> int:
    return next(result for result in results if result is not None)


def _numbers_of(part: _Part, highlight: Collection[SymbolicData | int]) -> frozenset[int]:
    number_of = {node: number for number, node in enumerate(part.nodes)}
    count = len(part.graph.values)
    numbers = set()
    for wanted in highlight:
        number = number_of.get(wanted._node) if isinstance(wanted, SymbolicData) else wanted
        if not isinstance(number, int) or not 0 <= number < count:
            raise ArgumentError(
                f"highlight expected values of the graph that is drawn, symbolic data or numbers "
                f"from 0 to {count - 1}, received {wanted!r}"
            )
        numbers.add(number)
    return frozenset(numbers)


# --- what is written ------------------------------------------------------------------------------


def _model_names(graph: Graph, layers: Sequence[nn.Module]) -> list[str]:
    """Return the name of each call's layer; a layer used again also says which one it is."""
    first: dict[nn.Module, str] = {}
    names = []
    for call, layer in zip(graph.calls, layers, strict=True):
        earlier = first.setdefault(layer, call.name)
        again = "" if earlier == call.name else f" (= {earlier})"
        names.append(_own_name(layer) or call.name + again)
    return names


def _own_name(layer: nn.Module) -> str:
    return f".{layer.name}" if isinstance(layer, GetAttr) else ""


def _node_text(
    part: _Part,
    function: Callable[[Any], str] | None,
    namespace: Mapping[str, Any] | None,
) -> Callable[[int], str]:
    names = {
        value._node: name
        for name, value in reversed(list((namespace or {}).items()))
        if isinstance(value, SymbolicData) and not _LAST_RESULTS.fullmatch(name)
    }

    def text(number: int) -> str:
        if not part.nodes:  # of a copy
            return _shortened(part.graph.values[number].text())
        node = part.nodes[number]
        if function is not None:
            return _shortened(function(handle_of(node, handle_token())))
        about = _concrete_text(node) or part.graph.values[number].text()
        return _shortened(f"{names[node]}\n{about}" if node in names else about)

    return text


def _concrete_text(node: Node) -> str:
    """Return what a value that is not a tensor is called, such as ``list(3)``."""
    if not isinstance(node.spec, Concrete) or not node.spec.is_real:
        return ""
    value = node.spec.value
    size = f"({len(value)})" if hasattr(value, "__len__") else ""
    return "callable" if callable(value) else type(value).__name__ + size


def _shortened(text: object) -> str:
    """Return a text that a box can hold."""
    lines = [
        line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…"
        for line in str(text).expandtabs(4).splitlines()
    ]
    return "\n".join(lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], "…"])
