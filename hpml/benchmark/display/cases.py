"""Many cases of a suite as one table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hpml.base.tables import Table, format_multiple, format_seconds
from hpml.benchmark.advising import AdvisedTable, kinds, summary
from hpml.benchmark.display.table import FORMATS, HEAD, comparison_frame, rows_of
from hpml.benchmark.record import Case

if TYPE_CHECKING:
    import pandas as pd


def cases_table(
    cases: Iterable[Case], *, title: str | None = None, per: str | None = None
) -> Table:
    """Return a page table of several cases, one row a case and contender.

    Only the parameters that differ between the cases get a column.
    """
    listed = tuple(cases)
    varying = _varying(listed)
    share = (f"per {per.removesuffix('s')}",) if per else ()
    rows = [
        (
            *(case.parameters.get(name) for name in varying),
            *row[:2],
            *(_share(row[1], case.parameters.get(name)) for name in (per,) if name),
            *row[2:],
        )
        for case in listed
        for row in rows_of(case.comparison)
    ]
    baselines = dict.fromkeys(case.comparison.baseline for case in listed)
    notes = [f"Ratio: time as a multiple of {baseline}." for baseline in baselines]
    if any("cannot tell" in row for row in rows):
        notes.append(
            "Cannot tell: the interval is not clear of 1 by the resolution; it narrows with the "
            "square root of the number of rounds."
        )
    found = [
        (f"{name} ({_place(case, varying)})" if varying else name, advice)
        for case in listed
        for name, advice in case.comparison.advice
        if advice.problem != "cannot tell"
    ]
    advice = kinds(found)
    formats = {**FORMATS, "ratio": format_multiple, **dict.fromkeys(share, format_seconds)}
    head = (*varying, *HEAD[:2], *share, *HEAD[2:])
    return AdvisedTable(
        head,
        rows,
        formats=formats,
        title=title,
        caption="\n".join(notes),
        advice=advice,
        headline=summary(advice, len(rows), "measurements"),
    )


def cases_frame(cases: Iterable[Case]) -> pd.DataFrame:
    """Return a pandas frame of several cases: their parameters, then as `comparison_frame`."""
    import pandas as pd

    frames = []
    for case in cases:
        frame = comparison_frame(case.comparison)
        for place, (name, value) in enumerate(case.parameters.items()):
            frame.insert(place, name, value)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def _share(seconds: object, count: object) -> float | None:
    return seconds / count if isinstance(seconds, float) and isinstance(count, int) else None


def _place(case: Case, varying: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {_number(case.parameters.get(name))}" for name in varying)


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _varying(cases: tuple[Case, ...]) -> tuple[str, ...]:
    names = dict.fromkeys(name for case in cases for name in case.parameters)
    return tuple(name for name in names if len({case.parameters.get(name) for case in cases}) > 1)
