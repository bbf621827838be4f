"""Rows of things connected by lines: in which order they stand, and how far apart.

The middle steps of a layered drawing (Sugiyama, Tagawa and Toda, "Methods for Visual Understanding
of Hierarchical System Structures", IEEE Transactions on Systems, Man and Cybernetics 11, 1981),
for a few hundred things. Things are numbers, every line leads from one row to the next, and the
only arithmetic is on positions along a row. Nothing is random: equal input, equal picture.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from graphlib import TopologicalSorter
from math import inf
from statistics import fmean, median
from typing import NamedTuple

_SWEEPS = 12
_ROUNDS = 60


class Rows(NamedTuple):
    """Things in rows, with lines from each row to the next.

    Attributes:
        rows: the things of each row, in order.
        lines: pairs of things, the first in the row just before the second's.
        solid: for each thing whether it is drawn, and not just a place where a line passes.
    """

    rows: tuple[tuple[int, ...], ...]
    lines: tuple[tuple[int, int], ...]
    solid: tuple[bool, ...]


def order_rows(given: Rows) -> Rows:
    """Reorder each row so that few lines cross: barycentre sweeps.

    Equal choices are decided by the given order, and so that the path with the most drawn things
    stands left of the lines that pass it by.
    """
    above, below = _neighbours(given)
    length = _drawn_to_the_end(given, given.rows[::-1], below)
    rows = best = [sorted(row, key=lambda thing: -length[thing]) for row in given.rows]
    fewest = count_crossings(rows, below)
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        rows = _sweep(rows, above) if sweep % 2 == 0 else _sweep(rows[::-1], below)[::-1]
        count = count_crossings(rows, below)
        if count < fewest:
            best, fewest = rows, count
    return given._replace(rows=tuple(tuple(row) for row in best))


def place(given: Rows, apart: Callable[[int, int], float]) -> list[float]:
    """Return a position along the row for each thing, the least of them at 0.

    Things that shall be in one straight line move as a block: first as far left as there is room,
    then again and again towards the median of the things that lines connect them to.
    """
    block = _straight_blocks(given)
    count = max(block, default=-1) + 1
    gap: dict[tuple[int, int], float] = {}
    for left, right in itertools.chain.from_iterable(map(itertools.pairwise, given.rows)):
        pair = block[left], block[right]
        gap[pair] = max(apart(left, right), gap.get(pair, 0.0))
    pulls: list[list[int]] = [[] for _ in range(count)]
    for upper, lower in given.lines:
        if block[upper] != block[lower]:
            pulls[block[upper]].append(block[lower])
            pulls[block[lower]].append(block[upper])
    before: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    after: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    for (left, right), distance in gap.items():
        before[right].append((left, distance))
        after[left].append((right, distance))
    position = [0.0] * count
    for number in TopologicalSorter({n: [m for m, _ in before[n]] for n in block}).static_order():
        position[number] = max((position[m] + d for m, d in before[number]), default=0.0)
    for turn in range(_ROUNDS):
        for number in range(count) if turn % 2 else reversed(range(count)):
            if pulls[number]:
                wanted = median(position[other] for other in pulls[number])
                low = max((position[m] + d for m, d in before[number]), default=-inf)
                high = min((position[m] - d for m, d in after[number]), default=inf)
                position[number] = min(max(wanted, low), high)
    least = min((position[number] for number in block), default=0.0)
    return [position[number] - least for number in block]


def count_crossings(rows: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> int:
    """Return how many pairs of lines cross; `below` has the ends of the lines from each thing."""
    total = 0
    for upper, lower in itertools.pairwise(rows):
        position = {thing: place for place, thing in enumerate(lower)}
        ends = [sorted(position[other] for other in below[thing]) for thing in upper]
        for left, right in itertools.combinations(filter(None, ends), 2):
            total += sum(a > b for a in left for b in right)
    return total


def _neighbours(given: Rows) -> tuple[list[list[int]], list[list[int]]]:
    above: list[list[int]] = [[] for _ in given.solid]
    below: list[list[int]] = [[] for _ in given.solid]
    for upper, lower in given.lines:
        below[upper].append(lower)
        above[lower].append(upper)
    return above, below


def _drawn_to_the_end(
    given: Rows, rows: Sequence[Sequence[int]], following: list[list[int]]
) -> list[int]:
    """Return for each thing how many drawn things the best path from it has; `rows` end with it."""
    length = [0] * len(given.solid)
    for thing in itertools.chain.from_iterable(rows):
        further = max((length[other] for other in following[thing]), default=0)
        length[thing] = further + given.solid[thing]
    return length


def _sweep(rows: Sequence[list[int]], neighbours: list[list[int]]) -> list[list[int]]:
    """Sort each row by the mean position of its neighbours in the row before."""
    found = [list(rows[0])] if rows else []
    for row in rows[1:]:
        position = {thing: place for place, thing in enumerate(found[-1])}
        weight = {
            thing: fmean([position[other] for other in neighbours[thing]] or [own])
            for own, thing in enumerate(row)
        }
        found.append(sorted(row, key=weight.__getitem__))
    return found


def _straight_blocks(given: Rows) -> list[int]:
    """Group things that shall be in one straight line; return the block of each thing.

    A line is straight if it is on the longest path of drawn things both from its upper and to its
    lower end; of several that are as long, the middle one. So is one that only passes a row.
    Straight lines do not cross, so that "left of" orders the blocks.
    """
    above, below = _neighbours(given)
    up = _drawn_to_the_end(given, given.rows, above)
    down = _drawn_to_the_end(given, given.rows[::-1], below)
    place_of = {thing: place for row in given.rows for place, thing in enumerate(row)}

    def best(among: list[int], length: list[int]) -> int | None:
        longest = max((length[thing] for thing in among), default=0)
        found = sorted((t for t in among if length[t] == longest), key=place_of.__getitem__)
        return found[len(found) // 2] if len(found) % 2 else None

    block = list(range(len(given.solid)))
    for row in given.rows:
        straight: list[tuple[int, int]] = []
        for thing in sorted(row, key=lambda thing: -up[thing] - down[thing]):
            upper = best(above[thing], up)
            if upper is None:
                continue
            passes = not given.solid[upper] and not given.solid[thing]
            a, b = place_of[upper], place_of[thing]
            if (passes or best(below[upper], down) == thing) and all(
                (a - c) * (b - d) > 0 for c, d in straight
            ):
                straight.append((a, b))
                block[thing] = block[upper]
    return block
