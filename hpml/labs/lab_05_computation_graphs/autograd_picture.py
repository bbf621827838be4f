"""A declared graph, and below it what autograd recorded of one run."""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.drawing import Layout, Look, dataflow, draw, lay_out
from hpml.base.page import Page, picture

if TYPE_CHECKING:
    from hpml.profiling import AutogradNode
    from hpml.symbolic import SymbolicModel


def draw_beside(model: SymbolicModel, nodes: tuple[AutogradNode, ...]) -> Page:
    """Draw a declared graph, and below it, in the same direction, what autograd recorded.

    Args:
        model: what was declared.
        nodes: what `autograd_graph` found.
    """
    from hpml.symbolic.graph_algorithms import draw_graph

    # Values flow to the right, as above; gradients are sent to the left.
    layout = _laid_out(nodes).mirrored()
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
    leaves = sum(1 for node in nodes if node.tensor)
    text = (
        f"{len(model.graph.calls)} layers declared; {len(nodes)} nodes recorded, {leaves} of them "
        "where a gradient is kept. Values flow to the right, gradients to the left."
    )
    style.caption(fig, text)
    lines = [
        f"{i} {n.name}{f' ({n.tensor})' if n.tensor else ''} -> {', '.join(map(str, n.sends_to))}"
        for i, n in enumerate(nodes)
    ]
    return picture(fig, text + "\n" + "\n".join(line.removesuffix(" -> ") for line in lines))


def _laid_out(nodes: tuple[AutogradNode, ...]) -> Layout:
    """Return where the nodes stand, each behind those that send it a gradient."""
    senders: dict[int, list[int]] = {i: [] for i, _ in enumerate(nodes)}
    for i, node in enumerate(nodes):
        for after in node.sends_to:
            senders[after].append(i)
    order = TopologicalSorter(senders).static_order()
    flow = dataflow({str(node): [str(sender) for sender in senders[node]] for node in order})
    names = [f"{node.name}\n{node.tensor}" if node.tensor else node.name for node in nodes]
    single = [(place,) for place, _ in enumerate(flow.calls)]
    layout = lay_out(
        flow, lambda v: names[int(flow.names[v])], lambda _: "", rotated=True, groups=single
    )
    boxes = (box._replace(value=int(flow.names[box.value])) for box in layout.boxes)
    return layout._replace(boxes=tuple(boxes))
