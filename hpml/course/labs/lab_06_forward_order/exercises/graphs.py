"""Graphs for the exercises of lab 06, and slow oracles that work differently from a solution."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hpml.course.labs.lab_06_forward_order.harness import KINDS
from hpml.course.lesson.exercises.exercise import Case
from hpml.course.lesson.small_graphs import Parents, random_parents

TWICE = {"x": [], "a": ["x"], "b": ["a", "a"]}
NO_LIBRARY = ("hpml", "torch", "graphlib", "networkx")
WRITE_IT = "The exercise is to write it, so no library that contains it may be imported."


def executions(parents: Parents, output: str) -> Counter[str]:
    """Return the number of executions of each operation without memory, from the output back."""
    counts = Counter({output: 1})
    for name in reversed(list(parents)):
        for parent in parents[name]:
            counts[parent] += counts[name]
    return Counter({name: n for name, n in counts.items() if n and parents[name]})


def values_of(case: Case) -> dict[str, Any]:
    """Return all values of the case's graph, computed to a fixed point."""
    parents, kinds = case.data["parents"], case.data["operations"]
    values = dict(case.data["inputs"])
    found = True
    while found:
        found = False
        for name, above in parents.items():
            if name not in values and above and all(parent in values for parent in above):
                values[name] = KINDS[kinds[name]](*[values[parent] for parent in above])
                found = True
    return values


def needed(case: Case) -> set[str]:
    """Return the operations that the output needs, including its own."""
    parents, found, before = case.data["parents"], {case.data["output"]}, 0
    while len(found) > before:
        before = len(found)
        for name in reversed(list(parents)):
            if name in found:
                found.update(parents[name])
    return {name for name in found if parents[name]}


def ask(
    name: str,
    parents: Parents,
    output: str,
    inputs: Mapping[str, Any],
    *,
    kinds: Mapping[str, str] | None = None,
    part: str = "right",
    order: Sequence[str] | None = None,
) -> Case:
    """Return a case of `lazy_forward`, or of `ordered_forward` if there is an order.

    By default, an operation's kind is its name, or `next` or `add` if no kind has this name.
    """
    if kinds is None:
        kinds = {
            each: each if each in KINDS else "next" if len(above) == 1 else "add"
            for each, above in parents.items()
            if above
        }
    data: dict[str, Any] = {} if order is None else {"order": list(order)}
    data |= {"parents": parents, "operations": kinds, "inputs": inputs, "output": output}
    return Case(name, data, part)


def random_ask(generator: random.Random, number: int) -> Case:
    """Return a case of `lazy_forward` on a random graph, listed in random order."""
    graph = random_parents(generator, generator.randint(4, 9))
    one, several = ("next", "double", "negative"), ("subtract", "subtract", "add")
    kinds = {
        name: generator.choice(one if len(above) == 1 else several)
        for name, above in graph.items()
        if above
    }
    inputs = {name: generator.randint(1, 9) for name in graph if not graph[name]}
    output = generator.choice(list(kinds))
    names = list(graph)
    generator.shuffle(names)  # parents need not come first
    shuffled = {name: graph[name] for name in names}
    return ask(f"any graph, number {number}", shuffled, output, inputs, kinds=kinds, part="once")
