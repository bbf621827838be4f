"""How long students wait: ``python -m tests.benchmarks.waiting [LAB ...]``.

Each lab runs at full size in a new kernel, solved with the right solutions. It prints the cells of
the core that take longer than ``--over`` seconds, the checks that take longer than ``--check``, and
each lab's longest cell, with the processor time of the kernel and of the processes that have ended.
It ends with 1 if a check takes longer than that, or a cell longer than ``--most`` seconds. Run it
where nothing else does; on a busy machine the processor time says more.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import nbformat

from hpml.course.lesson.execute import execute, headings, labs

# Prepended to a lab: writes the processor time of each cell into a file, a line per cell.
PROCESSOR = """
import os as _os
def _used():
    return sum(_os.times()[:4])
def _begin(info):
    global _before
    _before = _used()
def _end(result):
    with open({file!r}, "a") as _file:
        print(_used() - _before, file=_file)
_before = _used()
get_ipython().events.register("pre_run_cell", _begin)
get_ipython().events.register("post_run_cell", _end)
"""
SOLUTIONS = Path(__file__).resolve().parents[1] / "solutions"


class Wait(NamedTuple):
    """The seconds that a code cell took."""

    seconds: float
    processor: float
    heading: str
    cell: str
    first_line: str
    further: bool
    check: bool


def solved(path: Path) -> nbformat.NotebookNode:
    """Return a lab with the right solutions in place of the stubs."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        found = re.search(r"^def (\w+)\(", cell.source, re.MULTILINE)
        if found and "exercise" in cell.metadata.get("tags", []):
            right = SOLUTIONS / f"lab_{path.stem[:2]}" / found[1] / "right.py"
            cell.source = right.read_text(encoding="utf-8")
    return notebook


def waits(path: Path) -> list[Wait]:
    """Return the seconds of each code cell of a lab, executed at full size."""
    with tempfile.TemporaryDirectory() as folder:
        copy, used = Path(folder, path.name), Path(folder, "processor.txt")
        notebook = solved(path)
        counting = PROCESSOR.format(file=str(used))
        notebook.cells.insert(0, nbformat.v4.new_code_cell(counting))  # type: ignore[no-untyped-call]
        nbformat.write(notebook, copy)
        environment = {"HPML_QUICK": "0", "HPML_RESULTS": folder}
        execution = execute(copy, environment=environment)
        assert execution.failure is None, str(execution.failure)
        processor = map(float, used.read_text(encoding="utf-8").splitlines())
    next(processor)  # the cell above
    found = []
    above = headings(execution.notebook)
    for heading, cell in zip(above, execution.notebook.cells, strict=True):
        times = cell.metadata.get("execution", {})
        first = cell is execution.notebook.cells[0]
        if not first and {"iopub.execute_input", "shell.execute_reply"} <= times.keys():
            begin, end = (
                datetime.fromisoformat(times[name].replace("Z", "+00:00"))
                for name in ("iopub.execute_input", "shell.execute_reply")
            )
            line, further = cell.source.splitlines()[0], "further" in cell.metadata.get("tags", [])
            seconds = (end - begin).total_seconds()
            checks = cell.source.startswith("check(")
            found.append(Wait(seconds, next(processor), heading, cell.id, line, further, checks))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labs", nargs="*", metavar="LAB", help="numbers of labs (default: all)")
    parser.add_argument("--over", type=float, default=10.0, help="seconds of a cell to be printed")
    parser.add_argument("--most", type=float, default=20.0, help="seconds allowed for a cell")
    parser.add_argument("--check", type=float, default=5.0, help="seconds allowed for a check")
    options = parser.parse_args()
    late = False
    for path in labs():
        if options.labs and path.stem[:2] not in options.labs:
            continue
        load, found = os.getloadavg()[0], waits(path)
        core = [each for each in found if not each.further]
        longest = max(core)
        print(
            f"{path.stem}: core {sum(each.seconds for each in core):.0f} s, "
            f"all {sum(each.seconds for each in found):.0f} s, "
            f"longest core cell {longest.seconds:.1f} s "
            f"({longest.heading}); "
            f"load {load:.1f} before, {os.getloadavg()[0]:.1f} after",
            flush=True,
        )
        for each in core:
            most = options.check if each.check else options.most
            if each.seconds > (options.check if each.check else options.over):
                times = f"{each.seconds:5.1f} s, {each.processor:5.1f} s of processor time"
                print(f"    {times}  {each.cell}  {each.first_line}", flush=True)
            late |= each.seconds > most
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
