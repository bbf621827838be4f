"""The nodes of a model as plain data, so that a copied or loaded model has symbolic data again.

Nodes refer to the layers of their model, to each other and weakly to handles. A copy stores what
the graph does not tell about them, and makes them with its own layers when they are asked for.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any, NamedTuple

from torch import nn

from hpml.symbolic.building.node import Change, Concrete, Effects, Memory, Node, Spec

from .data import Graph


class _Record(NamedTuple):
    """One node; other nodes are given by their numbers, and None is a node outside of the graph."""

    spec: Spec | None
    depth: int
    custom_name: str | None
    modes: int
    example: Any
    effects: Effects | None
    memory: int | None
    same: int | None
    sizes_read: bool


class StoredNodes:
    """The nodes of the values of a graph, without layers."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        number = {node: position for position, node in enumerate(nodes)}
        memories = dict.fromkeys(node.memory for node in nodes if node.memory is not None)
        places = {memory: place for place, memory in enumerate(memories)}
        self.records = [_record(node, number, places) for node in nodes]
        self.changes = [
            [
                (each.operation, number[each.result])
                for each in memory.changes
                if each.result in number
            ]
            for memory in memories
        ]
        """Of each memory, the operations in place and their results."""

    def __deepcopy__(self, memo: dict[int, Any]) -> StoredNodes:
        return self  # nothing changes it

    def __getstate__(self) -> dict[str, Any]:
        records = [_picklable(record) for record in self.records]
        return {"records": records, "changes": self.changes}

    def nodes(self, graph: Graph, layers: Sequence[nn.Module]) -> list[Node] | None:
        """Return the nodes with these layers, or None if an example of an input is missing."""
        makers = {
            result: (position, place)
            for position, call in enumerate(graph.calls)
            for place, result in enumerate(call.results)
            if result is not None
        }
        nodes: list[Node] = []
        for value, record in enumerate(self.records):
            if record.spec is None:
                return None
            position, place = makers.get(value, (None, 0))
            call = None if position is None else graph.calls[position]
            layer = None if position is None else layers[position]
            parents = () if call is None else tuple([nodes[a] for a in call.arguments])
            origin = None if call is None else call.origin
            name, modes = record.custom_name, record.modes
            node = Node(layer, parents, record.spec, record.depth, name, origin, modes)
            node.example, node.effects = record.example, record.effects
            node.sizes_read, node.position = record.sizes_read, place
            node.parts = len(call.results) if call is not None and call.unpacks else 0
            nodes.append(node)
        memories = [Memory() for _ in self.changes]
        for memory, changes in zip(memories, self.changes, strict=True):
            memory.changes += [Change(operation, nodes[result]) for operation, result in changes]
        for node, record in zip(nodes, self.records, strict=True):
            node.memory = None if record.memory is None else memories[record.memory]
            node.same = None if record.same is None else nodes[record.same]
        return nodes


def _record(node: Node, number: dict[Node, int], places: dict[Memory, int]) -> _Record:
    memory = None if node.memory is None else places[node.memory]
    same = None if node.same is None else number.get(node.same)
    depth, name, modes, example = node.depth, node.custom_name, node.modes, node.example
    return _Record(
        node.spec, depth, name, modes, example, node.effects, memory, same, node.sizes_read
    )


def _picklable(record: _Record) -> _Record:
    """Return the record, without the example of an object that pickle refuses."""
    if isinstance(record.spec, Concrete):
        try:
            pickle.dumps(record.spec)
        except Exception:  # noqa: BLE001 - an object of the user may raise anything
            return record._replace(spec=None)
    return record
