"""Traces for the exercises of lab 09, and their oracles."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

Event = tuple[str, str, int]
"""``"enter"`` or ``"leave"``, a function, and a time in nanoseconds."""

_MINE = ("clean", "load", "merge", "parse", "rank", "read", "report", "score", "split", "total")
_LIBRARY = ("copy.deepcopy", "dict.get", "json.dumps", "list.append", "re.sub", "sorted")


class Call(NamedTuple):
    """A call in a trace: its function, its own time, and its callers."""

    function: str
    own: int
    above: tuple[str, ...]


def events_of(call: Any, start: int = 0) -> list[Event]:
    """Return the trace of a call, given as its function and a list of times and calls."""
    function, steps = call
    events, now = [("enter", function, start)], start
    for each in steps:
        if isinstance(each, int):
            now += each
        else:
            events += events_of(each, now)
            now = events[-1][2]
    return [*events, ("leave", function, now)]


def chain(depth: int, functions: int | None = None) -> list[Event]:
    """Return the trace of `depth` nested calls of as many functions, or of `functions` in turn."""
    names = [f"f{number % (functions or depth)}" for number in range(depth)]
    enters = [("enter", name, 3 * number) for number, name in enumerate(names)]
    end = 3 * depth
    leaves = [("leave", name, end + 2 * (depth - k)) for k, name in enumerate(names)]
    return [*enters, *reversed(leaves)]


def calls_of(events: Sequence[Event]) -> list[Call]:
    """Return the calls of a trace, by matching each leave with its enter."""
    found = []
    waiting: list[tuple[str, int, list[int]]] = []
    for kind, function, time in events:
        if kind == "enter":
            waiting.append((function, time, []))
            continue
        name, start, below = waiting.pop()
        if waiting:
            waiting[-1][2].append(time - start)
        above = tuple(each for each, _, _ in waiting[:40])
        found.append(Call(name, time - start - sum(below), above))
    return found


def own_times(events: Sequence[Event]) -> dict[str, int]:
    """Return the self time of each function of a trace."""
    times: dict[str, int] = {}
    for call in calls_of(events):
        times[call.function] = times.get(call.function, 0) + call.own
    return times


def to_fix(events: Sequence[Event], mine: set[str]) -> list[str]:
    """Return the own functions with the longest time, including the library calls they make."""
    times = dict.fromkeys(sorted(mine), 0)
    for call in calls_of(events):
        payers = [name for name in (*call.above, call.function) if name in mine]
        if payers:
            times[payers[-1]] += call.own
    return [name for name, time in times.items() if time == max(times.values())]


def draw(generator: random.Random, *, recursion: bool, again: bool = True) -> list[Event]:
    """Return the trace of a random program: `main`, and some functions below it."""
    names = generator.sample(_MINE, 6)
    scale = {name: generator.choice((1, 2, 5, 12, 30)) for name in names} | {"main": 1}
    left = list(names)

    def call(name: str, depth: int) -> Any:
        steps: list[Any] = [generator.randint(1, 9) * scale[name]]
        for _ in range(generator.randint(0, 3) if depth else generator.randint(4, 5)):
            known = names[depth:] if again else left
            if depth > 3 or not known:
                break
            itself = recursion and depth and generator.random() < 0.4
            below = name if itself else generator.choice(known)
            if not again:
                left.remove(below)
            steps += [call(below, depth + 1), generator.randint(1, 9) * scale[name]]
        return name, steps

    return events_of(call("main", 0))


def misleading(generator: random.Random, part: str) -> tuple[list[Event], set[str]]:
    """Return a random trace for which wrong rules name other functions than the right one.

    `main` has the longest total time, another function the most calls, a third the longest call,
    and in the part "library" a foreign function the longest own time.
    """
    target, often, once = generator.sample(_MINE, 3)
    calls: list[Any] = [(often, [generator.randint(1, 2)]) for _ in range(generator.randint(9, 14))]
    calls.append((once, [generator.randint(70, 90)]))
    outer, inner = generator.sample(_LIBRARY, 2)
    for _ in range(3):
        time = generator.randint(40, 50)
        steps = {
            "right": [time],
            "library": [1, (outer, [2, (inner, [time]), 1]), 2],
            "recursion": [time // 2, (target, [time // 2]), 1],
        }[part]
        calls.append((target, steps))
    generator.shuffle(calls)
    steps = [each for call in calls for each in (generator.randint(1, 2), call)]
    return events_of(("main", [*steps, 1])), {"main", target, often, once}
