"""Results as tables: a page table for reading, a pandas frame for computing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hpml.base.tables import Table, format_multiple, format_seconds
from hpml.benchmark.advising import AdvisedTable, kinds, summary
from hpml.benchmark.paired import PairedSamples
from hpml.benchmark.ratio import FEWEST_ROUNDS, Ratio

if TYPE_CHECKING:
    import pandas as pd

HEAD = ("contender", "median", "25 %", "75 %", "ratio", "95 % interval", "answer")
WITHOUT_OVERHEAD = "without overhead"

LOOP_SHARE = 0.05
"""Of a call the timing loop may be so much without a word."""

FORMATS = {"median": format_seconds, "25 %": format_seconds, "75 %": format_seconds}


def comparison_table(comparison: PairedSamples) -> Table:
    """Return a page table, one row a contender, with the advice below it, a line a kind."""
    advice = kinds(comparison.advice)
    head, rows = list(HEAD), [list(row) for row in rows_of(comparison)]
    caption = _caption(comparison)
    if any(m.loop > LOOP_SHARE * m.median for m in comparison):
        head.insert(4, WITHOUT_OVERHEAD)
        for row, m in zip(rows, comparison, strict=True):
            row.insert(4, max(m.median - m.loop, 0.0))
        loop = format_seconds(max(m.loop for m in comparison))
        caption += (
            f"\nThe overhead is the timing loop and an empty call, {loop} of each median; "
            "the ratios hold it."
        )
    return AdvisedTable(
        head,
        rows,
        formats={
            name: form
            for name, form in {
                **FORMATS,
                WITHOUT_OVERHEAD: format_seconds,
                "ratio": format_multiple,
            }.items()
            if name in head
        },
        caption=caption,
        advice=advice,
        headline=summary(advice, len(comparison)),
    )


def comparison_frame(comparison: PairedSamples) -> pd.DataFrame:
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


def rows_of(comparison: PairedSamples) -> list[tuple[object, ...]]:
    """Return the cells of a comparison, in the columns of `HEAD`."""
    rows: list[tuple[object, ...]] = []
    for measurement in comparison:
        low, middle, high = measurement.quartiles
        ratio = comparison.ratio(measurement.name)
        base = measurement.name == comparison.baseline
        interval = None if base else _interval(ratio)
        answer = _answer(comparison, measurement.name, ratio)
        rows.append((measurement.name, middle, low, high, ratio.value, interval, answer))
    return rows


def _interval(ratio: Ratio) -> str:
    if math.isinf(ratio.high):
        return "none: too few rounds"
    return f"{format_multiple(ratio.low)} – {format_multiple(ratio.high)}"


def _answer(comparison: PairedSamples, name: str, ratio: Ratio) -> str:
    return "baseline" if name == comparison.baseline else ratio.answer


def _together(intervals: int, rounds: int) -> str:
    """Say for what the 95 % hold; so few rounds may not be able to promise it for all at once."""
    if intervals < 2 or rounds < FEWEST_ROUNDS:
        return ""
    # All rounds on one side of the truth: the rarest that so many can show.
    needed = 1 - math.floor(math.log2(0.05 / intervals))
    if rounds < needed:
        return f" The 95 % are for each interval alone; for all together take {needed} rounds."
    return " Where the rounds differ by chance alone, the 95 % are for all intervals together."


def _caption(comparison: PairedSamples) -> str:
    rounds = f"{comparison.rounds} interleaved rounds"
    if not comparison.complete:
        rounds += f" (stopped; {comparison.asked_rounds} were asked for)"
    caption = f"Ratio: time as a multiple of {comparison.baseline}, the middle of {rounds}."
    caption += _together(len(comparison) - 1, comparison.rounds)
    numbers = {m.number for m in comparison}
    if len(numbers) > 1:
        caption += f" A sample is {min(numbers):,} to {max(numbers):,} calls."
    return caption
