"""Orders of a small graph: how many work, and how much memory one of them takes."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hpml.symbolic.graph import Graph

Edges = Mapping[str, Sequence[str]]


def count_orders(edges: Edges) -> int:
    """Return in how many orders the nodes can stand so that every edge leads forwards, by trying.

    >>> count_orders({"x": ["left", "right"], "left": ["join"], "right": ["join"], "join": []})
    2
    """
    parents: dict[str, set[str]] = {name: set() for name in edges}
    for name, after in edges.items():
        for child in after:
            parents[child].add(name)

    @functools.cache
    def orders(left: frozenset[str]) -> int:
        first = [name for name in left if left.isdisjoint(parents[name])]
        return sum(orders(left - {name}) for name in first) if left else 1

    return orders(frozenset(parents))


def branching(branches: int) -> dict[str, list[str]]:
    """Return the edges of a network of branches of two layers, which are added one after the other.

    >>> branching(2)
    {'x': ['a1', 'a2'], 'a1': ['b1'], 'a2': ['b2'], 'b1': ['sum1'], 'b2': ['sum2'], \
'sum1': ['sum2'], 'sum2': []}
    """
    numbers = range(1, branches + 1)
    edges = {"x": [f"a{i}" for i in numbers]}
    edges |= {f"a{i}": [f"b{i}"] for i in numbers}
    edges |= {f"b{i}": [f"sum{i}"] for i in numbers}
    edges |= {f"sum{i}": [f"sum{i + 1}"] for i in range(1, branches)}
    return edges | {f"sum{branches}": []}


def most_alive(order: Sequence[str], edges: Edges) -> int:
    """Return how many values are alive at once at most, if nodes are executed in this order.

    A value lives from its execution to that of the last of its users.

    >>> graph = branching(2)
    >>> most_alive(list(graph), graph), most_alive("x a1 b1 sum1 a2 b2 sum2".split(), graph)
    (3, 3)
    """
    place = {name: i for i, name in enumerate(order)}
    last = {name: max((place[user] for user in edges[name]), default=place[name]) for name in order}
    return max(sum(place[n] <= now <= last[n] for n in order) for now in range(len(order)))


def not_reached_from(graph: Graph, position: int) -> list[int]:
    """Return the values that do not depend on a model's input at a position."""
    reached = {graph.inputs[position]}
    for call in graph.calls:
        if reached.intersection(call.arguments):
            reached.update(result for result in call.results if result is not None)
    return [value for value in range(len(graph.values)) if value not in reached]
