"""Two other forms of a graph: a summary table and a torch.fx module."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from torch import fx, nn

from hpml.symbolic.model_tools import get_parameter_count

from .data import Graph

GAP = "   "


def summary_text(model: nn.Module, graph: Graph, layers: Sequence[nn.Module]) -> str:
    """Return the table that ``model.summary()`` prints; a star marks the outputs."""
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


def graph_module(model: nn.Module, graph: Graph, names: Sequence[str]) -> fx.GraphModule:
    """Return a GraphModule with the layers of ``model``; unpacking becomes ``operator.getitem``."""
    fx_graph = fx.Graph()
    fx_nodes: dict[int, fx.Node] = {}
    for name, value in zip(names, graph.inputs, strict=True):
        fx_nodes[value] = fx_graph.placeholder(name)
    for call in graph.calls:
        if call.unpacks:
            for position, result in enumerate(call.results):
                if result is not None:
                    source = fx_nodes[call.arguments[0]]
                    fx_nodes[result] = fx_graph.call_function(operator.getitem, (source, position))
            continue
        arguments = tuple(fx_nodes[argument] for argument in call.arguments)
        (result,) = call.results
        assert result is not None  # only unpacking leaves results out
        fx_nodes[result] = fx_graph.call_module(call.module, arguments)
    outputs = tuple(fx_nodes[value] for value in graph.outputs)
    fx_graph.output(graph.named(outputs[0] if len(outputs) == 1 else outputs))
    fx_graph.lint()
    return fx.GraphModule(model, fx_graph, class_name=type(model).__name__)
