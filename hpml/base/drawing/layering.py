"""Rows of things connected by lines: in which order they stand, and how far apart.

The middle steps of a layered drawing (Sugiyama, Tagawa and Toda, "Methods for Visual Understanding
of Hierarchical System Structures", IEEE Transactions on Systems, Man and Cybernetics 11, 1981),
for a few hundred things. Things are numbers, every line leads from one row to the next, and the
only arithmetic is on positions along a row. Nothing is random: equal input, equal picture.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

_SWEEPS = 24
_ROUNDS = 60
_CLOSE = 1e-6


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
    rows = _first_order(given, above, below)
    best, fewest = rows, count_crossings(rows, below)
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        rows = _sweep(rows, above, below, downward=sweep % 2 == 0)
        count = count_crossings(rows, below)
        if count < fewest:
            best, fewest = rows, count
    return given._replace(rows=tuple(tuple(row) for row in best))


def place(given: Rows, apart: Callable[[int, int], float]) -> list[float]:
    """Return a position along the row for each thing, the least of them near 0.

    Lines on long paths of drawn things are made straight first, then other lines; what stands in
    one straight line moves as a block towards its neighbours.
    """
    above, below = _neighbours(given)
    block = _straight_blocks(given, above, below)
    after = _constraints(given, block, apart)
    position = _compact(len(after), after)
    pulls = _pulls(given, block, len(after))
    _relax(position, after, pulls)
    return [position[number] for number in block]


def _neighbours(given: Rows) -> tuple[list[list[int]], list[list[int]]]:
    above: list[list[int]] = [[] for _ in given.solid]
    below: list[list[int]] = [[] for _ in given.solid]
    for upper, lower in given.lines:
        below[upper].append(lower)
        above[lower].append(upper)
    return above, below


def _drawn_below(given: Rows, below: list[list[int]]) -> list[int]:
    """Return for each thing how many drawn things the best path from it down has."""
    length = [0] * len(given.solid)
    for row in reversed(given.rows):
        for thing in row:
            further = max((length[lower] for lower in below[thing]), default=0)
            length[thing] = further + given.solid[thing]
    return length


def _drawn_above(given: Rows, above: list[list[int]]) -> list[int]:
    flipped = given._replace(rows=tuple(reversed(given.rows)))
    return _drawn_below(flipped, above)


# --- order ----------------------------------------------------------------------------------------


def _first_order(given: Rows, above: list[list[int]], below: list[list[int]]) -> list[list[int]]:
    """Order rows by a depth-first walk that takes the longest way first."""
    length = _drawn_below(given, below)
    met: dict[int, int] = {}
    sources = [thing for row in given.rows for thing in row if not above[thing]]
    waiting = list(reversed(sources))
    while waiting:
        thing = waiting.pop()
        if thing in met:
            continue
        met[thing] = len(met)
        ways = sorted(below[thing], key=lambda lower: -length[lower])
        waiting.extend(reversed(ways))
    return [sorted(row, key=met.__getitem__) for row in given.rows]


def _sweep(
    rows: list[list[int]], above: list[list[int]], below: list[list[int]], downward: bool
) -> list[list[int]]:
    """Sort each row by the mean position of its neighbours in the row before."""
    rows = [list(row) for row in rows]
    numbers = range(1, len(rows)) if downward else range(len(rows) - 2, -1, -1)
    for number in numbers:
        fixed = rows[number - 1 if downward else number + 1]
        position = {thing: place for place, thing in enumerate(fixed)}
        neighbours = above if downward else below
        weight: dict[int, float] = {}
        for own, thing in enumerate(rows[number]):
            places = [position[other] for other in neighbours[thing]]
            weight[thing] = sum(places) / len(places) if places else own
        rows[number].sort(key=weight.__getitem__)
    return rows


def count_crossings(rows: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> int:
    """Return how many pairs of lines cross; `below` has the ends of the lines from each thing."""
    total = 0
    for upper, lower in itertools.pairwise(rows):
        position = {thing: place for place, thing in enumerate(lower)}
        seen: list[int] = []
        for thing in upper:
            ends = sorted(position[other] for other in below[thing])
            total += sum(len(seen) - bisect.bisect_right(seen, end) for end in ends)
            for end in ends:
                bisect.insort(seen, end)
    return total


# --- positions ------------------------------------------------------------------------------------


def _straight_blocks(given: Rows, above: list[list[int]], below: list[list[int]]) -> list[int]:
    """Group things that shall be in one straight line; return the block of each thing.

    A line is straight if it is on the longest path of drawn things both from its upper and to its
    lower end; of several that are as long, the middle one. So is one that only passes a row.
    Straight lines do not cross, so that "left of" orders the blocks.
    """
    place_of = {thing: place for row in given.rows for place, thing in enumerate(row)}
    up, down = _drawn_above(given, above), _drawn_below(given, below)

    def best(among: list[int], length: list[int]) -> int | None:
        longest = max((length[thing] for thing in among), default=0)
        found = sorted((t for t in among if length[t] == longest), key=place_of.__getitem__)
        return found[len(found) // 2] if len(found) % 2 else None

    block = [-1] * len(given.solid)
    count = 0
    for row in given.rows:
        straight: list[tuple[int, int]] = []
        for thing in sorted(row, key=lambda thing: -up[thing] - down[thing]):
            upper = best(above[thing], up)
            if upper is None:
                continue
            passes = not given.solid[upper] and not given.solid[thing]
            if passes or best(below[upper], down) == thing:
                a, b = place_of[upper], place_of[thing]
                if all((a - c) * (b - d) > 0 for c, d in straight):
                    straight.append((a, b))
                    block[thing] = block[upper]
        for thing in row:
            if block[thing] < 0:
                block[thing] = count
                count += 1
    return block


def _constraints(
    given: Rows, block: list[int], apart: Callable[[int, int], float]
) -> list[dict[int, float]]:
    """Return for each block those that stand to its right, and at what distance at least."""
    after: list[dict[int, float]] = [{} for _ in range(max(block, default=-1) + 1)]
    for row in given.rows:
        for left, right in itertools.pairwise(row):
            distances = after[block[left]]
            wanted = max(apart(left, right), distances.get(block[right], 0.0))
            distances[block[right]] = wanted
    return after


def _compact(count: int, after: list[dict[int, float]]) -> list[float]:
    """Return the middle between everything as far left and as far right as it goes."""
    missing = [0] * count
    for distances in after:
        for other in distances:
            missing[other] += 1
    order = [number for number in range(count) if missing[number] == 0]
    for number in order:  # grows while it is walked
        for other in after[number]:
            missing[other] -= 1
            if missing[other] == 0:
                order.append(other)
    least = [0.0] * count
    for number in order:
        for other, distance in after[number].items():
            least[other] = max(least[other], least[number] + distance)
    width = max(least, default=0.0)
    most = [width] * count
    for number in reversed(order):
        for other, distance in after[number].items():
            most[number] = min(most[number], most[other] - distance)
    return [(low + high) / 2 for low, high in zip(least, most, strict=True)]


def _pulls(given: Rows, block: list[int], count: int) -> list[list[int]]:
    """Return for each block the blocks that lines pull it towards, once for each line."""
    pulls: list[list[int]] = [[] for _ in range(count)]
    for upper, lower in given.lines:
        if block[upper] != block[lower]:
            pulls[block[upper]].append(block[lower])
            pulls[block[lower]].append(block[upper])
    return pulls


def _relax(position: list[float], after: list[dict[int, float]], pulls: list[list[int]]) -> None:
    """Move each block towards the median of its neighbours, as far as there is room."""
    before: list[dict[int, float]] = [{} for _ in after]
    for number, distances in enumerate(after):
        for other, distance in distances.items():
            before[other][number] = distance
    for turn in range(_ROUNDS):
        moved = 0.0
        for number in range(len(position)) if turn % 2 == 0 else reversed(range(len(position))):
            if not pulls[number]:
                continue
            wanted = _median([position[other] for other in pulls[number]])
            for other, distance in before[number].items():
                wanted = max(wanted, position[other] + distance)
            for other, distance in after[number].items():
                wanted = min(wanted, position[other] - distance)
            moved = max(moved, abs(wanted - position[number]))
            position[number] = wanted
        if moved < _CLOSE:
            break
    least = min(position, default=0.0)
    position[:] = [value - least for value in position]


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return (ordered[middle] + ordered[~middle]) / 2
