"""Exercise 05.2: the nodes that no output needs."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hpml.course.labs.lab_05_computation_graphs.exercises.order import (
    LIBRARIES,
    nodes_of,
    random_graph,
)
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden
from hpml.course.lesson.exercises.same import expect
from hpml.course.lesson.model_graphs import edges_of
from hpml.course.lesson.small_graphs import ladder


def _dead(case: Case) -> set[str]:
    """Propagate liveness from targets to nodes to a fixed point."""
    edges, live, before = case.data["edges"], set(case.data["outputs"]), -1
    while len(live) > before:
        before = len(live)
        live |= {name for name, targets in edges.items() if not live.isdisjoint(targets)}
    return set(nodes_of(edges)) - live


_DIAMONDS = 60
"""So many that walking all paths would take too long."""


def _cases(generator: random.Random, more: bool) -> Sequence[Case]:
    end, diamonds = f"join{_DIAMONDS}", edges_of(ladder(_DIAMONDS))
    diamonds["left1"].append("dead end")
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
        "an output listed twice": ({"x": ["y", "z"], "y": []}, ["y", "y"]),
        "an output that leads to a dead end": ({"x": ["y"], "y": ["z"], "z": ["w"]}, ["x"]),
        "a target listed twice": ({"x": ["y", "y"], "z": ["w", "w"]}, ["y"]),
        "names that are empty or a number": ({"0": ["", "1"], "1": ["2"], "": []}, [""]),
        "all of them": ({"x": ["y"], "y": []}, ["y", "x"]),
        "names that contain each other": ({"h": ["h1", "h10"], "h1": ["h11"]}, ["h10"]),
        "alive by the last target only": ({"x": ["a", "b", "y"], "a": [], "b": []}, ["y"]),
        "a long way, listed backwards": ({"c": ["y"], "b": ["c"], "a": ["b"], "d": ["a"]}, ["y"]),
        "no output": ({"x": ["y"], "y": []}, []),
        "an empty graph": ({}, []),
        f"{_DIAMONDS} diamonds in a row, and a dead end": (diamonds, [end]),
        # A search from each node would visit the whole graph every time.
        f"{_DIAMONDS} diamonds in a row, all dead": ({"u": ["y", "x"], "y": [], **diamonds}, ["y"]),
    }
    for number in range(12 if more else 1):
        graph = random_graph(generator, generator.randint(10, 30))
        outputs = generator.sample(nodes_of(graph), generator.randint(1, 3))
        tried[f"a graph of {len(nodes_of(graph))} nodes, number {number + 1}"] = (graph, outputs)
    return [
        Case(name, {"edges": edges, "outputs": outputs}) for name, (edges, outputs) in tried.items()
    ]


DEAD_NODES = Exercise(
    name="dead_nodes",
    minutes=6,
    parts={"right": 2},
    cases=_cases,
    judge=expect(_dead),
    forbids=Forbidden(
        modules=LIBRARIES,
        why="Other libraries have a ready-made function; the exercise is to write it.",
    ),
)
