"""From positions in rows to rectangles and curves, in inches."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable
from typing import NamedTuple

from hpml.base.drawing.layering import Rows, place

_GAP_TO_LABEL, _GAP_TO_BOX, _HEAD = 0.08, 0.17, 0.13
_GAP_TO_TURN, _GAP_GROWTH, _GAP_MOST = 0.07, 0.13, 0.42
_BESIDE, _BESIDE_LINE = 0.24, 0.16

Point = tuple[float, float]


class Rectangle(NamedTuple):
    """A rectangle on the page, in inches: the centre and the size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        """The least x."""
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        """The greatest x."""
        return self.x + self.width / 2

    @property
    def top(self) -> float:
        """The least y."""
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        """The greatest y."""
        return self.y + self.height / 2


class Grid:
    """Positions along the rows and across them, and their translation to x and y."""

    def __init__(
        self,
        rows: Rows,
        sizes: list[tuple[float, float]],
        is_box: list[bool],
        doubled: Collection[int],
        *,
        rotated: bool,
    ) -> None:
        self._rotated = rotated
        self._rows = rows
        passing = len(rows.solid) - len(sizes)
        self._is_box = [*is_box, *[False] * passing]
        flipped = [(height, width) for width, height in sizes] if rotated else sizes
        self._sizes = [*flipped, *[(0.0, 0.0)] * passing]
        across = place(rows, self._apart)
        least = min(
            (a - size[0] / 2 for a, size in zip(across, self._sizes, strict=True)), default=0.0
        )
        self._across = [a - least for a in across]
        self._row_of = {thing: n for n, row in enumerate(rows.rows) for thing in row}
        self._bands = self._bands_of(doubled)

    def _apart(self, left: int, right: int) -> float:
        gap = _BESIDE if self._rows.solid[left] and self._rows.solid[right] else _BESIDE_LINE
        return (self._sizes[left][0] + self._sizes[right][0]) / 2 + gap

    def _bands_of(self, doubled: Collection[int]) -> list[tuple[float, float]]:
        """Return the band of each row, with more room between rows where lines go far sideways."""
        furthest = [0.0] * len(self._rows.rows)
        for upper, lower in self._rows.lines:
            at = self._row_of[lower]
            sideways = abs(self._across[upper] - self._across[lower])
            furthest[at] = max(furthest[at], sideways, _BESIDE if lower in doubled else 0.0)
        bands = []
        position = 0.0
        for number, row in enumerate(self._rows.rows):
            if number:
                # An arrow head needs a longer line.
                has_box = any(self._is_box[thing] for thing in row)
                position += _GAP_TO_BOX if has_box else _GAP_TO_LABEL
                if furthest[number]:
                    position += min(_GAP_TO_TURN + _GAP_GROWTH * furthest[number], _GAP_MOST)
            thickness = max(self._sizes[thing][1] for thing in row)
            bands.append((position, position + thickness))
            position += thickness
        return bands

    def size(self) -> tuple[float, float]:
        """Return width and height of everything."""
        across = max(
            (a + size[0] / 2 for a, size in zip(self._across, self._sizes, strict=True)),
            default=0.0,
        )
        along = self._bands[-1][1] if self._bands else 0.0
        return (along, across) if self._rotated else (across, along)

    def rectangle(self, thing: int) -> Rectangle:
        """Return the place of a drawn thing."""
        start, end = self._bands[self._row_of[thing]]
        x, y = self._point(self._across[thing], (start + end) / 2)
        width, height = self._sizes[thing]
        return Rectangle(x, y, *((height, width) if self._rotated else (width, height)))

    def _point(self, across: float, along: float) -> Point:
        return (along, across) if self._rotated else (across, along)

    def curve(self, things: tuple[int, ...], offset: float) -> tuple[Point, ...]:
        """Return a line through things: straight across rows, curved between them."""
        first, last = things[0], things[-1]
        bands = [self._bands[self._row_of[thing]] for thing in things]
        start = sum(bands[0]) / 2 + self._sizes[first][1] / 2
        end = sum(bands[-1]) / 2 - self._sizes[last][1] / 2
        head = _HEAD if self._is_box[last] else 0.0
        corners: list[Point] = [(self._across[first], start)]
        for upper, lower, (_, bottom), (top, _) in zip(
            things, things[1:], bands, bands[1:], strict=False
        ):
            corners.append((self._across[upper], bottom))
            if lower == last:  # what comes last is straight, for the arrow head
                corners.append((self._across[lower] + offset, top - head))
            else:
                corners.append((self._across[lower], top))
        corners.append((corners[-1][0], end))
        return tuple(self._point(*point) for point in _smooth(_without_needless(corners)))


def _without_needless(corners: list[Point]) -> list[Point]:
    """Leave out corners at which a line along the rows just goes on."""
    kept = corners[:1]
    for corner, following in zip(corners[1:], [*corners[2:], None], strict=True):
        goes_on = following is not None and kept[-1][0] == corner[0] == following[0]
        if corner != kept[-1] and not goes_on:
            kept.append(corner)
    return kept


def _smooth(corners: list[Point]) -> Iterable[Point]:
    """Join corners by curves that leave and arrive along the direction of the graph."""
    yield corners[0]
    for (x1, y1), (x2, y2) in itertools.pairwise(corners):
        middle = (y1 + y2) / 2
        yield from ((x1, middle), (x2, middle), (x2, y2))
