"""Order and place items within rows: the middle steps of a layered drawing, without randomness.

Source: Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System
Structures", IEEE Transactions on Systems, Man and Cybernetics 11, 1981.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from graphlib import TopologicalSorter
from math import inf
from statistics import fmean, median
from typing import NamedTuple

_SWEEPS = 12
_REPETITIONS = 60


class Rows(NamedTuple):
    """Items in rows, with lines between adjacent rows, the upper item first.

    `solid` tells for each item if it is a box or label, and not a point where a line passes.
    """

    rows: tuple[tuple[int, ...], ...]
    lines: tuple[tuple[int, int], ...]
    solid: tuple[bool, ...]


def order_rows(graph: Rows) -> Rows:
    """Reorder each row to reduce crossings, by barycentre sweeps."""
    above, below = _neighbours(graph)
    length = _path_lengths(graph, graph.rows[::-1], below)
    # Start with the longest paths on the left.
    rows = best = [sorted(row, key=lambda item: -length[item]) for row in graph.rows]
    fewest = count_crossings(rows, below)
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        rows = _sweep(rows, above) if sweep % 2 == 0 else _sweep(rows[::-1], below)[::-1]
        count = count_crossings(rows, below)
        if count < fewest:
            best, fewest = rows, count
    return graph._replace(rows=tuple(tuple(row) for row in best))


def positions(graph: Rows, distance: Callable[[int, int], float]) -> list[float]:
    """Return the position of each item along its row, from 0.

    Items in a straight line move as a block: first as far left as possible, then repeatedly towards
    the median of the items that they are connected to.
    """
    block = _straight_blocks(graph)
    count = max(block, default=-1) + 1
    gap: dict[tuple[int, int], float] = {}
    for left, right in itertools.chain.from_iterable(map(itertools.pairwise, graph.rows)):
        pair = block[left], block[right]
        gap[pair] = max(distance(left, right), gap.get(pair, 0.0))
    pulls: list[list[int]] = [[] for _ in range(count)]
    for upper, lower in graph.lines:
        if block[upper] != block[lower]:
            pulls[block[upper]].append(block[lower])
            pulls[block[lower]].append(block[upper])
    before: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    after: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    for (left, right), width in gap.items():
        before[right].append((left, width))
        after[left].append((right, width))
    position = [0.0] * count
    for number in TopologicalSorter({n: [m for m, _ in before[n]] for n in block}).static_order():
        position[number] = max((position[m] + d for m, d in before[number]), default=0.0)
    for repetition in range(_REPETITIONS):
        for number in range(count) if repetition % 2 else reversed(range(count)):
            if pulls[number]:
                target = median(position[other] for other in pulls[number])
                low = max((position[m] + d for m, d in before[number]), default=-inf)
                high = min((position[m] - d for m, d in after[number]), default=inf)
                position[number] = min(max(target, low), high)
    least = min((position[number] for number in block), default=0.0)
    return [position[number] - least for number in block]


def count_crossings(rows: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> int:
    """Return how many pairs of lines cross; `below` has the lower ends of each item's lines."""
    total = 0
    for upper, lower in itertools.pairwise(rows):
        position = {item: index for index, item in enumerate(lower)}
        ends = [sorted(position[other] for other in below[item]) for item in upper]
        for left, right in itertools.combinations(filter(None, ends), 2):
            total += sum(a > b for a in left for b in right)
    return total


def _neighbours(graph: Rows) -> tuple[list[list[int]], list[list[int]]]:
    above: list[list[int]] = [[] for _ in graph.solid]
    below: list[list[int]] = [[] for _ in graph.solid]
    for upper, lower in graph.lines:
        below[upper].append(lower)
        above[lower].append(upper)
    return above, below


def _path_lengths(
    graph: Rows, rows: Sequence[Sequence[int]], following: list[list[int]]
) -> list[int]:
    """Return the number of solid items on each item's longest path; `rows` begin at the ends."""
    length = [0] * len(graph.solid)
    for item in itertools.chain.from_iterable(rows):
        longest = max((length[other] for other in following[item]), default=0)
        length[item] = longest + graph.solid[item]
    return length


def _sweep(rows: Sequence[list[int]], neighbours: list[list[int]]) -> list[list[int]]:
    """Sort each row by the mean position of its neighbours in the row before."""
    ordered = [list(rows[0])] if rows else []
    for row in rows[1:]:
        position = {item: index for index, item in enumerate(ordered[-1])}
        weight = {
            item: fmean([position[other] for other in neighbours[item]] or [index])
            for index, item in enumerate(row)
        }
        ordered.append(sorted(row, key=weight.__getitem__))
    return ordered


def _straight_blocks(graph: Rows) -> list[int]:
    """Group items in straight lines; return the block of each item.

    A line is straight if it passes a row, or if it is on the longest path of solid items from both
    of its ends; ties take the middle one. Straight lines do not cross, so "left of" orders blocks.
    """
    above, below = _neighbours(graph)
    up = _path_lengths(graph, graph.rows, above)
    down = _path_lengths(graph, graph.rows[::-1], below)
    index_of = {item: index for row in graph.rows for index, item in enumerate(row)}

    def best(items: list[int], length: list[int]) -> int | None:
        longest = max((length[item] for item in items), default=0)
        ties = sorted((item for item in items if length[item] == longest), key=index_of.__getitem__)
        return ties[len(ties) // 2] if len(ties) % 2 else None

    block = list(range(len(graph.solid)))
    for row in graph.rows:
        straight: list[tuple[int, int]] = []
        for item in sorted(row, key=lambda item: -up[item] - down[item]):
            upper = best(above[item], up)
            if upper is None:
                continue
            passes = not graph.solid[upper] and not graph.solid[item]
            a, b = index_of[upper], index_of[item]
            if (passes or best(below[upper], down) == item) and all(
                (a - c) * (b - d) > 0 for c, d in straight
            ):
                straight.append((a, b))
                block[item] = block[upper]
    return block
