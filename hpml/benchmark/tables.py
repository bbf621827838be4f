"""Tables of comparisons, for a terminal or a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hpml.base.tables import Table, format_seconds
from hpml.benchmark.advice import footnote, heading
from hpml.benchmark.measurement import Measurement
from hpml.benchmark.paired import AnyCase, PairedSamples
from hpml.benchmark.printed import too_wide

HEAD = ("contender", "median", "25 %", "75 %", "ratio", "95 % interval", "answer")


def comparison_table(comparison: PairedSamples) -> Table:
    """Return a table with one row per contender, and folded notes on how it was measured."""
    notes = [_conditions(comparison), footnote(comparison.advice, comparison.owner)]
    title = heading(comparison.advice, comparison.owner)
    return _table(list(HEAD), _rows(comparison), [comparison.baseline], (title, notes))


def cases_table(cases: Iterable[AnyCase], *, title: str | None = None) -> Table:
    """Return a table with one row per case and contender."""
    listed = tuple(cases)
    names = dict.fromkeys(name for case in listed for name in case.parameters)
    varying = [n for n in names if len({case.parameters.get(n) for case in listed}) > 1]
    head = [*varying, *HEAD]
    rows, advice = [], []
    for case in listed:
        values = [case.parameters.get(name) for name in varying]
        rows += [[*values, *row] for row in _rows(case.comparison)]
        shown = map(str, values)
        label = ", ".join(f"{n} {v}" for n, v in zip(varying, shown, strict=True))
        advice += [(f"{n} ({label})" if label else n, a) for n, a in case.comparison.advice]
    baselines = dict.fromkeys(case.comparison.baseline for case in listed)
    condition = collector_condition(m for case in listed for m in case.comparison)
    notes = [condition, footnote(advice)]
    return _table(head, rows, baselines, (heading(advice), notes), title)


def _rows(comparison: PairedSamples) -> list[list[object]]:
    rows: list[list[object]] = []
    for m in comparison:
        low, middle, high = m.quartiles
        ratio = comparison.ratio(m.name)
        wide = too_wide(ratio.low, ratio.high)
        shown = [None if wide else ratio.shown, ratio.interval, ratio.answer]
        base = m.name == comparison.baseline
        rows.append([m.name, middle, low, high, *(["1", None, "baseline"] if base else shown)])
    return rows


def _table(
    head: list[str],
    rows: Sequence[Sequence[object]],
    baselines: Iterable[str],
    notes: tuple[str, list[str]],
    title: str | None = None,
) -> Table:
    sides = [(n, all(not isinstance(row[k], str) for row in rows)) for k, n in enumerate(head)]
    times = head[head.index("contender") + 1 : head.index("ratio")]
    return Table(
        head,
        rows,
        title=title,
        caption=" ".join(f"Ratio: time as a multiple of {baseline}." for baseline in baselines),
        fold=(notes[0], "\n".join(filter(None, notes[1]))),
        align=["right" if n or name == "ratio" else "left" for name, n in sides],
        formats=dict.fromkeys(times, format_seconds),
    )


def _conditions(comparison: PairedSamples) -> str:
    rounds = f"{comparison.rounds} interleaved rounds"
    if comparison.processes > 1:
        each = comparison.rounds // comparison.processes
        rounds = f"{comparison.processes} fresh processes of each, with {each} interleaved rounds"
    if not comparison.complete:
        early = "stopped early because every answer was clear" if comparison.clear else "stopped"
        rounds += f" ({early}; {comparison.asked_rounds} were requested)"
    estimator = "Hodges-Lehmann estimate" if comparison.processes == 1 else "geometric mean"
    text = f"Each ratio is the {estimator} over {rounds}."
    numbers = {m.number for m in comparison}
    if len(numbers) > 1:
        text += f" A sample has {min(numbers):,} to {max(numbers):,} calls."
    return f"{text} {collector_condition(comparison)}"


def collector_condition(measurements: Iterable[Measurement]) -> str:
    """Return a sentence on whether the garbage collector was enabled during the samples."""
    found = {measurement.collector for measurement in measurements}
    state = "on in some" if len(found) > 1 else "on" if True in found else "off"
    return f"Garbage collector: {state}."
