"""What three tools say about a run that fails: a trace, a record of memory, and compiler logs."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hpml.base.charts import Line, lines, show
from hpml.base.child_process import with_package
from hpml.base.page import Page, say
from hpml.base.tables import Table, format_bytes
from hpml.course.lesson.tensor_memory import allocated, most

__all__ = [
    "allocated",  # of `course.lesson`, with which the lab draws
    "by_case",
    "draw_memory",
    "most",
    "recompilations",
    "shown",
    "waiting",
    "with_logs",
]

if TYPE_CHECKING:
    from hpml.profiling import TorchProfile


def waiting(profile: TorchProfile) -> float:
    """Return the percentage of a step in which it waits for the data loader."""
    parts = profile.trace.parts
    waited = sum(p.total_cpu for name, p in parts.items() if name.startswith("enumerate(DataL"))
    return 100 * waited / sum(profile.trace.steps)


def draw_memory(records: Mapping[str, list[tuple[float, int]]]) -> Page:
    """Draw the memory of each record over time."""
    series = []
    for name, record in records.items():
        x = [moment for moment, _ in record for _ in (0, 1)][1:]
        y = [size / 2**20 for _, size in record for _ in (0, 1)][:-1]
        series.append(Line(name, x, y, text=f"at most {format_bytes(most(record))}"))
    return show(lines(series, title="Memory of new tensors", x="milliseconds", y="MiB"), width=9.0)


def with_logs(program: str, logs: str) -> str:
    """Run a program with ``TORCH_LOGS`` set, and return its output and its log in their order."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        env=with_package() | {"TORCH_LOGS": logs, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    return done.stdout


def recompilations(log: str) -> list[str]:
    """Return the first failed guard of each recompilation in a log of ``recompiles``.

    >>> log = "guards.py:5] [0/1] [__recompiles] Recompiling function forward in run.py:5\\n"
    >>> log += "guards.py:5] [0/1] [__recompiles]     - 0/0: self.step == 0   # self.step += 1"
    >>> recompilations(log)
    ['self.step == 0']
    """
    found = []
    for part in log.split("Recompiling function")[1:]:
        failed = re.search(r"- \d+/\d+: (.*?)(?:\s{2,}#|$)", part, re.MULTILINE)
        found.append(failed[1].strip() if failed else "?")
    return found


def by_case(log: str) -> dict[str, list[str]]:
    """Return the failed guards below each line that the program prints, ``case: NAME``."""
    parts = re.split(r"(?m)^case: (.*)$", log)[1:]
    return {name: recompilations(part) for name, part in zip(parts[::2], parts[1::2], strict=True)}


def shown(log: str) -> Table | Page:
    """Return a table of the recompilations of each case, with the hint that the log gives."""
    cases = by_case(log)
    if not cases:
        return say(f"The program failed here: `{(log.strip().splitlines() or ['no output'])[-1]}`")
    hint = re.search(r"HINT: (.*?) If you", log)
    rows = [[name, len(guards), ", ".join(guards[:3]) or "–"] for name, guards in cases.items()]
    return Table(
        ["step is kept in", "recompilations", "the guards that failed first"],
        rows,
        caption=f"The log's hint: {hint[1]}" if hint else "",
        code=True,
    )
