"""The call tree that all profilers produce."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, Self, TypeVar

Function = tuple[str, int, str]
"""File, line and name, as in `cProfile`; the file of a built-in function is ``"~"``."""

# As in cProfile. An entry: primitive calls, calls, own and total seconds, and edges by caller.
# An edge: calls, primitive calls, own and total seconds.
Edge = tuple[int, int, float, float]
Entry = tuple[int, int, float, float, Mapping[Function, Edge]]


@dataclass(frozen=True, slots=True)
class CallTree:
    """A function called from one call path, with its callees.

    Attributes:
        own: its own weight, in seconds or samples.
        calls: how often this path called it; None if unknown.
        estimated: whether the weights are estimates.
    """

    name: str
    place: str
    own: float
    children: tuple[CallTree, ...] = ()
    calls: int | None = None
    estimated: bool = False
    total: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", self.own + sum(c.total for c in self.children))

    def walk(self) -> Iterator[tuple[int, CallTree]]:
        """Yield the depth and frame of each node in preorder."""
        return preorder(self)

    def pruned(self, smallest: float) -> CallTree:
        """Return the tree without frames below `smallest`, whose weight goes to their callers."""
        rows: list[Row] = []
        waiting = [(self, -1)]
        while waiting:
            frame, caller = waiting.pop()
            kept = [child for child in frame.children if child.total >= smallest]
            waiting.extend((child, len(rows)) for child in kept)
            own = frame.total - sum(child.total for child in kept)
            rows.append(Row(frame.name, frame.place, own, frame.calls, caller, frame.estimated))
        return tree_of_rows(rows)


class Tree(Protocol):
    """What has callees of its own kind."""

    @property
    def children(self) -> tuple[Self, ...]: ...


T = TypeVar("T", bound=Tree)


def preorder(tree: T) -> Iterator[tuple[int, T]]:
    """Yield the depth and frame of each node of a tree, a caller before its callees."""
    waiting = [(0, tree)]
    while waiting:
        depth, frame = waiting.pop()
        yield depth, frame
        waiting.extend((depth + 1, child) for child in reversed(frame.children))


WHOLE = "(whole run)"
"""The root of a tree whose run had several outermost calls."""


class Row(NamedTuple):
    """A frame of a tree and the index of its caller's row, -1 for the root."""

    name: str
    place: str
    own: float
    calls: int | None
    caller: int
    estimated: bool = False


_ROOT = Row(WHOLE, "", 0.0, None, -1)


def _without_root(tree: CallTree) -> CallTree:
    """Return the root's only child, or the root if it has several or time of its own."""
    return tree.children[0] if len(tree.children) == 1 and not tree.own else tree


def tree_of_rows(rows: Sequence[Row]) -> CallTree:
    """Return the tree of rows in which each caller precedes its callees."""
    below: list[list[CallTree]] = [[] for _ in rows]
    for row, children in zip(reversed(rows), reversed(below), strict=True):
        children.sort(key=lambda child: -child.total)
        name, place, own, calls, _, estimated = row
        tree = CallTree(name, place, own, tuple(children), calls, estimated)
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


def _root_edge(entry: Entry) -> Edge:
    """Return a function's calls without a caller in the profile."""
    calls = entry[1] - sum(edge[0] for edge in entry[4].values())
    own = max(0.0, entry[2] - sum(edge[2] for edge in entry[4].values()))
    return calls, calls, own, _root_time(entry)


class _Path(NamedTuple):
    """A call path in the making: its last function, the calls along it, and its caller's row."""

    function: Function
    edge: Edge
    above: frozenset[Function]
    row: int
    exact: bool


_SMALL = ("(small calls)", "")
_NOWHERE: Function = ("", 0, "")


def _scaled(edge: Edge, factor: float) -> Edge:
    """Return an edge with a part of its times; calls are not scaled."""
    return edge[0], edge[1], factor * edge[2], factor * edge[3]


def tree_of_profile(stats: Mapping[Function, Entry]) -> CallTree:
    """Return the tree of a `cProfile` result, an estimate where it stores too little.

    A profile stores pairs of caller and function. So the times of a path are known as long as each
    of its callers has one caller itself. Below a function with several callers, times are divided
    in proportion. Recursive calls have no box: their time is in the box of the first call. The own
    times of all boxes of a function sum to the profile's.
    """
    callees: defaultdict[Function, list[tuple[Function, Edge]]] = defaultdict(list)
    for function, entry in stats.items():
        for caller, edge in entry[4].items():
            callees[caller].append((function, edge))
    roots = {function: edge for function in stats if (edge := _root_edge(stats[function]))[3]}
    # If the calls are a cycle, start with the function that took longest.
    first = sorted(stats, key=lambda f: -stats[f][3])[:1]
    roots = roots or {function: stats[function][:4] for function in first}
    limit = 1e-4 * sum(edge[3] for edge in roots.values())

    rows, functions = [_ROOT], [_NOWHERE]
    waiting = [_Path(f, edge, frozenset(), 0, True) for f, edge in roots.items() if edge[3] > limit]
    while waiting:
        function, (calls, _, own, total), above, row_above, exact = waiting.pop()
        primitive, all_calls, all_own, all_total, _ = stats[function]
        recursive = primitive != all_calls
        path = above | {function}
        inside = all_total - all_own
        factor = total / all_total if recursive or inside <= 0 else (total - own) / inside
        factor = min(1.0, max(0.0, factor))
        reached = [(f, _scaled(edge, factor)) for f, edge in callees[function]]
        below = [(f, edge) for f, edge in reached if f not in path]
        if not row_above and sum(edge[3] for _, edge in below) > 1.001 * total:
            # The outermost call, such as `exec`, makes one call, which contains all others. The
            # program may call the function itself, once more.
            below, path = [max(below, key=lambda each: each[1][3])], above
        left_out = len(below) < len(reached)
        estimated = not exact or recursive or left_out
        place, number = short_place(*function[:2]), len(rows)
        counted = calls if exact and not recursive else None
        rows.append(Row(short_name(function[2]), place, own, counted, row_above, estimated))
        functions.append(function)
        # The calls of this box are all calls of the function: what it calls is known, too.
        whole = exact and not recursive and calls == all_calls
        for callee, edge in below:
            if edge[3] > limit:
                waiting.append(_Path(callee, edge, path, number, whole))
        small = sum(edge[3] for _, edge in below if edge[3] <= limit)
        if small:
            rows.append(Row(*_SMALL, small, None, number, estimated or not whole))
            functions.append(_NOWHERE)
    return _without_root(tree_of_rows(_with_own_times(rows, functions, stats)))


def _with_own_times(
    rows: Sequence[Row], functions: Sequence[Function], stats: Mapping[Function, Entry]
) -> list[Row]:
    """Return rows in which the own times of each function sum to its own time in the profile."""
    boxes: defaultdict[Function, list[int]] = defaultdict(list)
    for number, function in enumerate(functions):
        boxes[function].append(number)
    found = list(rows)
    for function, numbers in boxes.items():
        if function == _NOWHERE:
            continue
        own, weights = stats[function][2], [rows[number].own for number in numbers]
        total = sum(weights)
        for number, weight in zip(numbers, weights, strict=True):
            share = weight / total if total else 1 / len(numbers)
            found[number] = rows[number]._replace(own=own * share)
    return found


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
