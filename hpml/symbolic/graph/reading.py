"""What is read off a graph: its summary, a torch.fx module, and nodes for a copied model."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import torch
from torch import fx, nn

from hpml.symbolic.building.node import Concrete, Node, Size, TensorSpec, Unknown, Unpacking
from hpml.symbolic.building.recording import note_effects
from hpml.symbolic.errors import GraphError
from hpml.symbolic.model_tools import get_parameter_count

from .data import Graph, Value

GAP = "   "


def summary_text(model: nn.Module, graph: Graph, layers: Sequence[nn.Module]) -> str:
    """Return the table that ``model.summary()`` prints.

    Outputs carry a star; an unknown batch size is shown as ``None``; ``Parent`` holds the rows that
    a layer takes its arguments from.
    """
    rows = _rows(graph, layers)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "".join(cell.ljust(w) + GAP for cell, w in zip(row, widths, strict=True)) for row in rows
    ]
    total = sum(widths) + len(GAP) * len(widths)
    parameters = get_parameter_count(model)
    trainable = get_parameter_count(model, only_trainable=True)
    return "\n".join(
        [
            "_" * total,
            lines[0],
            "=" * total,
            *lines[1:],
            "=" * total,
            f"Total params: {parameters}",
            f"Trainable params: {trainable}",
            f"Non-trainable params: {parameters - trainable}",
            "_" * total,
        ]
    )


def _rows(graph: Graph, layers: Sequence[nn.Module]) -> list[list[str]]:
    outputs = set(graph.outputs)
    rows = [["", "Layer", "Output shape", "Params", "Parent"]]
    row_of: dict[int, int] = {}

    def label(values: list[int]) -> str:
        for value in values:
            row_of[value] = len(rows)
        return f"{len(rows)}" + ("*" if outputs.intersection(values) else "")

    for value in graph.inputs:
        first = label([value])
        name = graph.values[value].name or f"Input_{len(rows)}"
        rows.append([first, name, graph.values[value].text(), "0", ""])
    for call, layer in zip(graph.calls, layers, strict=True):
        results = [result for result in call.results if result is not None]
        parents = ",".join(str(row_of[argument]) for argument in call.arguments)
        shape = ", ".join(graph.values[result].text() for result in results)
        rows.append([label(results), call.name, shape, str(get_parameter_count(layer)), parents])
    return rows


def graph_module(model: nn.Module, graph: Graph) -> fx.GraphModule:
    """Return a GraphModule with the layers of ``model``, one ``call_module`` node for each call.

    Unpacking becomes one ``operator.getitem`` for each result that is used.
    """
    fx_graph = fx.Graph()
    made: dict[int, fx.Node] = {}
    for position, value in enumerate(graph.inputs):
        made[value] = fx_graph.placeholder(graph.values[value].name or f"input_{position}")
    for call in graph.calls:
        if call.unpacks:
            for position, result in enumerate(call.results):
                if result is not None:
                    source = made[call.arguments[0]]
                    made[result] = fx_graph.call_function(operator.getitem, (source, position))
            continue
        arguments = tuple(made[argument] for argument in call.arguments)
        (result,) = call.results
        assert result is not None  # only unpacking leaves results out
        made[result] = fx_graph.call_module(call.module, arguments)
    outputs = tuple(made[value] for value in graph.outputs)
    fx_graph.output(graph.named(outputs[0] if len(outputs) == 1 else outputs))
    fx_graph.lint()
    return fx.GraphModule(model, fx_graph, class_name=type(model).__name__)


def nodes_from_graph(graph: Graph, layers: Sequence[nn.Module]) -> list[Node]:
    """Return a node for each value of a graph."""
    nodes: list[Node] = [None] * len(graph.values)  # type: ignore[list-item]
    for value in graph.inputs:
        about = graph.values[value]
        nodes[value] = Node(None, (), _spec(about), 0, about.name or None)
        nodes[value].sizes_read = about.sizes_read
    for call, layer in zip(graph.calls, layers, strict=True):
        parents = tuple(nodes[argument] for argument in call.arguments)
        depth = max(parent.depth for parent in parents) + 1
        group = Unpacking(len(call.results)) if call.unpacks else None
        for position, result in enumerate(call.results):
            if result is None:
                continue
            about = graph.values[result]
            name = None if call.name.rpartition("_")[0] == call.layer_type else call.name
            node = Node(layer, parents, _spec(about), depth, name, call.origin)
            node.unpacking, node.position = group, position
            if call.effects is not None:
                note_effects(node, parents[call.effects.argument], call.effects, call.layer_type)
            nodes[result] = node
    return nodes


def _spec(value: Value) -> TensorSpec | Concrete:
    if value.shape is None:
        return Concrete((type(value.kind, (_Unknown,), {})(),), is_real=False)
    shape: tuple[Size, ...] = value.examples[0] if value.examples else value.shape  # type: ignore[assignment]
    if value.examples:
        per_size = zip(value.shape, zip(*value.examples, strict=True), strict=True)
        shape = tuple([Unknown(*sizes) if size is None else size for size, sizes in per_size])
    return TensorSpec(shape, getattr(torch, value.kind))


class _Unknown:
    """Stands for an example object that a copied model no longer has, under the same type name."""

    def __getattr__(self, name: str) -> object:
        raise GraphError(
            f"this copy of a model has no example of its {type(self).__name__}: read "
            "attributes on the original model's symbolic data"
        )
