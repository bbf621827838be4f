"""How a graph is executed, call by call: what a player of executions shows, computed beforehand.

Nothing is calculated: who asks whom, who waits and when a layer is executed follows from the graph
alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from hpml.base.errors import describe
from hpml.widgets.errors import WidgetError

MOST_CALLS = 400
"""Where a trace ends at the latest: without memory it would double with each diamond."""


class Operation(NamedTuple):
    """One layer, or one function, in its place in a graph.

    Attributes:
        name: what it is called.
        arguments: the values it needs.
        results: the values it makes.
    """

    name: str
    arguments: tuple[int, ...]
    results: tuple[int, ...]


class Wiring(NamedTuple):
    """A graph as far as the order of execution is concerned.

    Attributes:
        names: of each value.
        inputs: the values that are given.
        operations: in an order that works: arguments before results.
        outputs: the values that somebody asks for.
    """

    names: tuple[str, ...]
    inputs: tuple[int, ...]
    operations: tuple[Operation, ...]
    outputs: tuple[int, ...]


class Call(NamedTuple):
    """One step of an execution.

    Attributes:
        kind: ``"ask"``, a value is asked for and not known; ``"find"``, it is asked for and known;
            ``"execute"``, an operation is executed.
        value: the value that is asked for, or the first that the operation makes.
        operation: the position of the operation that makes the value; None for an input.
        asker: the value that needs it; None if the user of the graph asks, or nobody does.
        waiting: the values whose questions are still open after this step, outermost first.
        known: the values that are remembered after this step.
        asked: questions so far.
        executed: executions so far.
    """

    kind: Literal["ask", "find", "execute"]
    value: int
    operation: int | None
    asker: int | None
    waiting: tuple[int, ...]
    known: frozenset[int]
    asked: int
    executed: int


def wiring(graph: Any, outputs: Sequence[str] | None = None) -> Wiring:
    """Return who needs whom in a graph of any form.

    Args:
        graph: a ``SymbolicModel``, its ``graph``, or a dictionary that has for each value the list
            of those it is computed from, parents before children; inputs have an empty list.
        outputs: of a dictionary, the names of the values asked for; by default those that no
            other value needs.

    Raises:
        WidgetError: if `graph` is none of these, a parent stands behind its child, or there is no
            value of that name.

    >>> wiring({"x": [], "y": ["x"]})
    Wiring(names=('x', 'y'), inputs=(0,), operations=(Operation(name='y', ...),), outputs=(1,))
    """
    if isinstance(graph, Wiring):
        return graph
    if isinstance(graph, Mapping):
        return _of_dictionary(graph, outputs)
    graph = getattr(graph, "graph", graph)
    if not all(hasattr(graph, part) for part in ("values", "inputs", "calls", "outputs")):
        raise WidgetError(
            "expected a SymbolicModel, its graph, or a dictionary of parents such as "
            f"{{'x': [], 'y': ['x']}}, got {describe(graph)}."
        )
    names = [f"input {i}" for i, _ in enumerate(graph.inputs, 1)]
    names = ["input"] if len(names) == 1 else names
    names += [""] * (len(graph.values) - len(names))
    operations = []
    for call in graph.calls:
        for place, result in enumerate(call.results):
            if result is not None:
                names[result] = f"{call.name}[{place}]" if call.unpacks else call.name
        made = tuple(result for result in call.results if result is not None)
        operations.append(Operation(call.name, tuple(call.arguments), made))
    return Wiring(tuple(names), tuple(graph.inputs), tuple(operations), tuple(graph.outputs))


def lazy_calls(graph: Any, at_most: int = MOST_CALLS) -> tuple[Call, ...]:
    """Return the steps of a lazy execution with memory: every operation once.

    Args:
        graph: as for `wiring`.
        at_most: how many steps at most.

    >>> [call.kind for call in lazy_calls({"x": [], "y": ["x", "x"]})]
    ['ask', 'find', 'find', 'execute']
    """
    return tuple(_asked(wiring(graph), at_most, remember=True))


def forgetful_calls(graph: Any, at_most: int = MOST_CALLS) -> tuple[Call, ...]:
    """Return the steps of a lazy execution without memory: an operation for each path to it.

    >>> tiny = {"x": [], "a": ["x"], "b": ["a", "a"]}
    >>> forgetful_calls(tiny)[-1].executed, lazy_calls(tiny)[-1].executed
    (3, 2)
    """
    return tuple(_asked(wiring(graph), at_most, remember=False))


def ordered_calls(graph: Any, at_most: int = MOST_CALLS) -> tuple[Call, ...]:
    """Return the steps of an execution in an order that was found beforehand: nobody asks.

    What no output needs is left out, as in a lazy execution.

    >>> [call.value for call in ordered_calls({"x": [], "y": ["x"], "z": ["y"]})]
    [1, 2]
    """
    wired = wiring(graph)
    needed = _needed(wired)
    known = frozenset(wired.inputs)
    calls: list[Call] = []
    for position, operation in enumerate(wired.operations):
        if needed.isdisjoint(operation.results):
            continue
        if len(calls) == at_most:
            break
        known = known.union(operation.results)
        calls.append(
            Call("execute", operation.results[0], position, None, (), known, 0, len(calls) + 1)
        )
    return tuple(calls)


EXECUTIONS = {"without memory": forgetful_calls, "lazy": lazy_calls, "ordered": ordered_calls}
"""The steps of each execution, by its name."""


class _Question(NamedTuple):
    """An open question: the value, and what has still to be asked for, last first."""

    value: int
    missing: list[int]


def _asked(wired: Wiring, at_most: int, *, remember: bool) -> Iterator[Call]:
    maker = {r: i for i, operation in enumerate(wired.operations) for r in operation.results}
    known = set(wired.inputs)
    asked = executed = steps = 0
    open_questions: list[_Question] = []
    wanted = list(reversed(wired.outputs))

    def step(kind: Literal["ask", "find", "execute"], value: int, asker: int | None) -> Call:
        waiting = tuple(question.value for question in open_questions)
        place = maker.get(value)
        return Call(kind, value, place, asker, waiting, frozenset(known), asked, executed)

    while steps < at_most:
        steps += 1
        top = open_questions[-1] if open_questions else None
        if top is not None and not top.missing:
            open_questions.pop()
            executed += 1
            if remember:
                known.update(wired.operations[maker[top.value]].results)
            yield step("execute", top.value, None)
            continue
        source = top.missing if top is not None else wanted
        if not source:
            return
        value = source.pop()
        asked += 1
        kind: Literal["ask", "find"] = "find" if value in known else "ask"
        if kind == "ask":
            arguments = wired.operations[maker[value]].arguments
            open_questions.append(_Question(value, list(reversed(arguments))))
        yield step(kind, value, top.value if top is not None else None)


def _needed(wired: Wiring) -> set[int]:
    needed = set(wired.outputs)
    for operation in reversed(wired.operations):
        if not needed.isdisjoint(operation.results):
            needed.update(operation.arguments)
    return needed


def _of_dictionary(parents: Mapping[str, Sequence[str]], outputs: Sequence[str] | None) -> Wiring:
    number = {name: i for i, name in enumerate(parents)}
    operations: list[Operation] = []
    used: set[str] = set()
    for name, above in parents.items():
        for parent in above:
            if number.get(parent, len(number)) >= number[name]:
                raise WidgetError(
                    f"A graph expects parents before children, got {describe(name)} before its "
                    f"parent {describe(parent)}, or without it."
                )
        used.update(above)
        if above:
            arguments = tuple(number[parent] for parent in above)
            operations.append(Operation(name, arguments, (number[name],)))
    wanted = outputs or [name for name in parents if name not in used]
    for name in wanted:
        if name not in number:
            raise WidgetError(
                f"The graph has no value {describe(name)}; it has {describe(list(parents), 200)}."
            )
    inputs = tuple(number[name] for name, above in parents.items() if not above)
    return Wiring(
        tuple(map(str, parents)), inputs, tuple(operations), tuple(number[n] for n in wanted)
    )
