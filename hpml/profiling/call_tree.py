"""The call tree that all profilers produce."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

Function = tuple[str, int, str]
"""File, line and name, as in `cProfile`; the file of a built-in function is ``"~"``."""

# As in cProfile. An entry: primitive calls, calls, own and total seconds, and edges by caller.
# An edge: calls, primitive calls, own and total seconds.
Edge = tuple[int, int, float, float]
Entry = tuple[int, int, float, float, Mapping[Function, Edge]]


@dataclass(frozen=True, slots=True)
class CallTree:
    """A function called from one call path, with its callees."""

    name: str
    place: str
    own: float
    children: tuple[CallTree, ...] = ()
    calls: int | None = None
    total: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", self.own + sum(c.total for c in self.children))

    def walk(self) -> Iterator[tuple[int, CallTree]]:
        """Yield the depth and frame of each node in preorder."""
        waiting = [(0, self)]
        while waiting:
            depth, frame = waiting.pop()
            yield depth, frame
            waiting.extend((depth + 1, child) for child in reversed(frame.children))

    def pruned(self, smallest: float) -> CallTree:
        """Return the tree without frames below `smallest`, whose weight goes to their callers."""
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
    """A frame of a tree and the index of its caller's row, -1 for the root."""

    name: str
    place: str
    own: float
    calls: int | None
    caller: int


_ROOT = Row("(whole run)", "", 0.0, None, -1)


def _without_root(tree: CallTree) -> CallTree:
    """Return the root's only child, or the root if it has several or time of its own."""
    return tree.children[0] if len(tree.children) == 1 and not tree.own else tree


def tree_of_rows(rows: Sequence[Row]) -> CallTree:
    """Return the tree of rows in which each caller precedes its callees."""
    below: list[list[CallTree]] = [[] for _ in rows]
    for row, children in zip(reversed(rows), reversed(below), strict=True):
        children.sort(key=lambda child: -child.total)
        tree = CallTree(row.name, row.place, row.own, tuple(children), row.calls)
        if row.caller >= 0:
            below[row.caller].append(tree)
    return tree


def short_place(file: str, line: int) -> str:
    """Return a place without its folders, as `pstats` can print it: ``"module.py:513"``."""
    if file == "~":
        return ""
    name = file if file.startswith("<") else file.replace("\\", "/").rpartition("/")[2]
    return f"{name}:{line}"


def short_name(name: str) -> str:
    """Return a built-in function's name as in source code."""
    if match := re.fullmatch(r"<built-in method ([\w.]+)>", name):
        return match[1]
    if match := re.fullmatch(r"<method '(\w+)' of '([\w.]+)' objects>", name):
        return f"{match[2]}.{match[1]}"
    return name


def _root_time(entry: Entry) -> float:
    """Return a function's time in calls without a caller in the profile."""
    primitive, calls, _, total, callers = entry
    unseen = calls - sum(edge[0] for edge in callers.values())
    if unseen <= 0:
        return 0.0
    inside = sum(edge[3] for edge in callers.values())
    return total if unseen >= primitive else max(0.0, total - inside)


def tree_of_profile(stats: Mapping[Function, Entry]) -> CallTree:
    """Return the tree of a `cProfile` result."""
    callees: defaultdict[Function, list[tuple[Function, Edge]]] = defaultdict(list)
    for function, entry in stats.items():
        for caller, edge in entry[4].items():
            callees[caller].append((function, edge))
    roots = {function: time for function in stats if (time := _root_time(stats[function]))}
    # If the calls are a cycle, start with the function that took longest.
    roots = roots or {f: stats[f][3] for f in sorted(stats, key=lambda f: -stats[f][3])[:1]}
    limit = 1e-4 * sum(roots.values())

    rows = [_ROOT]
    waiting = [
        (f, time, stats[f][0], frozenset({f}), 0) for f, time in roots.items() if time > limit
    ]
    while waiting:
        function, total, calls, path, caller_row = waiting.pop()
        all_paths = stats[function][3]
        share = min(1.0, total / all_paths) if all_paths > 0 else 0.0
        below = [
            (callee, edge[3] * share, round(edge[0] * share))
            for callee, edge in callees[function]
            if callee not in path and edge[3] * share > limit
        ]
        # Recursion counts time twice, but children cannot take longer than their frame.
        excess = max(1.0, sum(time for _, time, _ in below) / total) if total > 0 else 1.0
        if not caller_row and excess > 1:
            # The outermost call, such as `exec`, makes one call, which contains all others.
            below, excess = [max(below, key=lambda each: each[1])], 1.0
        own = max(0.0, total - sum(time / excess for _, time, _ in below))
        waiting.extend((f, time / excess, n, path | {f}, len(rows)) for f, time, n in below)
        place = short_place(*function[:2])
        rows.append(Row(short_name(function[2]), place, own, calls, caller_row))
    return _without_root(tree_of_rows(rows))


def tree_of_stacks(stacks: Iterable[tuple[Sequence[tuple[str, str]], float]]) -> CallTree:
    """Return the tree of weighted stacks of (name, place), each from the outermost call inwards."""
    names, callers, weights = [_ROOT[:2]], [_ROOT.caller], [_ROOT.own]
    row_of: dict[tuple[int, tuple[str, str]], int] = {}
    for stack, weight in stacks:
        row = 0
        for frame in stack:
            if (row, frame) not in row_of:
                row_of[row, frame] = len(names)
                names.append(frame)
                callers.append(row)
                weights.append(0.0)
            row = row_of[row, frame]
        weights[row] += weight
    rows = zip(names, weights, callers, strict=True)
    return _without_root(tree_of_rows([Row(*n, own, None, caller) for n, own, caller in rows]))
