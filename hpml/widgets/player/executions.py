"""How a graph is executed, step by step: what the player shows, computed beforehand.

Nothing is calculated: who asks whom, who waits and when a layer is executed follows from the graph
alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from hpml.base.drawing import Dataflow, NamedCall, dataflow
from hpml.base.errors import describe
from hpml.widgets.errors import WidgetError

MOST_STEPS = 400
"""Where an execution ends at the latest: without memory it would double with each diamond."""

Kind = Literal["ask", "find", "execute"]


class ExecutionStep(NamedTuple):
    """One step of an execution.

    Attributes:
        kind: ``"ask"``, a value is asked for and not known; ``"find"``, it is asked for and known;
            ``"execute"``, a call is executed.
        value: the value that is asked for, or the first that the call makes.
        call: the position of the call that makes the value; None for an input.
        asker: the value that needs it; None if the user of the graph asks, or nobody does.
        waiting: the values whose requests are still open after this step, outermost first.
        known: the values that are remembered after this step.
        asked: requests so far.
        executed: executions so far.
    """

    kind: Kind
    value: int
    call: int | None
    asker: int | None
    waiting: tuple[int, ...]
    known: frozenset[int]
    asked: int
    executed: int


def graph_adapter(graph: Any, outputs: Sequence[str] | None = None) -> Dataflow:
    """Return who needs whom in a ``SymbolicModel``, its ``graph``, or a dictionary of parents."""
    if isinstance(graph, Dataflow):
        return graph
    if isinstance(graph, Mapping):
        return dataflow(graph, outputs)
    graph = getattr(graph, "graph", graph)
    if not all(hasattr(graph, part) for part in ("values", "inputs", "calls", "outputs")):
        raise WidgetError(
            "expected a SymbolicModel, its graph, or a dictionary of parents such as "
            f"{{'x': [], 'y': ['x']}}, got {describe(graph)}."
        )
    names = [f"input {i}" for i, _ in enumerate(graph.inputs, 1)]
    names = ["input"] if len(names) == 1 else names
    names += [""] * (len(graph.values) - len(names))
    calls = []
    for call in graph.calls:
        for place, result in enumerate(call.results):
            if result is not None:
                names[result] = f"{call.name}[{place}]" if call.unpacks else call.name
        made = tuple(result for result in call.results if result is not None)
        calls.append(NamedCall(call.name, tuple(call.arguments), made))
    return Dataflow(tuple(names), tuple(graph.inputs), tuple(calls), tuple(graph.outputs))


def lazy_steps(graph: Any, at_most: int = MOST_STEPS) -> tuple[ExecutionStep, ...]:
    """Return the steps of a lazy execution with memory: every call once."""
    return tuple(_asked(graph_adapter(graph), at_most, remember=True))


def forgetful_steps(graph: Any, at_most: int = MOST_STEPS) -> tuple[ExecutionStep, ...]:
    """Return the steps of a lazy execution without memory: a call for each path to it."""
    return tuple(_asked(graph_adapter(graph), at_most, remember=False))


def ordered_steps(graph: Any, at_most: int = MOST_STEPS) -> tuple[ExecutionStep, ...]:
    """Return the steps of an execution in an order that was found beforehand: nobody asks.

    What no output needs is left out, as in a lazy execution.
    """
    flow = graph_adapter(graph)
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


EXECUTIONS = {"without memory": forgetful_steps, "lazy": lazy_steps, "ordered": ordered_steps}
"""The steps of each execution, by its name."""


class _Request(NamedTuple):
    """An open request: the value, and what has still to be asked for, last first."""

    value: int
    missing: list[int]


def _asked(flow: Dataflow, at_most: int, *, remember: bool) -> Iterator[ExecutionStep]:
    maker = {r: i for i, call in enumerate(flow.calls) for r in call.results}
    known = set(flow.inputs)
    asked = executed = steps = 0
    requests: list[_Request] = []
    wanted = list(reversed(flow.outputs))

    def step(kind: Kind, value: int, asker: int | None) -> ExecutionStep:
        waiting = tuple(request.value for request in requests)
        place = maker.get(value)
        return ExecutionStep(kind, value, place, asker, waiting, frozenset(known), asked, executed)

    while steps < at_most:
        steps += 1
        top = requests[-1] if requests else None
        if top is not None and not top.missing:
            requests.pop()
            executed += 1
            if remember:
                known.update(flow.calls[maker[top.value]].results)
            yield step("execute", top.value, None)
            continue
        source = top.missing if top is not None else wanted
        if not source:
            return
        value = source.pop()
        asked += 1
        kind: Kind = "find" if value in known else "ask"
        if kind == "ask":
            arguments = flow.calls[maker[value]].arguments
            requests.append(_Request(value, list(reversed(arguments))))
        yield step(kind, value, top.value if top is not None else None)
