"""From a graph back to nodes, for a model that was copied or unpickled."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from hpml.symbolic.building.node import Concrete, Node, Size, TensorSpec, Unknown, Unpacking
from hpml.symbolic.errors import GraphError

from .data import Graph, Value


def nodes_from_graph(graph: Graph, layers: Sequence[nn.Module]) -> list[Node]:
    """Return a node for each value of a graph."""
    nodes: list[Node] = [None] * len(graph.values)  # type: ignore[list-item]
    for value in graph.inputs:
        about = graph.values[value]
        nodes[value] = Node(None, (), _spec(about), 0)
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
