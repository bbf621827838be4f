"""Time to grade a class of lab 06: ``python -m tests.benchmarks.grading``.

The submissions are in equal parts right, known wrong answers, partly right ones in the course's own
notebook, and untouched. It prints the seconds, the load before and after, and the seconds of
processor time; it ends with 1 if grading took longer than ``--most`` seconds.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from hpml.course.grading.classes import grade_class
from hpml.course.labs.catalogue import choice, exercises
from hpml.course.lesson.cells import code_cells
from hpml.course.lesson.execute import find_lab
from hpml.course.lesson.exercises.wrong_answers import wrong_answers
from tests.course.grading.handed_in import notebook

SOLUTIONS = Path(__file__).resolve().parents[1] / "solutions"


def submissions(lab: str) -> list[list[str]]:
    """Return the cells of each kind of submission."""
    entries, end = exercises(lab), f"explanation = {choice(lab).best}"
    solved = [
        (SOLUTIONS / f"lab_{lab}" / each.name / "right.py").read_text(encoding="utf-8")
        for each in entries
    ]
    given = list(code_cells(find_lab(lab).read_text(encoding="utf-8")).values())
    wrong = [
        [*(wrong_answers(e)[number % len(wrong_answers(e))].program(e.name) for e in entries), end]
        for number in range(4)
    ]
    partly = [[*given, *solved[:number], end] for number in range(1, 5)]
    return [*([*given, *solved, end] for _ in range(4)), *wrong, *partly, *([given] * 4)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=200, help="number of submissions")
    parser.add_argument("--lab", default="06", help="lab of the submissions")
    parser.add_argument("--jobs", type=int, default=2, help="submissions graded side by side")
    parser.add_argument("--most", type=float, default=120.0, help="seconds allowed")
    options = parser.parse_args()
    kinds = submissions(options.lab)
    with tempfile.TemporaryDirectory() as place:
        for number in range(options.students):
            folder = Path(place, "class", f"student{number:03}")
            folder.mkdir(parents=True)
            cells = [*kinds[number % len(kinds)], f"# student {number}"]
            (folder / find_lab(options.lab).name).write_text(notebook(*cells), encoding="utf-8")
        before, began = os.getloadavg()[0], time.monotonic()
        done = grade_class(
            Path(place, "class"), Path(place, "reports"), lab=options.lab, jobs=options.jobs
        )
        seconds = time.monotonic() - began
    used = os.times()
    processor = used.user + used.system + used.children_user + used.children_system
    statuses = {item.status for each in done.graded for item in each.report.items}
    print(
        f"{len(done.graded)} submissions in {options.jobs} jobs: {seconds:.0f} s, "
        f"{processor:.0f} s of processor time; load {before:.1f} before, "
        f"{os.getloadavg()[0]:.1f} after; results: {', '.join(sorted(statuses))}"
    )
    return int(seconds > options.most or "not graded" in statuses)


if __name__ == "__main__":
    sys.exit(main())
