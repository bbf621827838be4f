"""Exercise 05.2: the nodes that no output needs."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import cast

from hpml.course.exercises.exercise import Case, Exercise, Forbidden, Misconception
from hpml.course.exercises.outcomes import Outcome, Raised, Returned
from hpml.course.exercises.same import expect
from hpml.labs.lab_05_computation_graphs.exercises.order import (
    LIBRARIES,
    edges_of,
    nodes_of,
    random_graph,
)

__all__ = ["DEAD_NODES"]


def _outputs(case: Case) -> list[str]:
    return cast("list[str]", case.data["outputs"])


def _dead(case: Case, also_live: Iterable[str] = ()) -> set[str]:
    """Add to the live nodes whoever has a live target, again and again until nobody is new."""
    edges, live, before = edges_of(case), {*_outputs(case), *also_live}, -1
    while len(live) > before:
        before = len(live)
        live |= {name for name, targets in edges.items() if not live.isdisjoint(targets)}
    return set(nodes_of(edges)) - live


def _behind(case: Case) -> set[str]:
    """Return what edges lead to from the outputs, the outputs included."""
    edges, found, before = edges_of(case), set(_outputs(case)), -1
    while len(found) > before:
        before = len(found)
        found |= {target for name in found for target in edges.get(name, ())}
    return found


def _all(case: Case) -> set[str]:
    return set(nodes_of(edges_of(case)))


def _ends(case: Case) -> set[str]:
    return {name for name in _all(case) if not edges_of(case).get(name)} - set(_outputs(case))


def _ladder(diamonds: int) -> dict[str, list[str]]:
    edges: dict[str, list[str]] = {}
    for i in range(diamonds):
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
    # Nobody lives to walk all the ways through sixty: kept for where there is a deadline.
    for diamonds in (60,) if more else (6,):
        data = {"edges": _ladder(diamonds), "outputs": [f"n{diamonds}"]}
        call = f"dead_nodes({diamonds} diamonds in a row, with a dead end, ['n{diamonds}'])"
        cases.append(Case(f"{diamonds} diamonds in a row", data, call=call))
    return cases


def _gives(compute: Callable[[Case], Iterable[str]]) -> Callable[[Case, Outcome], bool]:
    def fits(case: Case, outcome: Outcome) -> bool:
        return isinstance(outcome, Returned) and outcome.value == compute(case)

    return fits


def _forgets_targets(case: Case, outcome: Outcome) -> bool:
    only = _all(case) - set(edges_of(case))
    if isinstance(outcome, Raised):
        return outcome.type == "KeyError" and outcome.message in map(repr, only)
    return isinstance(outcome, Returned) and (
        outcome.value == _dead(case) - only or outcome.value == _dead(case, only)
    )


def _other_container(case: Case, outcome: Outcome) -> bool:
    if not isinstance(outcome, Returned) or type(outcome.value) not in (list, tuple, frozenset):
        return False
    return set(cast("Iterable[str]", outcome.value)) == _dead(case)


DEAD_NODES = Exercise(
    lab="05",
    number=2,
    name="dead_nodes",
    statement=(
        "`dead_nodes(edges, outputs)` returns the set of the nodes from which no output can be "
        "reached along the edges: nobody needs to compute them. The edges are as in exercise 1, "
        "without cycles. An output is never dead, whether anything follows it or not; each output "
        "is a node of the graph. Look at each node once, however many ways lead through it: the "
        "check does not see that, but grading tries a graph of some 180 nodes with 2⁶⁰ ways."
    ),
    signature="dead_nodes(edges: dict[str, list[str]], outputs: list[str]) -> set[str]",
    example="dead_nodes({'x': ['y', 'z'], 'y': [], 'z': []}, ['y'])",
    shows="{'z'}",
    parts={"right": 2},
    cases=_cases,
    judge=expect(_dead),
    misconceptions=(
        Misconception(
            "another_container",
            "The nodes are the right ones; the result must be a `set`.",
            _other_container,
        ),
        Misconception(
            "returns_the_live_ones",
            "Those are the nodes that an output needs. The others are dead.",
            _gives(lambda case: _all(case) - _dead(case)),
        ),
        Misconception(
            "follows_the_edges",
            "It starts at the outputs and goes the way of the edges, to what follows an output. "
            "What an output needs stands before it.",
            _gives(lambda case: _all(case) - _behind(case)),
        ),
        Misconception(
            "only_the_ends",
            "It finds the ends that are no output. A node that leads only to dead ends is dead as "
            "well; and one behind an output is dead though it may have targets.",
            _gives(_ends),
        ),
        Misconception(
            "forgets_targets",
            "It knows only the nodes that have an entry in `edges`. One that appears only as a "
            "target is a node as well.",
            _forgets_targets,
        ),
    ),
    hints=(
        "Ask the other way round: which nodes are needed? The rest is dead.",
        "The outputs are needed. Which nodes lead to one that is needed? Turn the edges around "
        "first, and go from the outputs.",
    ),
    forbids=Forbidden(
        modules=LIBRARIES, why="Other libraries have this ready made; here you write it yourself."
    ),
)
