"""Exercise 03.1: find a reference cycle."""

from __future__ import annotations

import graphlib
import random
import textwrap
from collections.abc import Sequence

from hpml.course.labs.lab_03_memory.harness import objects, observed_cycle
from hpml.course.lesson.exercises.edges import depths
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.lesson.exercises.outcomes import Outcome, Returned, entry, symptom
from hpml.course.lesson.exercises.same import shown

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
    arrows = [f"{place}→{other}" for place, others in enumerate(refers) for other in others]
    text = textwrap.shorten(", ".join(arrows), 70, placeholder=" ...") or "no references"
    call = f"find_cycle(objects)  # {'/'.join(dict.fromkeys(types)) or 'no objects'}: {text}"
    if hidden:
        call += f"; not given: {', '.join(map(str, hidden))}"
    data = {"refers": refers, "kinds": types, "hidden": hidden}
    return Case(name, data, part, call)


def _ladder(rungs: int) -> list[list[int]]:
    """Return references that branch and join again: very many paths, and no cycle."""
    refers = [[2 * rung + 2, 2 * rung + 3] for rung in range(rungs) for _ in range(2)]
    return [*refers, [], []]


def _backwards(refers: Sequence[Sequence[int]]) -> list[list[int]]:
    last = len(refers) - 1
    return [[last - other for other in others] for others in reversed(refers)]


def _random_references(generator: random.Random, count: int, cycle: bool) -> list[list[int]]:
    """Return random references without a cycle, or with one."""
    refers = [
        generator.sample(range(place), min(place, generator.randint(0, 3)))
        for place in range(count)
    ]
    if cycle:
        ring = sorted(generator.sample(range(count), generator.randint(2, 5)))
        for place, after in zip(ring, [*ring[1:], ring[0]], strict=True):
            refers[place] = [after, *refers[place]][:3]
    names = generator.sample(range(count), count)
    renamed = {names[place]: [names[o] for o in others] for place, others in enumerate(refers)}
    return [renamed[place] for place in range(count)]


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
        _references("a path out of a cycle", [[1, 3], [2], [0], []], _KINDS),
        _references("thirty diamonds", _ladder(30), node, "deep"),
        _references("thirty diamonds, the last first", _backwards(_ladder(30)), node, "deep"),
        _references("a dict and itself in another", [[1], [1]], ("list", "dict")),
        _references("only the last in itself", [[], [], [2]], _KINDS),
        _references("a node that refers twice to another", [[1, 1], [2], []], node),
        _references("two cycles that share an object", [[1, 2], [0], [0]], _KINDS),
        _references("two cycles apart", [[1], [0], [3], [2]], ("dict",)),
        _references("equal lists, each in the next", [[2], [3], [], []]),
        _references("a cycle of one not given", [[1], [1]], hidden=[1]),
        _references("one not given refers to two", [[1], [0, 2], []], _KINDS, hidden=[1]),
        _references("a cycle beside one not given", [[3, 1], [2], [0], [0]], node, hidden=[3]),
    ]  # fmt: skip
    for depth in depths(generator, _DEEP):
        closes = _chain(depth, generator.randrange(depth - 1))
        cases += [
            _references(f"a chain of {depth:,}", _chain(depth, None), node, "deep"),
            _references(f"a chain of {depth:,} that closes", closes, node, "deep"),
            _references(f"a cycle of {depth:,}", _chain(depth, 0), node, "deep"),
        ]
    for number in range(8 if more else 2):
        cycle = number % 2 == 0
        refers = _random_references(generator, generator.randint(6, 14), cycle)
        which = "with" if cycle else "without"
        cases.append(_references(f"drawn, {which} a cycle, number {number + 1}", refers, _KINDS))
    return cases


def _has_cycle(case: Case) -> bool:
    hidden = set(case.data["hidden"])
    references = enumerate(case.data["refers"])
    graph = {place: {*others} - hidden for place, others in references if place not in hidden}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError:
        return True
    return False


def _fault(case: Case, found: object) -> str:
    """Return why the numbers of the returned objects are wrong, or an empty text."""
    if not isinstance(found, list):
        return "It is not a list."
    if not {*found}.issubset(range(len(case.data["refers"]))) or {*found} & {*case.data["hidden"]}:
        return "It names an object that is not in `objects`."
    if not found:
        return "There is a cycle." if _has_cycle(case) else ""
    if len(set(found)) < len(found):
        return "It names an object twice."
    pairs = zip(found, [*found[1:], found[0]], strict=True)
    if all(after in case.data["refers"][place] for place, after in pairs):
        return ""
    return "An object does not refer to the next one, or the last one not to the first."


def _judge_cycle(case: Case, outcome: Outcome) -> Wrong | None:
    found = entry(outcome, "cycle")
    if not isinstance(found, Returned):  # the error says more than any sentence here
        fault, why = "raised", ""
    else:
        fault = why = _fault(case, found.value)
    expected = "the numbers of a cycle's objects" if _has_cycle(case) else "[], there is no cycle"
    return Wrong(expected, shown(found), why) if fault else None


def _cycle_symptom(case: Case, outcome: Outcome) -> object:
    found = entry(outcome, "cycle")
    if isinstance(found, Returned):
        return [_fault(case, found.value), bool(found.changed)]
    return symptom(case, outcome)


FIND_CYCLE = Exercise(
    name="find_cycle",
    minutes=15,
    parts={"right": 1, "deep": 1},
    cases=_cycle_cases,
    judge=_judge_cycle,
    symptom=_cycle_symptom,
    core=False,
    forbids=Forbidden(
        modules=("graphlib", "networkx"),
        names=("setrecursionlimit",),
        why="The search is the exercise.",
    ),
    arguments=objects,
    observe=observed_cycle,
    seconds=10,
)
