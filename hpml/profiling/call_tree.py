"""One tree of calls, whichever profiler found them: tracing, sampling or cProfile."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

Function = tuple[str, int, str]
"""File, line and name, as `cProfile` has them; a built-in function stands in file ``"~"``."""

# cProfile: calls, calls that are no recursion, own and total seconds, and the same by caller.
Edge = tuple[int, int, float, float]
Entry = tuple[int, int, float, float, Mapping[Function, Edge]]


@dataclass(frozen=True, slots=True)
class CallTree:
    """A function among its callers, with what it called."""

    name: str
    place: str
    own: float
    children: tuple[CallTree, ...] = ()
    calls: int | None = None
    total: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", self.own + sum(c.total for c in self.children))

    def walk(self) -> Iterator[tuple[int, CallTree]]:
        """Yield depth and frame of the whole tree, callers before what they call."""
        waiting = [(0, self)]
        while waiting:
            depth, frame = waiting.pop()
            yield depth, frame
            waiting.extend((depth + 1, child) for child in reversed(frame.children))

    def pruned(self, smallest: float) -> CallTree:
        """Return the tree without frames below `smallest`; their weight goes to their callers."""
        rows: list[Row] = []
        waiting = [(self, -1)]
        while waiting:
            frame, caller = waiting.pop()
            kept = [child for child in frame.children if child.total >= smallest]
            waiting.extend((child, len(rows)) for child in kept)
            own = frame.total - sum(child.total for child in kept)
            rows.append(Row(frame.name, frame.place, own, frame.calls, caller))
        return tree_of_rows(rows)


class Row(NamedTuple):
    """A frame of a tree to be, and the position of its caller, -1 for the outermost."""

    name: str
    place: str
    own: float
    calls: int | None
    caller: int


_WHOLE = Row("(whole run)", "", 0.0, None, -1)


def _outermost(tree: CallTree) -> CallTree:
    """Return what the whole run called, if that is one function."""
    return tree.children[0] if len(tree.children) == 1 and not tree.own else tree


def tree_of_rows(rows: Sequence[Row]) -> CallTree:
    """Return the tree of rows in which callers stand before what they call."""
    below: list[list[CallTree]] = [[] for _ in rows]
    for row, children in zip(reversed(rows), reversed(below), strict=True):
        children.sort(key=lambda child: -child.total)
        tree = CallTree(row.name, row.place, row.own, tuple(children), row.calls)
        if row.caller >= 0:
            below[row.caller].append(tree)
    return tree


def short_place(file: str, line: int) -> str:
    """Return a place as `pstats` prints it with its folders cut, ``"module.py:513"``."""
    if file == "~":
        return ""
    name = file if file.startswith("<") else file.replace("\\", "/").rpartition("/")[2]
    return f"{name}:{line}"


def short_name(name: str) -> str:
    """Return a built-in function's name as a program writes it."""
    if found := re.fullmatch(r"<built-in method ([\w.]+)>", name):
        return found[1]
    if found := re.fullmatch(r"<method '(\w+)' of '([\w.]+)' objects>", name):
        return f"{found[2]}.{found[1]}"
    return name


def _from_outside(entry: Entry) -> float:
    """Return a function's time in calls that no other function of the profile made."""
    primitive, calls, _, total, callers = entry
    unseen = calls - sum(edge[0] for edge in callers.values())
    if unseen <= 0:
        return 0.0
    inside = sum(edge[3] for edge in callers.values())
    return total if unseen >= primitive else max(0.0, total - inside)


def tree_of_profile(stats: Mapping[Function, Entry]) -> CallTree:
    """Return the tree of what `cProfile` counted."""
    callees: defaultdict[Function, list[tuple[Function, Edge]]] = defaultdict(list)
    for function, entry in stats.items():
        for caller, edge in entry[4].items():
            callees[caller].append((function, edge))
    roots = {function: time for function in stats if (time := _from_outside(stats[function]))}
    # A program that is one circle of calls has no root: begin where most time was spent.
    roots = roots or {f: stats[f][3] for f in sorted(stats, key=lambda f: -stats[f][3])[:1]}
    limit = 1e-4 * sum(roots.values())

    rows = [_WHOLE]
    waiting = [
        (f, time, stats[f][0], frozenset({f}), 0) for f, time in roots.items() if time > limit
    ]
    while waiting:
        function, total, calls, path, above = waiting.pop()
        whole = stats[function][3]
        share = min(1.0, total / whole) if whole > 0 else 0.0
        below = [
            (callee, edge[3] * share, round(edge[0] * share))
            for callee, edge in callees[function]
            if callee not in path and edge[3] * share > limit
        ]
        # Recursion counts time twice; a frame's children never have more than the frame.
        excess = max(1.0, sum(time for _, time, _ in below) / total) if total > 0 else 1.0
        if not above and excess > 1:
            # The outermost call, as of `exec`, made one call: what it makes inside lies in that.
            below, excess = [max(below, key=lambda each: each[1])], 1.0
        own = max(0.0, total - sum(time / excess for _, time, _ in below))
        waiting.extend((f, time / excess, n, path | {f}, len(rows)) for f, time, n in below)
        rows.append(Row(short_name(function[2]), short_place(*function[:2]), own, calls, above))
    return _outermost(tree_of_rows(rows))


def tree_of_stacks(stacks: Iterable[tuple[Sequence[tuple[str, str]], float]]) -> CallTree:
    """Return the tree of sampled stacks: name and place from the outermost call inwards, weight."""
    names, callers, weights = [_WHOLE[:2]], [_WHOLE.caller], [_WHOLE.own]
    known: dict[tuple[int, tuple[str, str]], int] = {}
    for stack, weight in stacks:
        here = 0
        for frame in stack:
            if (here, frame) not in known:
                known[here, frame] = len(names)
                names.append(frame)
                callers.append(here)
                weights.append(0.0)
            here = known[here, frame]
        weights[here] += weight
    frames = zip(names, weights, callers, strict=True)
    return _outermost(tree_of_rows([Row(*name, own, None, above) for name, own, above in frames]))
