"""Liveness analysis: find the last use of each value, so that a forward can reuse variable names.

A forward with a separate name for each intermediate value keeps all of them alive until it returns.
"""

from __future__ import annotations

from .data import Graph


def last_uses(graph: Graph) -> list[int]:
    """Return the position of each value's last use: -1 if unused, the call count for an output."""
    uses = [-1] * len(graph.values)
    for position, call in enumerate(graph.calls):
        for argument in call.arguments:
            uses[argument] = position
    for output in graph.outputs:
        uses[output] = len(graph.calls)
    return uses


def use_counts(graph: Graph) -> list[int]:
    """Return how many times each value is read, by calls and by the final return."""
    counts = [0] * len(graph.values)
    for call in graph.calls:
        for argument in call.arguments:
            counts[argument] += 1
    for output in graph.outputs:
        counts[output] += 1
    return counts


def assign_slots(graph: Graph, *, in_place: bool = True) -> list[int]:
    """Assign each value a slot, and reuse the slots of dead values.

    Slots of inputs are not reused, because the caller keeps the inputs alive. With ``in_place``, a
    result takes the slot of an argument that dies in the same call, which frees its memory at once.
    """
    last = last_uses(graph)
    slots = [-1] * len(graph.values)
    for position, value in enumerate(graph.inputs):
        slots[value] = position
    slot_count = len(graph.inputs)
    free: list[int] = []
    inputs = set(graph.inputs)
    for position, call in enumerate(graph.calls):
        dying = free if in_place else []
        for argument in dict.fromkeys(call.arguments):
            if last[argument] == position and argument not in inputs:
                dying.append(slots[argument])
        for result in call.results:
            if result is None:
                continue
            if free:
                slots[result] = free.pop()
            else:
                slots[result] = slot_count
                slot_count += 1
        for result in call.results:
            if result is not None and last[result] == -1:
                free.append(slots[result])
        if not in_place:
            free += dying
    return slots
