"""Topological orders and sizes of a declared graph, and the graph that autograd records."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.drawing import Layout, Look, dataflow, draw, lay_out
from hpml.base.page import Page, picture

if TYPE_CHECKING:
    from hpml.profiling import AutogradNode
    from hpml.symbolic import SymbolicModel
    from hpml.symbolic.graph import Graph


def transformer_block() -> SymbolicModel:
    """Return a declared block of a transformer."""
    from hpml.course.models import TransformerBlock, symbolic_transformer_block

    return symbolic_transformer_block(TransformerBlock(), "ordered")


def result_bytes(model: SymbolicModel, batch: int = 1) -> dict[str, int]:
    """Return the number of bytes of each layer's result in a declared model."""
    import torch

    sizes = {}
    for call in model.graph.calls:
        values = [model.graph.values[result] for result in call.results if result is not None]
        sizes[call.name] = sum(
            math.prod(batch if size is None else size for size in value.shape or ())
            * getattr(torch, value.kind).itemsize
            for value in values
        )
    return sizes


Edges = Mapping[str, Sequence[str]]


def count_orders(edges: Edges) -> int:
    """Return the number of topological orders, by recursion over the first node."""
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
    """Return the edges of a network that adds up branches of two layers."""
    numbers = range(1, branches + 1)
    edges = {"x": [f"a{i}" for i in numbers]}
    edges |= {f"a{i}": [f"b{i}"] for i in numbers}
    edges |= {f"b{i}": [f"sum{i}"] for i in numbers}
    edges |= {f"sum{i}": [f"sum{i + 1}"] for i in range(1, branches)}
    return edges | {f"sum{branches}": []}


def most_alive(order: Sequence[str], edges: Edges) -> int:
    """Return the largest number of values alive at once in this order; all if it is none."""
    place = {name: i for i, name in enumerate(order)}
    if place.keys() != edges.keys() or any(place[n] > place[u] for n in order for u in edges[n]):
        return len(edges)
    last = {name: max((place[user] for user in edges[name]), default=place[name]) for name in order}
    return max(sum(place[n] <= now <= last[n] for n in order) for now in range(len(order)))


def not_reached_from(graph: Graph, position: int) -> list[int]:
    """Return the values that do not depend on the model input at `position`."""
    reached = {graph.inputs[position]}
    for call in graph.calls:
        if reached.intersection(call.arguments):
            reached.update(result for result in call.results if result is not None)
    return [value for value in range(len(graph.values)) if value not in reached]


def draw_beside(model: SymbolicModel, nodes: tuple[AutogradNode, ...]) -> Page:
    """Draw a declared graph above autograd's graph, both in the same direction."""
    from hpml.symbolic.graph_algorithms import draw_graph

    layout = _laid_out(nodes)
    tall = max(0.9, layout.height * min(1.0, 8.2 / layout.width))
    fig, (above, below) = style.figure(
        2, 1, width=8.4, height=2.1 + tall, gridspec_kw={"height_ratios": [1.1, tall]}
    )
    with style.apply():
        above.set_title("declared: once, before any number", loc="left")
        below.set_title("recorded: during one forward, for one backward", loc="left")
    draw_graph(model=model, rotate_graph=True, ax=above)
    tints = {i: "#E8E8E8" for i, node in enumerate(nodes) if node.tensor}
    draw(layout, Look(tints=tints), ax=below)
    below.invert_xaxis()  # values flow to the right, as above; gradients to the left
    leaves = sum(1 for node in nodes if node.tensor)
    text = (
        f"{len(model.graph.calls)} layers declared; {len(nodes)} nodes recorded, {leaves} of them "
        "with a gradient to keep. Values flow right, gradients left."
    )
    style.caption(fig, text)
    lines = [
        f"{i} {n.name}{f' ({n.tensor})' if n.tensor else ''} -> {', '.join(map(str, n.sends_to))}"
        for i, n in enumerate(nodes)
    ]
    return picture(fig, text + "\n" + "\n".join(line.removesuffix(" -> ") for line in lines))


def _laid_out(nodes: tuple[AutogradNode, ...]) -> Layout:
    """Return the layout of autograd's nodes, each after those that send it a gradient."""
    senders: dict[int, list[int]] = {i: [] for i, _ in enumerate(nodes)}
    for i, node in enumerate(nodes):
        for after in node.sends_to:
            senders[after].append(i)
    order = TopologicalSorter(senders).static_order()
    flow = dataflow({str(node): [str(sender) for sender in senders[node]] for node in order})
    names = [f"{node.name}\n{node.tensor}" if node.tensor else node.name for node in nodes]
    layout = lay_out(flow, lambda v: names[int(flow.names[v])], lambda _: "", rotated=True)
    boxes = (box._replace(value=int(flow.names[box.value])) for box in layout.boxes)
    return layout._replace(boxes=tuple(boxes))
