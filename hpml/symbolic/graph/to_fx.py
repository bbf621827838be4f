"""Hand a graph to ``torch.fx``, and so to the tools that are built on it."""

from __future__ import annotations

import operator

from torch import fx, nn

from .data import Graph


def graph_module(model: nn.Module, graph: Graph) -> fx.GraphModule:
    """Return a GraphModule with the layers of ``model``, one ``call_module`` node for each call.

    Unpacking becomes one ``operator.getitem`` for each result that is used.
    """
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
        made[result] = fx_graph.call_module(call.module, arguments)
    outputs = tuple(made[value] for value in graph.outputs)
    fx_graph.output(outputs[0] if len(outputs) == 1 else outputs)
    fx_graph.lint()
    return fx.GraphModule(model, fx_graph, class_name=type(model).__name__)
