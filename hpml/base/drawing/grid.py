"""Convert positions in rows to rectangles and curves, in inches."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import NamedTuple

from hpml.base.drawing.layering import Rows, positions

_GAP_TO_LABEL, _GAP_TO_BOX, _HEAD = 0.08, 0.17, 0.13
_GAP_TO_TURN, _GAP_GROWTH, _GAP_MOST = 0.07, 0.13, 0.42
_BESIDE, _BESIDE_LINE = 0.24, 0.16

Point = tuple[float, float]


class Rectangle(NamedTuple):
    """A rectangle on the page, by its centre and size in inches."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2

    @property
    def top(self) -> float:
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height / 2


class Grid:
    """Positions along and across the rows, and their conversion to x and y."""

    def __init__(
        self, rows: Rows, sizes: list[tuple[float, float]], is_box: list[bool], *, rotated: bool
    ) -> None:
        self._rotated = rotated
        self._rows = rows
        passing = len(rows.solid) - len(sizes)
        self._is_box = [*is_box, *[False] * passing]
        flipped = [(height, width) for width, height in sizes] if rotated else sizes
        self._sizes = [*flipped, *[(0.0, 0.0)] * passing]
        across = positions(rows, self._distance)
        halves = [width / 2 for width, _ in self._sizes]
        least = min((a - half for a, half in zip(across, halves, strict=True)), default=0.0)
        self._across = [a - least for a in across]
        self._row_of = {item: n for n, row in enumerate(rows.rows) for item in row}
        self._bands = self._bands_of()
        width = max((a + half for a, half in zip(self._across, halves, strict=True)), default=0.0)
        self.size = self._point(width, self._bands[-1][1] if self._bands else 0.0)
        """Total width and height."""

    def _distance(self, left: int, right: int) -> float:
        gap = _BESIDE if self._rows.solid[left] and self._rows.solid[right] else _BESIDE_LINE
        return (self._sizes[left][0] + self._sizes[right][0]) / 2 + gap

    def _bands_of(self) -> list[tuple[float, float]]:
        """Return start and end of each row, with a larger gap before rows with long diagonals."""
        furthest = [0.0] * len(self._rows.rows)
        for upper, lower in self._rows.lines:
            at = self._row_of[lower]
            furthest[at] = max(furthest[at], abs(self._across[upper] - self._across[lower]))
        bands = []
        position = 0.0
        for number, row in enumerate(self._rows.rows):
            if number:
                # An arrow head needs a longer line.
                has_box = any(self._is_box[item] for item in row)
                position += _GAP_TO_BOX if has_box else _GAP_TO_LABEL
                if furthest[number]:
                    position += min(_GAP_TO_TURN + _GAP_GROWTH * furthest[number], _GAP_MOST)
            thickness = max(self._sizes[item][1] for item in row)
            bands.append((position, position + thickness))
            position += thickness
        return bands

    def rectangle(self, item: int) -> Rectangle:
        """Return the rectangle of an item."""
        x, y = self._point(self._across[item], sum(self._bands[self._row_of[item]]) / 2)
        return Rectangle(x, y, *self._point(*self._sizes[item]))

    def _point(self, across: float, along: float) -> Point:
        return (along, across) if self._rotated else (across, along)

    def curve(self, items: tuple[int, ...]) -> tuple[Point, ...]:
        """Return a line through items: straight across rows, curved between them."""
        first, last = items[0], items[-1]
        bands = [self._bands[self._row_of[item]] for item in items]
        corners: list[Point] = [(self._across[first], (sum(bands[0]) + self._sizes[first][1]) / 2)]
        for item, (_, bottom), (top, _), following in zip(
            items, bands, bands[1:], items[1:], strict=False
        ):
            # The last piece is straight, for the arrow head.
            head = _HEAD if following == last and self._is_box[last] else 0.0
            corners += [(self._across[item], bottom), (self._across[following], top - head)]
        corners.append((self._across[last], (sum(bands[-1]) - self._sizes[last][1]) / 2))
        corners = [corner for corner, _ in itertools.groupby(corners)]
        return tuple(self._point(*point) for point in _smooth(corners))


def _smooth(corners: list[Point]) -> Iterable[Point]:
    """Join corners by curves that leave and arrive along the direction of the graph."""
    yield corners[0]
    for (x1, y1), (x2, y2) in itertools.pairwise(corners):
        middle = (y1 + y2) / 2
        yield from ((x1, middle), (x2, middle), (x2, y2))
