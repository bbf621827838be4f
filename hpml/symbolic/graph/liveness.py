"""Liveness: when is a value last needed? From a forward order to names that can be used again.

A forward that gives every intermediate a name of its own keeps them all alive until it returns. A
hand-written one says ``x = layer(x)``. :func:`assign_slots` does the same for any graph: the result
of a call takes the place of a value that dies there.
"""

from __future__ import annotations

from .data import Graph


def last_uses(graph: Graph) -> list[int]:
    """Return for each value the position of the last call that reads it.

    A value that no call reads has -1; an output is needed until the end and has the number of
    calls.
    """
    uses = [-1] * len(graph.values)
    for position, call in enumerate(graph.calls):
        for argument in call.arguments:
            uses[argument] = position
    for output in graph.outputs:
        uses[output] = len(graph.calls)
    return uses


def use_counts(graph: Graph) -> list[int]:
    """Return for each value how often it is read, by calls and by the final return."""
    counts = [0] * len(graph.values)
    for call in graph.calls:
        for argument in call.arguments:
            counts[argument] += 1
    for output in graph.outputs:
        counts[output] += 1
    return counts


def assign_slots(graph: Graph, *, in_place: bool = True) -> list[int]:
    """Give each value a slot, so that a slot is used again once its value is dead.

    Inputs have slots of their own, which stay theirs: the caller holds those values anyway. A
    result takes the slot of an argument that dies in the same call, so that the memory of that
    argument is free at once, unless this is not ``in_place``; else any slot whose value is dead;
    else a new one.
    """
    last = last_uses(graph)
    slots = [-1] * len(graph.values)
    for position, value in enumerate(graph.inputs):
        slots[value] = position
    taken = len(graph.inputs)
    free: list[int] = []
    given = set(graph.inputs)
    for position, call in enumerate(graph.calls):
        dying = free if in_place else []
        for argument in dict.fromkeys(call.arguments):
            if last[argument] == position and argument not in given:
                dying.append(slots[argument])
        for result in call.results:
            if result is None:
                continue
            if free:
                slots[result] = free.pop()
            else:
                slots[result] = taken
                taken += 1
        for result in call.results:
            if result is not None and last[result] == -1:
                free.append(slots[result])
        if not in_place:
            free += dying
    return slots
