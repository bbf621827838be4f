"""Comparisons as tables: a page table for reading, a pandas frame for computing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hpml.base.tables import Table, format_seconds
from hpml.benchmark.advice import footnote
from hpml.benchmark.paired import AnyCase, PairedSamples
from hpml.benchmark.ratio import FEWEST_ROUNDS

if TYPE_CHECKING:
    import pandas as pd

HEAD = ("contender", "median", "25 %", "75 %", "ratio", "95 % interval", "answer")


def comparison_table(comparison: PairedSamples) -> Table:
    """Return a page table, one row a contender, with one footnote of advice."""
    notes = [*_caption(comparison), footnote(comparison.advice)]
    return _table(list(HEAD), _rows(comparison), notes)


def cases_table(cases: Iterable[AnyCase], *, title: str | None = None) -> Table:
    """Return a page table of several cases, one row a case and contender."""
    listed = tuple(cases)
    names = dict.fromkeys(name for case in listed for name in case.parameters)
    varying = [n for n in names if len({case.parameters.get(n) for case in listed}) > 1]
    head = [*varying, *HEAD]
    rows, found = [], []
    for case in listed:
        values = [case.parameters.get(name) for name in varying]
        rows += [[*values, *row] for row in _rows(case.comparison)]
        shown = (f"{v:,}" if isinstance(v, int) else str(v) for v in values)
        place = ", ".join(f"{n} {v}" for n, v in zip(varying, shown, strict=True))
        found += [(f"{n} ({place})" if place else n, a) for n, a in case.comparison.advice]
    baselines = dict.fromkeys(case.comparison.baseline for case in listed)
    notes = [f"Ratio: time as a multiple of {baseline}." for baseline in baselines]
    return _table(head, rows, [*notes, footnote(found)], title)


def comparison_frame(comparison: PairedSamples) -> pd.DataFrame:
    """Return a pandas frame, one row a contender, times in seconds per call.

    Returns:
        Columns contender, median, q25, q75, minimum, ratio, ratio_low, ratio_high, answer, samples.

    >>> from hpml.benchmark import compare
    >>> frame = compare({"a": dict, "b": dict}, rounds=6, min_sample_time=1e-5).table()
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
                "answer": answer_of(comparison, measurement.name),
                "samples": len(measurement.samples),
            }
        )
    return pd.DataFrame(rows)


def cases_frame(cases: Iterable[AnyCase]) -> pd.DataFrame:
    """Return a pandas frame of several cases: their parameters, then as `comparison_frame`."""
    import pandas as pd

    frames = []
    for case in cases:
        frame = comparison_frame(case.comparison)
        for place, (name, value) in enumerate(case.parameters.items()):
            frame.insert(place, name, value)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def answer_of(comparison: PairedSamples, name: str) -> str:
    """Return "baseline", or the answer on a contender."""
    return "baseline" if name == comparison.baseline else comparison.ratio(name).answer


def _rows(comparison: PairedSamples) -> list[list[object]]:
    rows: list[list[object]] = []
    for m in comparison:
        low, middle, high = m.quartiles
        ratio = comparison.ratio(m.name)
        base = m.name == comparison.baseline
        shown = ("1", None) if base else (ratio.digits(ratio.value), ratio.interval)
        rows.append([m.name, middle, low, high, *shown, answer_of(comparison, m.name)])
    return rows


def _table(
    head: list[str], rows: Sequence[Sequence[object]], notes: list[str], title: str | None = None
) -> Table:
    sides = [(n, all(not isinstance(row[k], str) for row in rows)) for k, n in enumerate(head)]
    times = head[head.index("contender") + 1 : head.index("ratio")]
    return Table(
        head,
        rows,
        title=title,
        caption="\n".join(note for note in notes if note),
        align=["right" if n or name == "ratio" else "left" for name, n in sides],
        formats=dict.fromkeys(times, format_seconds),
    )


def _caption(comparison: PairedSamples) -> list[str]:
    rounds = f"{comparison.rounds} interleaved rounds"
    if not comparison.complete:
        early = "stopped early because every answer was clear" if comparison.clear else "stopped"
        rounds += f" ({early}; {comparison.asked_rounds} were asked for)"
    caption = (
        f"Ratio: time as a multiple of {comparison.baseline}, Hodges-Lehmann estimate over {rounds}"
        f".{_together(len(comparison) - 1, comparison.rounds)}"
    )
    numbers = {m.number for m in comparison}
    if len(numbers) > 1:
        caption += f" A sample is {min(numbers):,} to {max(numbers):,} calls."
    return [caption]


def _together(intervals: int, rounds: int) -> str:
    """Say for what the 95 % hold; so few rounds may not be able to promise it for all at once."""
    if intervals < 2 or rounds < FEWEST_ROUNDS:
        return ""
    # All rounds on one side of the truth: the rarest that so many can show.
    needed = 1 - math.floor(math.log2(0.05 / intervals))
    if rounds < needed:
        return (
            " The level of 95 % holds for each interval by itself; for all together take "
            f"{needed} rounds."
        )
    return " If the rounds are independent, the level of 95 % holds for all intervals together."
