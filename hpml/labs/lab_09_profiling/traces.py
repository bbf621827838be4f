"""Traces for the exercises of lab 09, and their oracles."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

Event = tuple[str, str, int]
"""``"enter"`` or ``"leave"``, a function, and a time in nanoseconds."""

_MINE = ("clean", "load", "merge", "parse", "rank", "read", "report", "score", "split", "total")
_LIBRARY = ("copy.deepcopy", "dict.get", "json.dumps", "list.append", "re.sub", "sorted")


class Call(NamedTuple):
    """A call in a trace: its function, its total and own time, and its callers."""

    function: str
    total: int
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


def chain(depth: int) -> list[Event]:
    """Return the trace of `depth` nested calls."""
    enters = [("enter", f"f{number}", 3 * number) for number in range(depth)]
    end = 3 * depth
    leaves = [("leave", f"f{number}", end + 2 * (depth - number)) for number in range(depth)]
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
        found.append(Call(name, time - start, time - start - sum(below), above))
    return found


def own_times(events: Sequence[Event]) -> dict[str, int]:
    """Return the self time of each function of a trace."""
    times: defaultdict[str, int] = defaultdict(int)
    for call in calls_of(events):
        times[call.function] += call.own
    return dict(times)


def charged_times(events: Sequence[Event], mine: set[str]) -> dict[str, int]:
    """Return the times of a program's own functions, including the library calls they make."""
    times = dict.fromkeys(mine, 0)
    for call in calls_of(events):
        payers = [name for name in (*call.above, call.function) if name in mine]
        if payers:
            times[payers[-1]] += call.own
    return times


def to_fix(events: Sequence[Event], mine: set[str]) -> str:
    """Return the own function with the longest time, including its library calls."""
    times = charged_times(events, mine)
    return max(times, key=lambda name: times[name])


def draw(
    generator: random.Random, *, recursion: bool, again: bool = True, library: bool = False
) -> list[Event]:
    """Return the trace of a random program: `main`, and some functions below it."""
    names = generator.sample(_MINE, 6)
    foreign = generator.sample(_LIBRARY, 3) if library else []
    scale = {name: generator.choice((1, 2, 5, 12, 30)) for name in (*names, *foreign)} | {"main": 1}
    left = list(names)

    def call(name: str, depth: int) -> Any:
        steps: list[Any] = [generator.randint(1, 9) * scale[name]]
        for _ in range(generator.randint(0, 3) if depth else generator.randint(4, 5)):
            known = [*names[depth:], *foreign] if again else left
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
    """Return a random trace for which wrong rules name other functions than the right one."""
    while True:
        events = draw(generator, recursion=part == "recursion", library=part == "library")
        mine = {function for _, function, _ in events} - set(_LIBRARY)
        times = sorted(charged_times(events, mine).values())
        if len(times) > 3 and times[-1] > 1.2 * times[-2]:
            others = _wrong_names(events, mine, part == "library")
            if to_fix(events, mine) not in others and len(others) > 2:
                return events, mine


def _wrong_names(events: Sequence[Event], mine: set[str], library: bool) -> set[str]:
    """Return what other rules name: the longest total, the most calls, the longest call."""
    calls, own = calls_of(events), own_times(events)
    counts = Counter(call.function for call in calls if call.function in mine)
    names = sorted(mine)  # the order of a set differs between processes
    found = {
        max(calls, key=lambda call: call.total).function,
        max(names, key=lambda name: counts[name]),
        max((c for c in calls if c.function in mine), key=lambda c: c.own).function,
    }
    if library:  # the longest own time, of all functions and of the program's own
        found |= {max(own, key=lambda name: own[name]), max(names, key=lambda name: own[name])}
    return found
