"""Exercise 03.1: find a reference cycle."""

from __future__ import annotations

import graphlib
import random
from collections.abc import Sequence

from hpml.course.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.exercises.outcomes import Outcome, Raised, Returned, observed, symptom
from hpml.course.exercises.same import shown
from hpml.labs.lab_03_memory.harness import objects, observed_cycle

_DEEP = 5_000
_KINDS = ("list", "dict", "node")


def _references(
    name: str,
    refers: Sequence[Sequence[int]],
    kinds: Sequence[str] = ("list",),
    part: str = "right",
    hidden: Sequence[int] = (),
) -> Case:
    types = [kinds[place % len(kinds)] for place in range(len(refers))]
    arrows = ", ".join(
        f"{place}→{other}" for place, others in enumerate(refers) for other in others
    )
    names = "objects" if len(arrows) > 70 else arrows or "no references"
    given = [place for place in range(len(refers)) if place not in hidden]
    call = f"find_cycle(objects)  # {len(given)} of {'/'.join(dict.fromkeys(types))}: {names}"
    if not refers:
        call = "find_cycle([])"
    if hidden:
        call += f"; without {', '.join(map(str, hidden))}"
    data = {"refers": [list(others) for others in refers], "kinds": types, "hidden": list(hidden)}
    return Case(name, data, part, call)


def _ladder(rungs: int) -> list[list[int]]:
    """Return references that branch and join again: very many paths, and no cycle."""
    refers = [[2 * rung + 2, 2 * rung + 3] for rung in range(rungs) for _ in range(2)]
    return [*refers, [], []]


def _backwards(refers: Sequence[Sequence[int]]) -> list[list[int]]:
    last = len(refers) - 1
    return [[last - other for other in others] for others in reversed(refers)]


def random_references(generator: random.Random, count: int, cycle: bool) -> list[list[int]]:
    """Return random references without a cycle, or with one."""
    refers = [
        generator.sample(range(place), min(place, generator.randint(0, 3)))
        for place in range(count)
    ]
    if cycle:
        low, *middle, high = sorted(generator.sample(range(count), generator.randint(2, 5)))
        ring = [low, *middle, high]
        for place, after in zip(ring, [*ring[1:], low], strict=True):
            refers[place] = [after, *refers[place]][:3]
    names = list(range(count))
    generator.shuffle(names)
    mixed: list[list[int]] = [[] for _ in names]
    for place, others in enumerate(refers):
        mixed[names[place]] = [names[other] for other in others]
    return mixed


def _chain(length: int, back_to: int | None) -> list[list[int]]:
    return [*([place + 1] for place in range(length - 1)), [] if back_to is None else [back_to]]


def _cycle_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    node = ("node",)
    cases = [
        _references("two lists, each in the other", [[1], [0]]),
        _references("one after the other", [[1], [2], []]),
        _references("a list in itself", [[0]]),
        _references("nothing", []),
        _references("a path that leads into a cycle", [[1], [2], [3], [1]]),
        _references("an object that two others refer to", [[1, 2], [3], [3], []]),
        _references("the cycle begins elsewhere", [[], [2], [3], [1]], _KINDS),
        _references("objects that cannot be compared", [[1], [2], [0]], node),
        _references("the cycle goes through one not given", [[1], [2], [0]], node, hidden=[1]),
        _references("a path out of a cycle", [[1, 3], [2], [1], []], _KINDS),
        _references("thirty diamonds", _ladder(30), node, "deep"),
        _references("thirty diamonds, the last first", _backwards(_ladder(30)), node, "deep"),
        _references(f"a chain of {_DEEP:,}", _chain(_DEEP, None), node, "deep"),
        _references(
            f"a chain of {_DEEP:,} that closes", _chain(_DEEP, generator.randrange(_DEEP - 1)),
            node, "deep",
        ),
    ]  # fmt: skip
    for number in range(8 if more else 2):
        cycle = number % 2 == 0
        refers = random_references(generator, generator.randint(6, 14), cycle)
        which = "with" if cycle else "without"
        cases.append(_references(f"drawn, {which} a cycle, number {number + 1}", refers, _KINDS))
    return cases


def has_cycle(refers: Sequence[Sequence[int]], hidden: Sequence[int]) -> bool:
    """Return whether the objects that are not hidden contain a cycle."""
    graph = {place: set(refers[place]) - {*hidden} for place in range(len(refers))}
    for place in hidden:
        del graph[place]
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError:
        return True
    return False


def _cycle_fault(case: Case, outcome: Outcome) -> str:
    data = case.data
    found = (observed(outcome) or {}).get("cycle")
    if not isinstance(found, list):
        return "It is not a list."
    if -1 in found or set(found) & set(data["hidden"]):
        return "It names an object that is not in `objects`."
    if not found:
        return "There is a cycle." if has_cycle(data["refers"], data["hidden"]) else ""
    if len(set(found)) < len(found):
        return "It names an object twice."
    for place, after in zip(found, [*found[1:], found[0]], strict=True):
        if after not in data["refers"][place]:
            return (
                "An object does not refer to the next one, or the last one does not refer to "
                "the first."
            )
    return ""


def _judge_cycle(case: Case, outcome: Outcome) -> Wrong | None:
    fault = _cycle_fault(case, outcome)
    if not fault:
        return None
    data = case.data
    cycle = has_cycle(data["refers"], data["hidden"])
    expected = "a list of the objects of a cycle" if cycle else "[], there is no cycle"
    found = (observed(outcome) or {}).get("cycle")
    if isinstance(found, list):
        names = ["another object" if place == -1 else f"object {place}" for place in found[:8]]
        return Wrong(expected, f"[{', '.join(names)}{', ...' * (len(found) > 8)}]", fault)
    kind = (observed(outcome) or {}).get("result")
    return Wrong(expected, f"a {kind}" if kind else shown(outcome))


def _cycle_symptom(case: Case, outcome: Outcome) -> object:
    if isinstance(outcome, Returned):
        return [_cycle_fault(case, outcome), bool(outcome.changed)]
    if isinstance(outcome, Raised) and outcome.type == "KeyError":
        return "KeyError"  # the missing key is an address
    return symptom(case, outcome)


FIND_CYCLE = Exercise(
    name="find_cycle",
    parts={"right": 1, "deep": 1},
    cases=_cycle_cases,
    judge=_judge_cycle,
    symptom=_cycle_symptom,
    core=False,
    forbids=Forbidden(modules=("graphlib", "networkx"), names=("setrecursionlimit",),
                      why="The search is the exercise."),
    arguments=objects,
    observe=observed_cycle,
    seconds=10,
)  # fmt: skip
