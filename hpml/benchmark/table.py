"""Results as tables: a page table for reading, a pandas frame for computing."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hpml.base.tables import Table, format_multiple, format_seconds
from hpml.benchmark.advising import AdvisedTable, kinds, summary
from hpml.benchmark.comparison import Comparison, Ratio
from hpml.benchmark.record import Case

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["cases_frame", "cases_table", "comparison_frame", "comparison_table"]

_HEAD = ("contender", "median", "25 %", "75 %", "ratio", "95 % interval", "answer")
_FORMATS = {"median": format_seconds, "25 %": format_seconds, "75 %": format_seconds}


def comparison_table(comparison: Comparison) -> Table:
    """Return a page table, one row a contender, with the advice below it, a line a kind.

    Returns:
        Columns contender, median, 25 % and 75 % (seconds per call), ratio to the baseline with its
        95 % interval, answer.
    """
    advice = kinds(comparison.advice)
    return AdvisedTable(
        _HEAD,
        _rows(comparison),
        formats={**_FORMATS, "ratio": format_multiple},
        caption=_caption(comparison),
        advice=advice,
        headline=summary(advice, len(comparison)),
    )


def cases_table(
    cases: Iterable[Case], *, title: str | None = None, per: str | None = None
) -> Table:
    """Return a page table of several cases, one row a case and contender.

    Only the parameters that differ between the cases get a column.

    Args:
        cases: of one suite.
        title: a line above the table.
        per: the name of a numeric parameter; a column shows the median divided by it.
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
        for row in _rows(case.comparison)
    ]
    notes = [f"Ratio: time as a multiple of {baseline}." for baseline in _baselines(listed)]
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
    formats = {**_FORMATS, "ratio": format_multiple, **dict.fromkeys(share, format_seconds)}
    head = (*varying, *_HEAD[:2], *share, *_HEAD[2:])
    return AdvisedTable(
        head,
        rows,
        formats=formats,
        title=title,
        caption="\n".join(notes),
        advice=advice,
        headline=summary(advice, len(rows), "measurements"),
    )


def comparison_frame(comparison: Comparison) -> pd.DataFrame:
    """Return a pandas frame, one row a contender, times in seconds per call.

    Returns:
        Columns contender, median, q25, q75, minimum, ratio, ratio_low, ratio_high, answer, samples.

    >>> from hpml.benchmark import compare
    >>> frame = compare({"a": "pass", "b": "pass"}, rounds=6, min_sample_time=1e-5).table()
    >>> list(frame.columns)[:4], len(frame)
    (['contender', 'median', 'q25', 'q75'], 2)
    """
    import pandas as pd

    rows = []
    for measurement in comparison:
        low, middle, high = measurement.quartiles
        ratio = comparison.ratio(measurement.name)
        rows.append(
            {
                "contender": measurement.name,
                "median": middle,
                "q25": low,
                "q75": high,
                "minimum": measurement.minimum,
                "ratio": ratio.value,
                "ratio_low": ratio.low,
                "ratio_high": ratio.high,
                "answer": _answer(comparison, measurement.name, ratio),
                "samples": len(measurement.samples),
            }
        )
    return pd.DataFrame(rows)


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


def _rows(comparison: Comparison) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for measurement in comparison:
        low, middle, high = measurement.quartiles
        ratio = comparison.ratio(measurement.name)
        base = measurement.name == comparison.baseline
        interval = None if base else _interval(ratio)
        answer = _answer(comparison, measurement.name, ratio)
        rows.append((measurement.name, middle, low, high, ratio.value, interval, answer))
    return rows


def _share(seconds: object, count: object) -> float | None:
    return seconds / count if isinstance(seconds, float) and isinstance(count, int) else None


def _interval(ratio: Ratio) -> str:
    if math.isinf(ratio.high):
        return "none: too few rounds"
    return f"{format_multiple(ratio.low)} – {format_multiple(ratio.high)}"


def _answer(comparison: Comparison, name: str, ratio: Ratio) -> str:
    return "baseline" if name == comparison.baseline else ratio.answer


def _caption(comparison: Comparison) -> str:
    rounds = f"{comparison.rounds} interleaved rounds"
    if not comparison.complete:
        rounds += f" (stopped; {comparison.asked_rounds} were asked for)"
    return f"Ratio: time as a multiple of {comparison.baseline}, median over {rounds}."


def _place(case: Case, varying: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {_number(case.parameters.get(name))}" for name in varying)


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _varying(cases: tuple[Case, ...]) -> tuple[str, ...]:
    names = dict.fromkeys(name for case in cases for name in case.parameters)
    return tuple(name for name in names if len({case.parameters.get(name) for case in cases}) > 1)


def _baselines(cases: tuple[Case, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(case.comparison.baseline for case in cases))
