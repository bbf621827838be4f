"""Exercise 05.2: the nodes that no output needs."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import cast

from hpml.course.exercises.exercise import Case, Exercise, Forbidden
from hpml.course.exercises.outcomes import Outcome, Returned, symptom
from hpml.course.exercises.same import expect
from hpml.labs.lab_05_computation_graphs.exercises.order import (
    LIBRARIES,
    nodes_of,
    random_graph,
)


def _dead(case: Case) -> set[str]:
    """Propagate liveness from targets to nodes to a fixed point."""
    edges, live, before = case.data["edges"], set(case.data["outputs"]), -1
    while len(live) > before:
        before = len(live)
        live |= {name for name, targets in edges.items() if not live.isdisjoint(targets)}
    return set(nodes_of(edges)) - live


_DIAMONDS = 60
"""So many that walking all paths would take too long."""


def _ladder() -> dict[str, list[str]]:
    edges: dict[str, list[str]] = {}
    for i in range(_DIAMONDS):
        edges[f"n{i}"] = [f"left{i}", f"right{i}"]
        edges[f"left{i}"] = edges[f"right{i}"] = [f"n{i + 1}"]
    edges["right0"] = ["n1", "end"]
    return edges


def _cases(generator: random.Random, more: bool) -> Sequence[Case]:
    tried: dict[str, tuple[dict[str, list[str]], list[str]]] = {
        "a branch that leads nowhere": (
            {"x": ["a", "b"], "a": ["y"], "b": ["c"], "y": [], "c": []},
            ["y"],
        ),
        "nothing is dead": ({"x": ["h"], "h": ["y"], "y": []}, ["y"]),
        "behind the output": ({"x": ["y"], "y": ["z"], "z": []}, ["y"]),
        "two outputs": ({"x": ["a", "b", "c"], "a": [], "b": [], "c": []}, ["a", "c"]),
        "an output on the way to another": ({"x": ["h", "d"], "h": ["y"], "y": []}, ["y", "h"]),
        "only a target": ({"x": ["y", "z"]}, ["y"]),
        "a piece of its own": ({"x": ["y"], "y": [], "u": ["v"], "v": []}, ["y"]),
        "no output": ({"x": ["y"], "y": []}, []),
        "an empty graph": ({}, []),
    }
    for number in range(12 if more else 1):
        graph = random_graph(generator, generator.randint(10, 30))
        outputs = generator.sample(nodes_of(graph), generator.randint(1, 3))
        tried[f"a graph of {len(nodes_of(graph))} nodes, number {number + 1}"] = (graph, outputs)
    cases = [
        Case(name, {"edges": edges, "outputs": outputs}) for name, (edges, outputs) in tried.items()
    ]
    row = f"{_DIAMONDS} diamonds in a row"
    data = {"edges": _ladder(), "outputs": [f"n{_DIAMONDS}"]}
    call = f"dead_nodes({row}, with a dead end, ['n{_DIAMONDS}'])"
    cases.append(Case(row, data, call=call))
    # A search from each node would visit the whole graph every time.
    dead = {"x": ["y", "n0"], "y": [], **_ladder()}
    call = f"dead_nodes({{'x': ['y', 'n0'], {row} from 'n0' on}}, ['y'])"
    cases.append(Case(f"{row}, all dead", {"edges": dead, "outputs": ["y"]}, call=call))
    return cases


def _symptom(case: Case, outcome: Outcome) -> object:
    if isinstance(outcome, Returned) and type(outcome.value) in (set, list, tuple, frozenset):
        return [set(cast("Iterable[str]", outcome.value)), type(outcome.value) is set]
    return symptom(case, outcome)


DEAD_NODES = Exercise(
    name="dead_nodes",
    parts={"right": 2},
    cases=_cases,
    judge=expect(_dead),
    symptom=_symptom,
    forbids=Forbidden(
        modules=LIBRARIES,
        why="Other libraries have a ready-made function; the exercise is to write it.",
    ),
)
