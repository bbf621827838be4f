"""Edge cases by the kind of an argument, for the cases of the check as well as of grading.

A statement says "a float", "a list", "any number of axes", "false in the sense of `if`". The cases
that people think of have sizes near 1, two axes and the number 0. These functions give the rest.
All are deterministic: what is drawn comes from the generator of the cases.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Final

SIZES: Final = (1e-300, 1e-150, 1e-30, 1e-9, 1e-3, 1.0, 1e3, 1e9, 1e30, 1e150, 1e300)
"""Magnitudes of floats: their squares, and their products with each other, may not be floats."""

FALSE: Final[tuple[object, ...]] = (None, False, 0, 0.0, -0.0, "", b"", [], (), {}, set())
"""Plain values that are false in the sense of `if`, one for each kind."""

TRUE: Final[tuple[object, ...]] = (
    True,
    1,
    -1,
    1e-300,
    math.nan,
    "0",
    " ",
    b"\0",
    [0],
    (None,),
    {0: None},
    {0},
)
"""Plain values that are true in the sense of `if`, though they may look empty."""


def magnitudes(generator: random.Random, count: int = 3, most: float = 1e300) -> list[float]:
    """Return `count` sizes of floats from 1 / `most` to `most`: both ends, and some between.

    >>> [f"{size:.0e}" for size in magnitudes(random.Random(1), 3, 1e30)]
    ['1e-30', '1e+30', '1e-03']
    """
    ends = [1 / most, most]
    between = [size for size in SIZES if ends[0] * 1.5 < size < ends[1] / 1.5]
    return [*ends, *generator.sample(between, max(0, count - 2))][:count]


def around(limit: int) -> tuple[int, int, int]:
    """Return the integer before a limit, the limit, and the integer after it.

    >>> around(7)
    (6, 7, 8)
    """
    return limit - 1, limit, limit + 1


def fractions_near(whole: int, by: float = 2.0**-30) -> tuple[float, ...]:
    """Return floats at and near a whole number, whose rounding up, down and off differ.

    They are exact, and so are their sums with whole numbers up to a million.

    >>> [math.ceil(number) for number in fractions_near(5)]
    [5, 5, 6, 5, 6, 6]
    >>> [round(number) for number in fractions_near(5)]
    [5, 5, 5, 5, 5, 6]
    """
    return (whole - by, float(whole), whole + by, whole - 0.25, whole + 0.25, whole + 0.75)


def shapes(generator: random.Random, most_axes: int = 5) -> Iterator[tuple[int, ...]]:
    """Yield shapes with each number of axes from 1, with lengths of 1, and with a length of 0.

    >>> [len(shape) for shape in shapes(random.Random(1))]
    [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5]
    """
    for axes in range(1, most_axes + 1):
        drawn = [generator.randint(2, 3) for _ in range(axes)]
        place = generator.randrange(axes)
        yield tuple(drawn)
        yield tuple(1 if axis != place else 2 for axis in range(axes))
        yield tuple(0 if axis == place else length for axis, length in enumerate(drawn))


def similar_names(generator: random.Random, count: int) -> list[str]:
    """Return names of which each is a part of another: a search in a text confuses them.

    >>> similar_names(random.Random(1), 5)
    ['k', 'k1', 'k11', 'kk', 'k1k']
    """
    letter = generator.choice("hknpqz")
    parts = (letter, "1", "11", letter, f"1{letter}", "0", "_", f"_{letter}")
    found = [letter, *(f"{letter}{part}" for part in parts[1:])]
    while len(found) < count:
        found += [f"{name}{letter}" for name in found if f"{name}{letter}" not in found]
    return found[:count]


def depths(generator: random.Random, most: int) -> tuple[int, int]:
    """Return two depths: one beyond Python's recursion limit, and `most`.

    A function that is right at one depth only (a larger stack, work that grows as the square)
    shows itself at the other.

    >>> depths(random.Random(1), 20_000)
    (1168, 20000)
    """
    return generator.randint(1_100, 1_400), most
