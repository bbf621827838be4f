"""The results that a lab's record has from a quiet machine, for slides whose numbers agree."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpml.base.charts import Dot, dots, show
from hpml.base.page import Page
from hpml.base.tables import Table
from hpml.course.lesson.reference import where_recorded

MOST_ROWS = 11
"""A longer table goes on on the next slide."""
_LEAST_RATIOS = 3
_RATIO = re.compile(r"([\d.]+) \[([\d.]+), ([\d.]+)\]")
_MEASURED = re.compile(r"baseline|× |cannot tell|\d to \d")


@dataclass(frozen=True)
class Ratios:
    """Ratios to one base: value and ends of the interval by name."""

    base: str
    found: Mapping[str, tuple[float, float, float]]

    def draw(self, where: str) -> Page:
        """Draw the ratios on a logarithmic axis."""
        rows = [
            Dot(name, value, f"{value:g}", (low, high))
            for name, (value, low, high) in self.found.items()
        ]
        title = f"Time as a multiple of {self.base}"
        chart = dots(rows, title=title, x="ratio, with its 95 % interval", log="x", at=[1.0])
        return show(chart, width=9.4, caption=f"{where}.")


def tables(record: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the recorded results in tables that fit on a slide."""
    for columns, rows in map(_read, record["results"]):
        most = math.ceil(len(rows) / math.ceil(len(rows) / MOST_ROWS))  # tables of about one length
        for first in range(0, len(rows), most):
            yield Table(columns, rows[first : first + most], caption=f"{where_recorded(record)}.")


def ratios(record: Mapping[str, Any]) -> list[Ratios]:
    """Return the recorded ratios, by base, where at least three share one."""
    groups: dict[str, dict[str, tuple[float, float, float]]] = {}
    for _, rows in map(_read, record["results"]):
        for name, value, *_ in rows:
            above, slash, base = name.partition(" / ")
            if slash and (found := _RATIO.match(value)):
                *condition, above = above.split(": ")
                base = ", ".join([base, *condition])
                groups.setdefault(base, {})[above] = (
                    float(found[1]),
                    float(found[2]),
                    float(found[3]),
                )
    return [Ratios(base, found) for base, found in groups.items() if len(found) >= _LEAST_RATIOS]


def is_measured(text: str) -> bool:
    """Return whether a picture's description compares times, which another run would change."""
    return _MEASURED.search(text) is not None


def belongs(group: Ratios, text: str) -> bool:
    """Return whether a description of a picture names the base and most entries of a group."""
    names = [group.base.partition(",")[0], *group.found]
    return names[0] in text and 2 * sum(name in text for name in names) > len(names)


def _read(text: str) -> tuple[list[str], Sequence[list[str]]]:
    """Return the columns and rows of a table that was printed."""
    head, rule, *lines = text.splitlines()
    spans = [(found.start(), found.end()) for found in re.finditer("-+", rule)]
    ends = [start for start, _ in spans[1:]] + [None]
    cells = [
        [line[start:end].strip() for (start, _), end in zip(spans, ends, strict=True)]
        for line in (head, *lines)
        if line.strip()
    ]
    return cells[0], cells[1:]
