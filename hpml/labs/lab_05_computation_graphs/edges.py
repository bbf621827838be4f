"""A model's graph as a plain dictionary: for each node those that come after it."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence

from hpml.symbolic import SymbolicModel
from hpml.symbolic.graph import Graph

__all__ = ["Edges", "count_orders", "edges_of", "parents_of", "reached_from"]

Edges = Mapping[str, Sequence[str]]


def edges_of(model: SymbolicModel) -> dict[str, list[str]]:
    """Return for each input and layer of a model the layers that use its result.

    Layers are called as in the model, an input ``input``, several ``input 1``, ``input 2``...

    >>> from hpml.symbolic import Input
    >>> x = Input(shape=(4,))
    >>> edges_of(SymbolicModel(x, x + x.relu()))
    {'input': ['relu_1', 'AddOpLayer_1'], 'relu_1': ['AddOpLayer_1'], 'AddOpLayer_1': []}
    """
    graph = model.graph
    several = len(graph.inputs) > 1
    maker = {v: f"input {i}" if several else "input" for i, v in enumerate(graph.inputs, 1)}
    edges: dict[str, list[str]] = {name: [] for name in maker.values()}
    for call in graph.calls:
        edges[call.name] = []
        for before in dict.fromkeys(maker[argument] for argument in call.arguments):
            edges[before].append(call.name)
        maker |= {result: call.name for result in call.results if result is not None}
    return edges


def parents_of(edges: Edges) -> dict[str, list[str]]:
    """Return for each node those that come before it: the same edges, read the other way.

    Nodes come in an order that works. Edges that lead in a circle are left out with what follows.

    >>> parents_of({"add": [], "x": ["add"]})
    {'x': [], 'add': ['x']}
    """
    parents: dict[str, list[str]] = {name: [] for name in edges}
    for name, after in edges.items():
        for child in after:
            parents.setdefault(child, []).append(name)
    ordered: dict[str, list[str]] = {}
    while True:
        ready = [n for n in parents if n not in ordered and all(p in ordered for p in parents[n])]
        if not ready:
            return ordered
        ordered |= {name: parents[name] for name in ready}


def count_orders(edges: Edges) -> int:
    """Return in how many orders the nodes can stand so that every edge leads forwards.

    Counts by trying, so for small graphs.

    >>> count_orders({"x": ["left", "right"], "left": ["join"], "right": ["join"]})
    2
    """
    parents = parents_of(edges)

    @functools.cache
    def orders(left: frozenset[str]) -> int:
        first = [name for name in left if left.isdisjoint(parents[name])]
        return sum(orders(left - {name}) for name in first) if left else 1

    return orders(frozenset(parents))


def reached_from(graph: Graph, values: Collection[int]) -> set[int]:
    """Return the values that depend on some given ones, these included.

    >>> from hpml.symbolic import Input
    >>> x, y = Input(shape=(4,)), Input(shape=(4,))
    >>> sorted(reached_from(SymbolicModel((x, y), (x.relu(), y.relu())).graph, {1}))
    [1, 3]
    """
    reached = set(values)
    for call in graph.calls:
        if reached.intersection(call.arguments):
            reached.update(result for result in call.results if result is not None)
    return reached
