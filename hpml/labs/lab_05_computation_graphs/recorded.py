"""The graph that autograd records, walked from a result: one node for each backward step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch

from hpml.base import Table, style
from hpml.base.drawing import Dataflow, Look, NamedCall, draw, lay_out
from hpml.base.page import Page, picture
from hpml.course.errors import LabError
from hpml.symbolic import SymbolicModel
from hpml.symbolic.graph_algorithms import draw_graph

__all__ = ["RecordedNode", "draw_beside", "recorded", "recorded_table"]


class RecordedNode(NamedTuple):
    """One step of the backward pass.

    Attributes:
        name: what autograd calls it; ``"AccumulateGrad"`` where a gradient is kept at last.
        sends_to: the numbers of the nodes that its gradients go to.
        keeps: what it keeps for the backward pass, each with its shape.
        tensor: for ``AccumulateGrad``, the name of the tensor that gets the gradient.
    """

    name: str
    sends_to: tuple[int, ...]
    keeps: tuple[str, ...]
    tensor: str = ""


def recorded(
    result: torch.Tensor, names: Mapping[str, torch.Tensor] | None = None
) -> tuple[RecordedNode, ...]:
    """Return the nodes that autograd recorded on the way to a result, the last step first.

    Args:
        result: what was computed.
        names: names of the tensors that gradients are for: ``dict(net.named_parameters())``.

    Raises:
        LabError: nothing was recorded for `result`.

    >>> w = torch.ones(3, requires_grad=True)
    >>> for node in recorded(w.tanh(), {"w": w}):
    ...     print(node.name, node.sends_to, node.keeps or node.tensor)
    TanhBackward0 (1,) ('result (3,)',)
    AccumulateGrad () w
    """
    if result.grad_fn is None:
        raise LabError(
            "recorded expects a result that autograd recorded; this one has no grad_fn. Compute it "
            "from a tensor with requires_grad, outside of torch.no_grad()."
        )
    owner = {id(tensor): name for name, tensor in (names or {}).items()}
    number: dict[Any, int] = {result.grad_fn: 0}
    waiting = [result.grad_fn]
    for step in waiting:  # grows while it is walked: level by level from the result
        for next_step, _ in step.next_functions:
            if next_step is not None and next_step not in number:
                number[next_step] = len(number)
                waiting.append(next_step)
    return tuple(
        RecordedNode(
            step.name().rsplit("::", 1)[-1],
            tuple(number[after] for after, _ in step.next_functions if after is not None),
            _kept(step),
            _tensor_of(step, owner),
        )
        for step in waiting
    )


def _kept(step: Any) -> tuple[str, ...]:
    kept = []
    for attribute in dir(step):
        if attribute.startswith("_saved_"):
            name = attribute.removeprefix("_saved_")
            try:
                value = getattr(step, attribute)
            except RuntimeError:  # so autograd says that backward has run
                kept.append(f"{name}: given back")
                continue
            if isinstance(value, torch.Tensor):
                kept.append(f"{name} {tuple(value.shape)}")
    return tuple(kept)


def _tensor_of(step: Any, owner: Mapping[int, str]) -> str:
    variable = getattr(step, "variable", None)
    if variable is None:
        return ""
    return owner.get(id(variable), f"a tensor {tuple(variable.shape)}")


def recorded_table(nodes: tuple[RecordedNode, ...]) -> Table:
    """Return recorded nodes as a table, one row each.

    >>> w = torch.ones(3, requires_grad=True)
    >>> print(recorded_table(recorded(w.tanh(), {"w": w})))
    node  name            sends gradients to  keeps        is for
    ----  --------------  ------------------  -----------  ------
       0  TanhBackward0   1                   result (3,)
       1  AccumulateGrad                                   w
    """
    rows = [
        [i, node.name, ", ".join(map(str, node.sends_to)), ", ".join(node.keeps), node.tensor]
        for i, node in enumerate(nodes)
    ]
    return Table(["node", "name", "sends gradients to", "keeps", "is for"], rows)


def draw_beside(model: SymbolicModel, nodes: tuple[RecordedNode, ...]) -> Page:
    """Draw a declared graph, and below it, in the same direction, what autograd recorded.

    Args:
        model: what was declared.
        nodes: what `recorded` found.
    """
    # Values flow to the right, as above; gradients are sent the other way, along the arrows.
    names = [f"{node.name}\n{node.tensor}" if node.tensor else node.name for node in nodes]
    calls = [NamedCall("", node.sends_to, (i,)) for i, node in enumerate(nodes) if node.sends_to]
    ends = tuple(i for i, node in enumerate(nodes) if not node.sends_to)
    flow = Dataflow(tuple(names), ends, tuple(reversed(calls)), (0,))
    layout = lay_out(flow, names.__getitem__, lambda _: "", rotated=True, groups=_single(calls))
    tall = max(0.9, layout.height * min(1.0, 8.2 / layout.width))
    fig, (above, below) = style.figure(
        2, 1, width=8.4, height=2.1 + tall, gridspec_kw={"height_ratios": [1.1, tall]}
    )
    above.set_title("declared: once, before any number", loc="left")
    below.set_title("recorded: during one forward, for one backward", loc="left")
    draw_graph(model=model, rotate_graph=True, ax=above)
    tints = {i: "#E8E8E8" for i, node in enumerate(nodes) if node.tensor}
    draw(layout, Look(tints=tints, backwards=True), ax=below)
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


def _single(calls: Sequence[object]) -> list[tuple[int]]:
    """Return groups of one call each: nothing is folded."""
    return [(place,) for place, _ in enumerate(calls)]
