"""Repeat the verdict cells of labs: ``python -m tests.benchmarks.verdicts 05 06 --runs 10``.

It runs the cells tagged ``verdict`` and those earlier cells that define what they use, not whole
labs, and counts how many comparisons were decided, how many predictions could be scored (by a guess
three times as large as the result), and how many closing verdicts were as in the reference. With
``--load 5`` five other programs keep the processors busy.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import contextlib
import io
import linecache
import multiprocessing
import os
import sys
import time
import types
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from hpml.base.tables import Table, format_seconds
from hpml.benchmark import Comparison
from hpml.course.labs.catalogue import LABS
from hpml.course.lesson import racing
from hpml.course.lesson.cells import as_python
from hpml.course.lesson.conclusions.concluding import recorded_closing
from hpml.course.lesson.conclusions.verdict import Verdict
from hpml.course.lesson.execute import find_lab
from hpml.course.lesson.predictions import state
from hpml.course.lesson.predictions.prediction import Prediction
from tests.benchmarks.racing import busy


@dataclass
class Seen:
    """What the verdict cells of a lab showed in several runs."""

    lab: str
    answers: Counter[bool] = field(default_factory=Counter)  # whether a comparison was decided
    scored: Counter[bool] = field(default_factory=Counter)
    closing: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    failed: str = ""

    @property
    def row(self) -> list[object]:
        """The figures as a row of the table."""
        reference = recorded_closing(self.lab)
        expected = reference.fits if reference else ""
        total = sum(self.closing.values())
        as_recorded = f"{self.closing[expected]} of {total}" if reference else "no intervals kept"
        said = ", ".join(f"{fits} {count}" for fits, count in self.closing.most_common())
        mean = sum(self.seconds) / len(self.seconds) if self.seconds else float("nan")
        return [
            self.lab, _share(self.answers), _share(self.scored), as_recorded, said,
            format_seconds(mean), self.failed,
        ]  # fmt: skip


def needed(cells: Sequence[str], wanted: Sequence[int]) -> list[int]:
    """Return the wanted cells and the earlier ones that define what they use, in order."""
    known = [_names(source) for source in cells]
    chosen, waiting = set(wanted), list(wanted)
    while waiting:
        place = waiting.pop()
        for name in known[place][1] - set(dir(builtins)):
            earlier = [k for k in range(place) if name in known[k][0]]
            # All of them, because a name may be changed step by step.
            for each in earlier:
                if each not in chosen:
                    chosen.add(each)
                    waiting.append(each)
    return sorted(chosen)


def _names(source: str) -> tuple[set[str], set[str]]:
    """Return the names that a cell defines, and those that it uses."""
    defined: set[str] = set()
    used: set[str] = set()
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return defined, used
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else defined).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            defined |= {(each.asname or each.name).partition(".")[0] for each in node.names}
    return defined, used


@contextlib.contextmanager
def watched(seen: Seen) -> Iterator[None]:
    """Note what `compare`, `reveal` and `conclude` find."""
    judge, reveal, ratio = racing.judge, Prediction.reveal, Comparison.in_words

    def judged(lab: str, measured: Mapping[str, Any]) -> Verdict:
        found = judge(lab, measured)
        seen.closing[found.fits] += 1
        seen.told.append(found.seen)
        return found

    def revealed(self: Prediction, measured: object, **options: Any) -> None:
        reveal(self, measured, **options)
        entry = self.entry
        if isinstance(entry.measured, float):
            entry = replace(entry, answer=3 * entry.measured)
        seen.scored[not state.why_not_scored(entry)] += 1

    def said(self: Comparison, name: str, baseline: str | None = None) -> str:
        seen.answers[self.ratio(name, baseline).answer != "cannot tell"] += 1
        return ratio(self, name, baseline)

    racing.judge = judged
    Prediction.reveal, Comparison.in_words = revealed, said  # type: ignore[method-assign]
    try:
        yield
    finally:
        racing.judge = judge
        Prediction.reveal, Comparison.in_words = reveal, ratio  # type: ignore[method-assign]


def repeat(lab: str, runs: int, *, closing: bool) -> Seen:
    """Run a lab's verdict cells so often, all of them or the last one only."""
    import nbformat

    seen = Seen(lab)
    notebook: Any = nbformat.read(find_lab(lab), as_version=4)  # type: ignore[no-untyped-call]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    code = [cell for cell in code if "setup" not in cell.metadata.get("tags", [])]
    cells = [as_python(cell.source) for cell in code]
    wanted = [
        place
        for place, cell in enumerate(code)
        if "verdict" in cell.metadata.get("tags", [])
        and "further" not in cell.metadata.get("tags", [])
        and ("conclude(" in cell.source or not closing)
    ]
    # A module of its own with the cells' source, which TorchScript and the compiler ask for.
    module = sys.modules[f"cells_of_lab_{lab}"] = types.ModuleType(f"cells_of_lab_{lab}")
    scope = vars(module)
    scope["display"] = lambda *_: None
    names = [f"<lab {lab}, cell {place}>" for place in range(len(cells))]
    for name, source in zip(names, cells, strict=True):
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            # The verdict cells too: a cell between them may use what an earlier one defines.
            for place in needed(cells, wanted):
                exec(compile(cells[place], names[place], "exec"), scope)
            for _ in range(runs):
                start = time.perf_counter()
                with watched(seen):
                    for place in wanted:
                        exec(compile(cells[place], names[place], "exec"), scope)
                seen.seconds.append(time.perf_counter() - start)
        except Exception as error:  # noqa: BLE001 - the other labs still run
            seen.failed = f"{type(error).__name__}: {error}"[:80]
    return seen


def _share(counts: Counter[bool]) -> str:
    total = sum(counts.values())
    return f"{counts[True]} of {total}" if total else "–"


def main() -> None:
    """Print a row for each lab."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labs", nargs="*", default=list(LABS))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--load", type=int, default=0, help="other busy programs")
    parser.add_argument("--closing", action="store_true", help="the closing verdicts only")
    options = parser.parse_args()
    os.environ["HPML_HEADLESS"] = "1"
    columns = ["lab", "decided", "scored", "as in the reference", "verdicts", "a run", "failed"]
    rows = []
    # A process for each lab, because some change settings of PyTorch.
    fresh = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1)
    with busy(options.load), fresh as pool:
        for lab in options.labs:
            seen = pool.submit(repeat, lab, options.runs, closing=options.closing).result()
            rows.append(seen.row)
            print(*seen.told, *map(str, seen.row), sep="\n  ", flush=True)
    title = f"{options.runs} runs beside {options.load} busy programs"
    print(Table(columns, rows, title=title))


if __name__ == "__main__":
    main()
