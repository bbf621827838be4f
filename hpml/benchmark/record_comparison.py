"""Two records of suites side by side: the same cases, measured at two times or on two machines.

Two runs share no rounds, so a quotient of their medians has no interval. What does carry over from
one machine to another is a contender's ratio to the baseline of its own run, so both are shown.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hpml.base.tables import Shown, Table, format_ratio, format_seconds
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.record import Case, read_cases

_MACHINE = ("cpu", "gpu", "device", "threads", "python", "torch", "hpml")
_HOW = frozenset({"threads", "rounds", "min_sample_time", "garbage", "contenders", "device"})
"""Parameters that say how was measured, and not what."""

Pair = tuple[Case, Case]


@dataclass(frozen=True)
class RecordComparison(Shown):
    """The cases that two records share, and what else the reader should know."""

    pairs: tuple[Pair, ...]
    notes: tuple[str, ...] = ()

    @property
    def differences(self) -> Table:
        """What of the machines, versions and devices differs; no rows where nothing does."""
        rows = []
        for name in _MACHINE:
            sides = [_values(name, (pair[side] for pair in self.pairs)) for side in (0, 1)]
            if sides[0] != sides[1]:
                rows.append([name, *sides])
        return Table(["what differs", "A", "B"], rows, title="Not the same machine or versions")

    @property
    def table(self) -> Table:
        """A row a case and contender that both have."""
        rows = []
        for one, other in self.pairs:
            case = ", ".join([one.suite, *(f"{n} {one.parameters[n]}" for n in self._telling(one))])
            for name in one.comparison.names:
                if name in other.comparison.names:
                    a, b = one.comparison[name].median, other.comparison[name].median
                    own = [each.comparison.ratio(name).value for each in (one, other)]
                    rows.append([case, name, a, b, b / a, *own])
        columns = ["case", "contender", "A", "B", "B / A", "A's ratio", "B's ratio"]
        forms = [format_seconds, format_seconds, *[format_ratio] * 3]
        return Table(
            columns,
            rows,
            title="Two records",
            caption="B / A: of two medians from different runs, so without an interval. The ratios "
            "at the end are to the baseline of the same run: they compare across machines.",
            formats=dict(zip(columns[2:], forms, strict=True)),
        )

    def _telling(self, case: Case) -> list[str]:
        """Return the parameters that tell a case from its suite's others; alone, its first."""
        known = [one.parameters for one, _ in self.pairs if one.suite == case.suite]
        names = [name for name in case.parameters if name not in _HOW]
        telling = [name for name in names if len({each.get(name) for each in known}) > 1]
        return telling or names[:1]

    def _shown(self) -> Sequence[Any]:
        differ = self.differences
        notes = [Table(["notes"], [[note] for note in self.notes])] if self.notes else []
        return [*([differ] if len(differ) else []), self.table, *notes]


def compare_records(a: str | os.PathLike[str], b: str | os.PathLike[str]) -> RecordComparison:
    """Return what two record files say of the same cases; of several the newest counts."""
    files = [read_cases(path) for path in (a, b)]
    by_work = [{_work(case): case for case in found} for found in files]
    shared = [work for work in by_work[0] if work in by_work[1]]
    if not shared:
        suites = [", ".join(sorted({case.suite for case in found})) or "nothing" for found in files]
        raise BenchmarkError(
            f"--compare expects two records with a case in common, got {a} with {suites[0]} and "
            f"{b} with {suites[1]}, of other sizes or settings; run the same suite for both."
        )
    notes = [sentence for found in files for sentence in found.damaged]
    for name, mine, others in (("A", *by_work), ("B", *by_work[::-1])):
        alone = sum(work not in others for work in mine)
        if alone:
            notes.append(f"{alone} case{'s are' if alone > 1 else ' is'} in {name} only.")
    return RecordComparison(
        tuple((by_work[0][work], by_work[1][work]) for work in shared), tuple(notes)
    )


def _work(case: Case) -> tuple[object, ...]:
    """Return what was done in a case, however it was measured."""
    return case.suite, *sorted((k, v) for k, v in case.parameters.items() if k not in _HOW)


def _values(name: str, cases: Iterable[Case]) -> str:
    found = {
        str(getattr(m, name) if name in ("device", "threads") else m.environment.get(name))
        for case in cases
        for m in case.comparison
    }
    return ", ".join(sorted(found))
