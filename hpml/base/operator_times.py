"""Times of a model's run by operator, in RTen's format, and the setting that requests them.

Shared by `hpml.symbolic`, which times its models, and `hpml.profiling`, which times other modules.

Source: https://github.com/robertknight/rten/blob/main/docs/profiling.md
"""

from __future__ import annotations

import itertools
import math
import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hpml.base.errors import HpmlError, describe
from hpml.base.tables import Shown, Table

Shapes = tuple[tuple[int, ...], ...]
"""The shapes of an operator's tensor arguments."""

_BOOLEANS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
_SORTS = ("time", "name")


class TimingError(HpmlError, ValueError):
    """Invalid timing option, or a report that was not recorded."""


class Label(NamedTuple):
    """The use of an interval: an operator and its node, or other work without a node."""

    operator: str
    node: str = ""


RELEASE = Label("[Mem alloc/free]")
OTHER = Label("[Other]")


@dataclass(frozen=True, repr=False)
class OperatorTimes(Shown):
    """Times of one run of a model, operator by operator.

    `stamps` are clock readings in nanoseconds: the start, then the end of each interval in
    `labels`. `shapes` are the argument shapes of each operator, or empty.
    """

    stamps: Sequence[int]
    labels: Sequence[Label]
    shapes: Sequence[Shapes] = ()
    sort: str = "time"
    note: str = ""

    @property
    def total(self) -> int:
        """Duration of the run in nanoseconds."""
        return self.stamps[-1] - self.stamps[0]

    @property
    def operator_count(self) -> int:
        return sum(1 for label in self.labels if label.node)

    @property
    def by_operator(self) -> dict[str, int]:
        """Nanoseconds per operator, in the order `sort`; they add up to `total`."""
        sums: defaultdict[str, int] = defaultdict(int)
        for label, nanoseconds in self._intervals():
            sums[label.operator] += nanoseconds
        sums.setdefault(OTHER.operator, 0)
        if self.sort == "name":
            return dict(sorted(sums.items(), key=lambda row: (row[0].startswith("["), row[0])))
        return dict(sorted(sums.items(), key=lambda row: -row[1]))

    def _intervals(self) -> list[tuple[Label, int]]:
        pairs = zip(self.labels, itertools.pairwise(self.stamps), strict=True)
        return [(label, end - start) for label, (start, end) in pairs]

    def table(self) -> Table:
        """Return a row per operator: its time in ms, and its share of the run."""
        total = max(1, self.total)
        rows = [[name, 1e-6 * ns, ns / total] for name, ns in self.by_operator.items()]
        columns = ["operator", "ms", "share"]
        formats = {"ms": "{:.3f}".format, "share": "{:.1%}".format}
        return Table(columns, rows, title=self._title(), caption=self.note, formats=formats)

    def by_shape(self) -> Table:
        """Return a row per operator and argument shapes."""
        if len(self.shapes) != self.operator_count:
            raise TimingError(
                object="by_shape()",
                expected="a run that was timed with by_shape=True",
                received="one without",
                remedy="Time it again with by_shape=True.",
            )
        groups: dict[tuple[str, Shapes], list[int]] = defaultdict(list)
        nodes: dict[tuple[str, Shapes], str] = {}
        intervals = [(label, ns) for label, ns in self._intervals() if label.node]
        for (label, nanoseconds), shapes in zip(intervals, self.shapes, strict=True):
            groups[label.operator, shapes].append(nanoseconds)
            nodes.setdefault((label.operator, shapes), label.node)
        order = list(self.by_operator)
        rows: list[list[object]] = []
        for (name, shapes), times in groups.items():
            total, count = sum(times), len(times)
            elements = sum(map(math.prod, shapes))
            each = total / (count * elements) if elements else None
            row = [name, ", ".join(str(list(shape)) for shape in shapes), count]
            rows.append([*row, 1e-6 * total / count, 1e-6 * total, each, nodes[name, shapes]])
        rows.sort(key=lambda row: (order.index(str(row[0])), -float(str(row[4]))))
        columns = ["operator", "shape", "count", "mean ms", "total ms", "ns/element", "node"]
        formats = {"mean ms": "{:.4f}".format, "total ms": "{:.3f}".format}
        return Table(columns, rows, formats={**formats, "ns/element": "{:.3g}".format})

    def _title(self) -> str:
        return f"Graph run of {self.operator_count} ops finished in {1e-6 * self.total:.3f} ms"

    def __str__(self) -> str:
        rows = self.by_operator
        width = max(map(len, rows))
        times = {name: f"{1e-6 * ns:.3f} ms" for name, ns in rows.items()}
        time_width = max(map(len, times.values()))
        lines = [
            f"{name:{width}}  {times[name]:{time_width}}  ({ns / max(1, self.total):.1%})"
            for name, ns in rows.items()
        ]
        parts = [self._title(), "\n".join(lines)]
        if self.shapes:
            parts.append(str(self.by_shape()))
        return "\n\n".join([*parts, self.note] if self.note else parts) + "\n"

    def _shown(self) -> Sequence[Any]:
        return [self.table(), *([self.by_shape()] if self.shapes else [])]


class Timing(NamedTuple):
    """Timing options of a model: the callback for each run's times, their order and grouping."""

    receive: Callable[[OperatorTimes], object]
    sort: str = "time"
    by_shape: bool = False


def check_sort(caller: str, sort: object) -> None:
    """Raise TimingError if `sort` is invalid."""
    if sort not in _SORTS:
        raise TimingError(
            object=f"sort of {caller}",
            expected=f"one of {', '.join(_SORTS)}",
            received=describe(sort),
            remedy=f"Pass sort={_SORTS[0]!r}.",
        )


def timing_from_environment() -> Timing | None:
    """Return the options in ``HPML_TIMING``, which print each run, or None if it is not set."""
    text = os.environ.get("HPML_TIMING")
    if text is None:
        return None
    options = dict(pair.partition("=")[::2] for pair in text.split())
    sort, by_shape = options.pop("sort", "time"), options.pop("by-shape", "no")
    if options or sort not in _SORTS or by_shape not in _BOOLEANS:
        raise TimingError(
            object="HPML_TIMING",
            expected=f"sort={'|'.join(_SORTS)} and by-shape={'|'.join(_BOOLEANS)}",
            received=describe(text),
            remedy="Write HPML_TIMING='sort=name by-shape=yes', or HPML_TIMING= for the defaults.",
        )
    return Timing(print, sort, _BOOLEANS[by_shape])
