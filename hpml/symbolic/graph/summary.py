"""The summary of a model as a table of text."""

from __future__ import annotations

from collections.abc import Sequence

from torch import nn

from hpml.symbolic.model_tools import get_parameter_count

from .data import Graph

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
        rows.append([first, f"Input_{len(rows)}", graph.values[value].text(), "0", ""])
    for call, layer in zip(graph.calls, layers, strict=True):
        results = [result for result in call.results if result is not None]
        parents = ",".join(str(row_of[argument]) for argument in call.arguments)
        shape = ", ".join(graph.values[result].text() for result in results)
        rows.append([label(results), call.name, shape, str(get_parameter_count(layer)), parents])
    return rows
