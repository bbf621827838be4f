"""Compute the steps of executing a graph, without values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

from hpml.base.drawing import Dataflow

MOST_STEPS = 400
"""Limit of steps: without memory, they double with each diamond of the graph."""

Kind = Literal["ask", "find", "execute"]


class ExecutionStep(NamedTuple):
    """One step of an execution, with the state after it.

    A step requests an unknown (``"ask"``) or known (``"find"``) value, or executes a call. `value`
    is the requested value or the call's first result, `call` the index of the call that makes it
    (None for an input), and `asker` the value that needs it (None for the caller of the graph).
    `waiting` are the values with open requests, the outermost first, and `known` those in memory.
    `asked` and `executed` count requests and executions so far.
    """

    kind: Kind
    value: int
    call: int | None
    asker: int | None
    waiting: tuple[int, ...]
    known: frozenset[int]
    asked: int
    executed: int


def lazy_steps(
    flow: Dataflow, at_most: int = MOST_STEPS, *, remember: bool = True
) -> tuple[ExecutionStep, ...]:
    """Return the steps of a lazy execution: every call once, or without memory once per path."""
    maker = {r: i for i, call in enumerate(flow.calls) for r in call.results}
    known = set(flow.inputs)
    asked = executed = 0
    requests: list[tuple[int, list[int]]] = []  # a value, and its missing arguments, last first
    outputs = list(reversed(flow.outputs))
    steps: list[ExecutionStep] = []
    while len(steps) < at_most and (requests or outputs):
        kind: Kind
        asker, missing = requests[-1] if requests else (None, outputs)
        if missing:
            value = missing.pop()
            asked += 1
            kind = "find" if value in known else "ask"
            if kind == "ask":
                requests.append((value, list(reversed(flow.calls[maker[value]].arguments))))
        else:
            (value, _), asker, kind = requests.pop(), None, "execute"
            executed += 1
            if remember:
                known.update(flow.calls[maker[value]].results)
        waiting = tuple(requested for requested, _ in requests)
        call = maker.get(value)
        steps.append(
            ExecutionStep(kind, value, call, asker, waiting, frozenset(known), asked, executed)
        )
    return tuple(steps)


def ordered_steps(flow: Dataflow, at_most: int = MOST_STEPS) -> tuple[ExecutionStep, ...]:
    """Return the steps of an execution in a precomputed order, without requests."""
    needed = set(flow.outputs)
    for call in reversed(flow.calls):
        if not needed.isdisjoint(call.results):
            needed.update(call.arguments)
    known = frozenset(flow.inputs)
    steps: list[ExecutionStep] = []
    for position, call in enumerate(flow.calls):
        if needed.isdisjoint(call.results):
            continue
        if len(steps) == at_most:
            break
        known = known.union(call.results)
        steps.append(
            ExecutionStep("execute", call.results[0], position, None, (), known, 0, len(steps) + 1)
        )
    return tuple(steps)


PLAYED: dict[str, Callable[[Dataflow, int], tuple[ExecutionStep, ...]]] = {
    "without memory": partial(lazy_steps, remember=False),
    "lazy": lazy_steps,
    "ordered": ordered_steps,
}
"""The functions above, by name of the execution."""
