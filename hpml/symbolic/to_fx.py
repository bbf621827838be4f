"""Hand a graph to ``torch.fx``, and so to the tools that are built on it."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from torch import fx

if TYPE_CHECKING:
    from .symbolic_model import SymbolicModel


def graph_module(model: SymbolicModel) -> fx.GraphModule:
    """Return a GraphModule with the model's layers and one ``call_module`` node for each call.

    Unpacking becomes one ``operator.getitem`` for each result that is used.
    """
    graph = model.graph
    fx_graph = fx.Graph()
    made: dict[int, fx.Node] = {}
    for position, value in enumerate(graph.inputs):
        made[value] = fx_graph.placeholder(f"input_{position}")
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
        made[result] = fx_graph.call_module(call.name, arguments)
    outputs = tuple(made[value] for value in graph.outputs)
    fx_graph.output(outputs[0] if len(outputs) == 1 else outputs)
    fx_graph.lint()
    return fx.GraphModule(model, fx_graph, class_name=type(model).__name__)
