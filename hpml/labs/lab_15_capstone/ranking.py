"""The table of a class, from result files: who is how many times as fast, and who cannot be told.

``python -m hpml.labs.lab_15_capstone.ranking results_*.jsonl`` prints it. The last line of a
file counts. A rank is shared by neighbours whose intervals overlap: their order is chance.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from hpml.base.tables import Table
from hpml.benchmark import BenchmarkError, Ratio, read_cases
from hpml.labs.lab_15_capstone.ladder import SUITE


def class_table(paths: Iterable[str | Path]) -> Table:
    """Return the class, fastest first.

    Args:
        paths: result files, one for each student.

    Raises:
        BenchmarkError: if a file holds no result of the capstone.
    """
    entries: list[tuple[str, Ratio, str]] = []
    for path in paths:
        cases = [case for case in read_cases(path) if case.suite == SUITE]
        if not cases:
            raise BenchmarkError(f"{path}: expected results of suite {SUITE}, got none.")
        last = cases[-1]
        machine = str(last.comparison["this"].environment.get("cpu", "not recorded"))
        ratio = last.comparison.ratio("this", "original")
        entries.append((str(last.parameters["student"]), ratio, machine))
    entries.sort(key=lambda entry: entry[1].value)
    rows: list[list[object]] = []
    rank, slowest = 0, 0.0
    for place, (student, ratio, machine) in enumerate(entries, start=1):
        if place == 1 or ratio.low > slowest:
            rank, slowest = place, ratio.high
        slowest = max(slowest, ratio.high)
        how = f"{1 / ratio.high:.2f} – {1 / ratio.low:.2f}"
        rows.append([rank, student, f"{ratio.speed_up:.2f}", how, machine])
    shared = len(rows) - len({row[0] for row in rows})
    caption = "Each in turns with their own original, on their own machine."
    if shared:
        caption += " Who shares a rank cannot be told apart: the intervals overlap."
    columns = ["rank", "student", "times as fast", "95 % interval", "machine"]
    return Table(columns, rows, caption=caption)


if __name__ == "__main__":
    print(class_table(sys.argv[1:]))
