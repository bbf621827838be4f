"""Results as tables: a page table for reading, a pandas frame for computing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hpml.base.tables import Table, format_multiple, format_seconds
from hpml.benchmark.advising import AdvisedTable, kinds, summary
from hpml.benchmark.paired import PairedSamples
from hpml.benchmark.ratio import Ratio

if TYPE_CHECKING:
    import pandas as pd

HEAD = ("contender", "median", "25 %", "75 %", "ratio", "95 % interval", "answer")
FORMATS = {"median": format_seconds, "25 %": format_seconds, "75 %": format_seconds}


def comparison_table(comparison: PairedSamples) -> Table:
    """Return a page table, one row a contender, with the advice below it, a line a kind.

    Returns:
        Columns contender, median, 25 % and 75 % (seconds per call), ratio to the baseline with its
        95 % interval, answer.
    """
    advice = kinds(comparison.advice)
    return AdvisedTable(
        HEAD,
        rows_of(comparison),
        formats={**FORMATS, "ratio": format_multiple},
        caption=_caption(comparison),
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


def _caption(comparison: PairedSamples) -> str:
    rounds = f"{comparison.rounds} interleaved rounds"
    if not comparison.complete:
        rounds += f" (stopped; {comparison.asked_rounds} were asked for)"
    return f"Ratio: time as a multiple of {comparison.baseline}, median over {rounds}."
