"""Exercise 05.1: a topological order; many are right, so the judge checks its properties."""

from __future__ import annotations

import graphlib
import random
from collections import Counter
from collections.abc import Mapping, Sequence

from hpml.base.errors import describe
from hpml.course.lesson.exercises.edges import depths
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.lesson.exercises.outcomes import Outcome, Raised, Returned, symptom
from hpml.course.lesson.exercises.same import shown
from hpml.course.lesson.model_graphs import edges_of
from hpml.course.lesson.small_graphs import random_parents

Edges = Mapping[str, Sequence[str]]

LIBRARIES = ("graphlib", "networkx", "hpml")
_LONG = 40_000


def nodes_of(edges: Edges) -> list[str]:
    """Return every node once: those with an entry, then those that are only a target."""
    targets = [target for few in edges.values() for target in few]
    return list(dict.fromkeys([*edges, *targets]))


def random_graph(generator: random.Random, size: int) -> dict[str, list[str]]:
    """Return a shuffled graph without cycles; some targets are listed twice or have no entry."""
    parents = random_parents(generator, size)
    edges = {
        name: targets + targets[:1] * (generator.random() < 0.2)
        for name, targets in edges_of(parents).items()
    }
    entries = [n for n in edges if edges[n] or not parents[n] or generator.random() < 0.5]
    generator.shuffle(entries)
    return {name: edges[name] for name in entries}


def _cyclic(edges: Edges) -> bool:
    try:
        graphlib.TopologicalSorter(edges).prepare()
    except graphlib.CycleError:
        return True
    return False


def _cases(generator: random.Random, more: bool) -> Sequence[Case]:
    graphs: dict[str, dict[str, list[str]]] = {
        "one node": {"a": []},
        "three in a row, listed backwards": {"c": [], "b": ["c"], "a": ["b"]},
        "a diamond": {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []},
        "only a target": {"x": ["y"]},
        "a short and a long way": {"a": ["d", "b"], "d": [], "b": ["c"], "c": ["d"]},
        "the same target twice": {"x": ["y", "y"], "y": ["z"], "z": []},
        # Which of these two exposes a miscount depends on whether the last or the first is taken.
        "a target listed once and twice": {"b": ["t"], "a": ["t", "t"]},
        "listed twice, then once and late": {"a": ["t", "t"], "s": ["b"], "b": ["t"]},
        "names that contain each other": {"h10": ["h1"], "h1": ["h"], "h": [], "h11": ["h10"]},
        "an entry for each, sources last": {"d": [], "c": ["d"], "b": ["d"], "a": ["c", "b"]},
        "three targets twice each": {"s": ["a", "b", "a", "c", "b", "c"], "b": ["c"], "c": ["a"]},
        "names that are empty or a number": {"0": [""], "": ["1"], "10": ["0"]},
        "two separate pieces": {"a": ["b"], "x": ["y"], "b": [], "y": []},
        "nothing": {},
        "a cycle of two": {"a": ["b"], "b": ["a"]},
        "a node before itself": {"a": ["a"]},
        "a cycle beside nodes without entries": {"a": ["b"], "b": ["a"], "x": ["y", "z", "w"]},
        "a cycle before an end": {"a": ["b", "e"], "b": ["a"], "e": []},
        "a cycle of three beside a row": {"x": ["y"], "a": ["b"], "b": ["c"], "c": ["a"], "y": []},
        "a cycle through a target listed twice": {"a": ["b", "b"], "b": ["c"], "c": ["a", "d"]},
        "a cycle behind a start": {"s": ["a"], "a": ["b"], "b": ["c"], "c": ["a"]},
    }
    for number in range(12 if more else 1):
        graph = random_graph(generator, generator.randint(8, 24))
        graphs[f"a graph of {len(nodes_of(graph))} nodes, number {number + 1}"] = graph
    for number in range(3 if more else 0):
        graph = random_graph(generator, 15)
        first, *_, last = graphlib.TopologicalSorter(graph).static_order()
        graph.setdefault(first, []).append(last)
        graph.setdefault(last, []).append(first)
        graphs[f"a graph with a cycle, number {number + 1}"] = graph
    cases = [Case(name, {"edges": graph}) for name, graph in graphs.items()]
    letter = generator.choice("hknpq")
    short, long = depths(generator, _LONG)
    for length in (short, long):
        forwards = {f"{letter}{i}": [f"{letter}{i + 1}"] for i in range(length)}
        if length == short or not more:  # in grading, the one listed backwards is enough
            cases.append(Case(f"{length:,} in a row", {"edges": forwards}, "deep"))
    backwards = dict(reversed(forwards.items()))
    cases.append(Case(f"{long:,} in a row, listed backwards", {"edges": backwards}, "deep"))
    ring = {f"r{i}": [f"r{(i + 1) % short}"] for i in range(short)}
    cases.append(Case(f"a cycle of {short:,}", {"edges": ring}, "deep"))
    return cases


def _judge(case: Case, outcome: Outcome) -> Wrong | None:
    edges: Edges = case.data["edges"]
    why = _fault(edges, outcome.value) if isinstance(outcome, Returned) else ""
    if why is None:
        return None
    if _cyclic(edges):
        if isinstance(outcome, Raised) and "ValueError" in outcome.bases:
            return None
        return Wrong("raises ValueError", shown(outcome), "There is a cycle, so there is no order.")
    return Wrong("any order with each node once, before its targets", shown(outcome), why)


def _fault(edges: Edges, order: object) -> str | None:
    """Return why `order` is not a topological order, or None."""
    if not isinstance(order, list | tuple) or not all(type(name) is str for name in order):
        return "The result must be a list of the nodes' names."
    nodes = set(nodes_of(edges))
    for name in sorted(nodes.symmetric_difference(order)):
        return f"{describe(name)} is {'missing' if name in nodes else 'not a node of the graph'}."
    if len(order) > len(nodes):
        (name, count) = Counter(order).most_common(1)[0]
        return f"{describe(name)} occurs {count} times."
    places = {name: place for place, name in enumerate(order)}
    for name, targets in edges.items():
        for target in targets:
            if places[name] >= places[target]:
                return f"{describe(name)} must come before {describe(target)}."
    return None


def _symptom(case: Case, outcome: Outcome) -> object:
    """Return which nodes an order has and whether it is the reverse, as many orders are right."""
    edges: Edges = case.data["edges"]
    if isinstance(outcome, Raised) and outcome.type == "KeyError":
        return "KeyError"  # which key is missing depends on the order
    if not isinstance(outcome, Returned) or not isinstance(outcome.value, list | tuple):
        return symptom(case, outcome)
    if _cyclic(edges):
        return "an order of a cycle"
    back: dict[str, list[str]] = {name: [] for name in nodes_of(edges)}
    for name, targets in edges.items():
        for target in targets:
            back[target].append(name)
    nodes, order = Counter([*back]), Counter(outcome.value)
    reverse = _fault(back, outcome.value) is None
    return [sorted(nodes - order), sorted(order - nodes), reverse, bool(outcome.changed)]


def _ready_made(edges: dict[str, list[str]]) -> list[str]:
    # TopologicalSorter expects predecessors but gets successors, so the order is reversed.
    return [*graphlib.TopologicalSorter(edges).static_order()][::-1]


TOPOLOGICAL_ORDER = Exercise(
    name="topological_order",
    minutes=10,
    parts={"right": 2, "deep": 1},
    cases=_cases,
    judge=_judge,
    symptom=_symptom,
    forbids=Forbidden(
        modules=LIBRARIES,
        why="Other libraries have a ready-made function; the exercise is to write it.",
    ),
    seconds=10.0,
    provided=_ready_made,
)
