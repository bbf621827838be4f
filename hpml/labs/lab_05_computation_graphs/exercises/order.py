"""Exercise 05.1: an order in which each node stands before its targets.

Many orders are right, so what came back is looked at, not compared with one answer.
"""

from __future__ import annotations

import graphlib
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

from hpml.base.errors import describe
from hpml.course.exercises.exercise import Case, Exercise, Forbidden, Misconception, Wrong
from hpml.course.exercises.outcomes import NoAnswer, Outcome, Raised, Returned
from hpml.course.exercises.same import shown

__all__ = ["LIBRARIES", "TOPOLOGICAL_ORDER", "Edges", "edges_of", "nodes_of", "random_graph"]

Edges = Mapping[str, Sequence[str]]

LIBRARIES = ("graphlib", "networkx", "hpml")
_LONG = 20_000


def edges_of(case: Case) -> Edges:
    """Return the graph of a case."""
    return cast("Edges", case.data["edges"])


def nodes_of(edges: Edges) -> list[str]:
    """Return every node once: those with an entry, then those that are only a target.

    >>> nodes_of({"a": ["b", "b"]})
    ['a', 'b']
    """
    targets = [target for few in edges.values() for target in few]
    return list(dict.fromkeys([*edges, *targets]))


def random_graph(generator: random.Random, size: int) -> dict[str, list[str]]:
    """Return a graph without cycles, its names and entries shuffled, at most two targets a node.

    >>> len(nodes_of(random_graph(random.Random(1), 9)))
    9
    """
    names = [
        f"{letter}{number}" for number, letter in enumerate(generator.choices("kmpqx", k=size))
    ]
    generator.shuffle(names)
    edges: dict[str, list[str]] = {}
    for place, name in enumerate(names):
        later = names[place + 1 : place + 6]
        count = generator.choice((0, 1, 1, 2, 2))
        edges[name] = generator.sample(later, min(count, len(later)))
    targets = {target for few in edges.values() for target in few}
    entries = [name for name in edges if edges[name] or name not in targets]
    spare = [name for name in edges if name not in entries and generator.random() < 0.5]
    entries += spare
    generator.shuffle(entries)
    return {name: edges[name] for name in entries}


def _cyclic(case: Case) -> bool:
    if case.part == "deep":
        return False  # by the way they are made
    try:
        graphlib.TopologicalSorter(edges_of(case)).prepare()
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
        "two separate pieces": {"a": ["b"], "x": ["y"], "b": [], "y": []},
        "nothing": {},
        "a cycle of two": {"a": ["b"], "b": ["a"]},
        "a node before itself": {"a": ["a"]},
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
    there = {f"n{i}": [f"n{i + 1}"] for i in range(_LONG)}
    call = f"topological_order({{f'n{{i}}': [f'n{{i + 1}}'] for i in range({_LONG})}})"
    cases.append(Case(f"{_LONG:,} in a row", {"edges": there}, "deep", call))
    if more:
        back = dict(reversed(there.items()))
        call = call.replace("range(20000)", "reversed(range(20000))")
        cases.append(Case(f"{_LONG:,} in a row, listed backwards", {"edges": back}, "deep", call))
    return cases


def _judge(case: Case, outcome: Outcome) -> Wrong | None:
    edges = edges_of(case)
    if isinstance(outcome, Returned):
        why = _fault(edges, outcome.value)
        if why is None:
            return None
    elif isinstance(outcome, NoAnswer):
        why = outcome.text
    else:
        why = ""
    if _cyclic(case):
        if isinstance(outcome, Raised) and "ValueError" in outcome.bases:
            return None
        return Wrong("raises ValueError", shown(outcome), "There is a cycle, so there is no order.")
    return Wrong("any order with each node once, before its targets", shown(outcome), why)


def _fault(edges: Edges, order: object) -> str | None:
    """Return why `order` is none of the graph, or None if it is one."""
    if type(order) is not list:
        return "The result must be a list."
    for name in order:
        if type(name) is not str:
            return f"The list must hold the names of the nodes, it holds {describe(name)}."
    places = {name: place for place, name in enumerate(order)}
    nodes = nodes_of(edges)
    known = set(nodes)
    for name in order:
        if name not in known:
            return f"{describe(name)} is no node of the graph."
    for name in nodes:
        if name not in places:
            return f"{describe(name)} is missing."
    if len(order) > len(places):
        (name, count) = Counter(order).most_common(1)[0]
        return f"{describe(name)} is there {count} times."
    for name, targets in edges.items():
        for target in targets:
            if places[name] >= places[target]:
                return f"{describe(name)} must stand before {describe(target)}."
    return None


def _reversed(case: Case, outcome: Outcome) -> bool:
    back: dict[str, list[str]] = {name: [] for name in nodes_of(edges_of(case))}
    for name, targets in edges_of(case).items():
        for target in targets:
            back[target].append(name)
    return isinstance(outcome, Returned) and _fault(back, outcome.value) is None


def _without_targets(case: Case, outcome: Outcome) -> bool:
    only = {name for name in nodes_of(edges_of(case)) if name not in edges_of(case)}
    if isinstance(outcome, Raised):
        return outcome.type == "KeyError" and outcome.message in map(repr, only)
    if not isinstance(outcome, Returned) or type(outcome.value) is not list or not only:
        return False
    return set(outcome.value) == set(edges_of(case))


def _repeats(case: Case, outcome: Outcome) -> bool:
    if not isinstance(outcome, Returned) or type(outcome.value) is not list:
        return False
    order: list[str] = outcome.value
    return len(set(order)) < len(order) and set(order) == set(nodes_of(edges_of(case)))


def _as_found(case: Case, outcome: Outcome) -> bool:
    """Whether a search from the starts, writing nodes down as it meets them, gives the outcome."""
    edges = edges_of(case)
    if not isinstance(outcome, Returned):
        return False
    if _cyclic(case):
        return True
    targets = {target for few in edges.values() for target in few}
    starts = [name for name in edges if name not in targets]
    return outcome.value in [_search(edges, starts, deep) for deep in (False, True)]


def _search(edges: Edges, starts: Sequence[str], deep: bool) -> list[str]:
    found: list[str] = []
    waiting = list(reversed(starts)) if deep else list(starts)
    seen = set() if deep else set(starts)
    while waiting:
        name = waiting.pop(-1 if deep else 0)
        if deep and name in seen:
            continue
        seen.add(name)
        found.append(name)
        targets = edges.get(name, ())
        for target in reversed(targets) if deep else targets:
            if target not in seen:
                waiting.append(target)
                if not deep:
                    seen.add(target)
    return found


def _recursion(case: Case, outcome: Outcome) -> bool:
    return isinstance(outcome, Raised) and outcome.type == "RecursionError"


def _no_cycles(case: Case, outcome: Outcome) -> bool:
    return _cyclic(case) and not isinstance(outcome, NoAnswer)


TOPOLOGICAL_ORDER = Exercise(
    lab="05",
    number=1,
    name="topological_order",
    statement=(
        "`topological_order(edges)` returns every node of a graph once, each before its targets: "
        "`edges['a'] == ['b', 'c']` puts `a` before `b` and `c`. A node may appear only as a "
        "target, without an entry of its own, and a target may be listed twice. Any order that "
        "keeps to this is right. A graph with a cycle has none: raise `ValueError`. A chain of "
        f"{_LONG:,} nodes is tried: a function that calls itself does not get down there, and one "
        "that looks through the whole graph again for every node does not come back in time."
    ),
    signature="topological_order(edges: dict[str, list[str]]) -> list[str]",
    example="topological_order({'a': ['b', 'c'], 'b': ['d'], 'c': ['d']})",
    shows="['a', 'b', 'c', 'd']",
    parts={"right": 2, "deep": 1},
    cases=_cases,
    judge=_judge,
    misconceptions=(
        Misconception(
            "recursion",
            "It is right while the graph is shallow and has no cycle: a function that calls itself "
            "for each target meets Python's recursion limit, in a cycle always. Keep the nodes "
            "that wait in a list of your own, and notice a cycle, or the list never gets empty.",
            _recursion,
        ),
        Misconception(
            "misses_cycles",
            "It is right for graphs without a cycle. Where there is one, some nodes can never come "
            "before their targets: notice it and raise ValueError.",
            _no_cycles,
        ),
        Misconception(
            "reversed_edges",
            "The order is right for the edges turned around: here `edges['a'] == ['b']` means that "
            "`a` comes first.",
            _reversed,
        ),
        Misconception(
            "forgets_targets",
            "It knows only the nodes that have an entry in `edges`. One that appears only as a "
            "target is a node as well.",
            _without_targets,
        ),
        Misconception(
            "repeats",
            "A node that can be reached in more than one way is written down more than once.",
            _repeats,
        ),
        Misconception(
            "as_found",
            "It writes nodes down in the order in which a search finds them. A node found early "
            "may still have another node before it: when is it certain that none is left?",
            _as_found,
        ),
    ),
    hints=(
        "Which nodes could stand first? Those that are nobody's target.",
        "Count for every node how many edges lead to it. Writing a node down takes one from each "
        "of its targets; who reaches zero may come next.",
        "If nodes are left over and none of them has zero, they wait for each other: a cycle.",
    ),
    forbids=Forbidden(
        modules=LIBRARIES, why="Other libraries have this ready made; here you write it yourself."
    ),
    seconds=10.0,
)
