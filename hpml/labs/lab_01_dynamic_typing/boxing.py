"""The experiment that closes lab 01: a loop over an array taken apart into fetching and adding."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from hpml.base.tables import Table
from hpml.benchmark import compare

__all__ = ["measure_boxing", "what_fits"]


def fetching(a: Any, places: Sequence[int]) -> None:
    """Look up every element, and do nothing with it."""
    for i in places:
        a[i]


def adding(numbers: Sequence[Any], one: Any) -> None:
    """Add to every number; the numbers are objects already, nothing is looked up."""
    for number in numbers:
        number + one


def measure_boxing(sizes: Sequence[int], *, rounds: int = 15) -> Table:
    """Measure fetching alone and adding alone, for a list and an array, at several sizes.

    The elements are visited in an order that no hardware can guess, so that whatever is far away
    in memory is really waited for.

    Returns:
        A table with ns for each element, one row a size: of fetching from a list and from an array,
        of adding floats and adding NumPy's numbers. The fastest samples: what disturbs only adds.
    """
    import random

    import numpy as np

    rows = []
    for n in sizes:
        array = np.arange(1.0, n + 1)
        numbers = array.tolist()
        boxed = list(array[: min(n, 1000)])
        plain = numbers[: len(boxed)]
        places = random.Random(1).sample(range(n), n)[:100_000]
        found = compare(
            {
                "fetch, list": functools.partial(fetching, numbers, places),
                "fetch, array": functools.partial(fetching, array, places),
                "add, list": functools.partial(adding, plain, plain[0]),
                "add, array": functools.partial(adding, boxed, boxed[0]),
            },
            rounds=rounds,
            min_sample_time=5e-4,
        )
        each = [len(places)] * 2 + [len(boxed)] * 2
        rows.append(
            [n, *(1e9 * m.minimum / k for m, k in zip(found.measurements, each, strict=True))]
        )
    columns = ["elements", "fetch: list", "fetch: array", "add: floats", "add: NumPy's numbers"]
    return Table(
        columns,
        rows,
        title="ns for each element",
        formats={"elements": lambda n: f"{n:,.0f}", **dict.fromkeys(columns[1:], _ns)},
    )


def what_fits(table: Table) -> str:
    """Say which explanations the table of `measure_boxing` supports, as text for `say`."""
    small, large = ([float(str(v)) for v in table.rows[k][1:]] for k in (0, -1))
    fetch, add = small[1] - small[0], small[3] - small[2]
    fetch_large = large[1] - large[0]
    share = fetch / (fetch + add) if fetch + add else 0.5
    lines = [
        f"At {table.rows[0][0]:,} elements, fetching from the array takes {fetch:.0f} ns more than "
        f"from the list, adding its numbers {add:.0f} ns more than adding floats. At "
        f"{table.rows[-1][0]:,} elements fetching takes {fetch_large:.0f} ns more."
    ]
    if fetch > 3 and add > 3:
        lines.append(
            f"So A and C both have a part in it: **{share:.0%}** of the difference is the new "
            f"object that every `a[i]` makes, **{1 - share:.0%}** is adding objects that are not "
            "Python's own floats."
        )
    elif fetch > 3:
        lines.append("That fits **A**: every `a[i]` makes a new object.")
    elif add > 3:
        lines.append("That fits **C**: adding NumPy's numbers is what takes longer.")
    else:
        lines.append("Neither is clearly longer here: this machine cannot tell.")
    lines.append(
        "**B** has no part in it that could be seen: the difference does not grow with the size."
        if fetch_large < 1.5 * max(fetch, 1)
        else "**B** has a part in it as well: the difference grows with the size."
    )
    return "\n\n".join(lines)


def _ns(value: float) -> str:
    return f"{value:.1f}"
