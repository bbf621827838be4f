"""Grading a folder of submissions: side by side, one report each, and to be continued at any time.

A report is written when its submission is done. A later run takes a report as it is when the
notebooks, the labs, the seed and the grader are still the same; so an interrupted run goes on where
it was, and only what was handed in again is graded again. The seed of a class is drawn once, and
kept beside the reports.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hpml.base.errors import describe
from hpml.base.files import write_atomically
from hpml.base.tables import Table
from hpml.grading.crew import CATALOGUE, Crew
from hpml.grading.errors import GradingError
from hpml.grading.isolation import Limits
from hpml.grading.notebook_file import fingerprint
from hpml.grading.report import GRADER, Report, from_gradescope, harmless, points, write
from hpml.grading.submission import Submission, find, random_seed

__all__ = ["Graded", "as_csv", "class_table", "cores", "grade_class", "members"]

# A submission's name never begins with a dot, so no report of one can take this place.
_CLASS = ".class.json"


@dataclass(frozen=True)
class Graded:
    """One member of a class.

    Attributes:
        report: what it earned.
        again: whether it was graded in this run, and not taken from an earlier one.
        restored: whether its file was changed by someone before the run ended, and written again.
        changed: whether what was handed in was changed by someone before the run ended.
    """

    report: Report
    again: bool
    restored: bool = False
    changed: bool = False


def members(
    folder: Path, *, labs: Sequence[str] | None = None, catalogue: str = CATALOGUE
) -> tuple[Submission, ...]:
    """Return the submissions in a folder: its folders, and its notebooks.

    Args:
        folder: the class's folder. Hidden entries and other files in it are passed over.
        labs: the labs to grade; without it, all that anyone in the class handed in.
        catalogue: the module that knows the exercises.

    Raises:
        GradingError: if there are none, or nothing says which lab they are of.
    """
    if not folder.is_dir():
        raise GradingError(f"{describe(str(folder))}: expected the folder of a class.")
    entries = sorted(
        entry
        for entry in folder.iterdir()
        if not entry.name.startswith(".") and (entry.is_dir() or entry.suffix == ".ipynb")
    )
    if not entries:
        raise GradingError(
            f"{describe(str(folder))}: expected a folder or a notebook for each submission, "
            "found none."
        )
    wanted = tuple(labs) if labs is not None else _labs_of(entries, catalogue)
    if not wanted:
        raise GradingError(
            f"{describe(str(folder))}: no submission in it has a notebook named as a lab; say "
            "which lab it is with --lab."
        )
    return tuple(_member(entry, wanted, catalogue) for entry in entries)


def _labs_of(entries: Sequence[Path], catalogue: str) -> tuple[str, ...]:
    found: set[str] = set()
    for entry in entries:
        try:
            found.update(find(entry, catalogue=catalogue).labs)
        except GradingError:  # it has none; what it lacks is known from the others
            continue
    return tuple(sorted(found))


def _member(entry: Path, labs: tuple[str, ...], catalogue: str) -> Submission:
    if entry.is_symlink():
        # Reading it says that it is a link, which leads who knows where.
        return Submission(entry.name, tuple((lab, entry) for lab in labs))
    if entry.is_dir():
        try:
            return Submission(entry.name, find(entry, labs=labs, catalogue=catalogue).notebooks)
        except GradingError:  # a folder that cannot be read; its report says so
            return Submission(entry.name, tuple((lab, entry / f"{lab}.ipynb") for lab in labs))
    if len(labs) == 1:
        return Submission(entry.name, ((labs[0], entry),))
    (own,) = find(entry, catalogue=catalogue).notebooks
    others = ((lab, entry.with_name(f"{lab} of {entry.name}")) for lab in labs if lab != own[0])
    return Submission(entry.name, tuple(sorted((own, *others))))


def grade_class(
    folder: Path,
    reports: Path,
    *,
    labs: Sequence[str] | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    limits: Limits | None = None,
    catalogue: str = CATALOGUE,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Graded, ...]:
    """Grade every submission in a folder; return what each earned, in order of their names.

    Args:
        folder: holds a folder or a notebook for each submission.
        reports: where each report goes, as Gradescope's ``results.json``; made if missing.
        labs: see `members`.
        seed: for all; that of an earlier run into the same `reports`, or a random one, if None.
        jobs: how many at the same time; as many as there are cores if None.
        limits: what each may use.
        catalogue: the module that knows the exercises.
        progress: called with how many are done, of how many, after each.
    """
    submissions = members(folder, labs=labs, catalogue=catalogue)
    limits = limits or Limits()
    seed = _seed(reports) if seed is None else seed
    extras = [_extra(submission, limits, catalogue) for submission in submissions]
    found: dict[int, Graded] = {}
    for place, submission in enumerate(submissions):
        kept = _kept(_report_file(reports, submission), seed, extras[place])
        if kept is not None:
            found[place] = Graded(kept, again=False)
    progress(len(found), len(submissions))
    waiting = [place for place in range(len(submissions)) if place not in found]
    if waiting:
        tasks = [submissions[place].task(seed) for place in waiting]
        with Crew(jobs or cores(), limits=limits, catalogue=catalogue) as crew:
            for index, items, seconds in crew.grade(tasks):
                place = waiting[index]
                submission = submissions[place]
                report = Report(submission.name, items, seed, round(seconds, 3))
                write(report, _report_file(reports, submission), extra=extras[place])
                found[place] = Graded(report, again=True)
                progress(len(found), len(submissions))
    # Nothing of a submission runs any more; while it did, it could write where this process can.
    for place in waiting:
        report, path = found[place].report, _report_file(reports, submissions[place])
        if _kept(path, seed, extras[place]) != report:
            write(report, path, extra=extras[place])
            found[place] = replace(found[place], restored=True)
        if _extra(submissions[place], limits, catalogue) != extras[place]:
            found[place] = replace(found[place], changed=True)
    return tuple(found[place] for place in range(len(submissions)))


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def class_table(reports: Sequence[Report]) -> Table:
    """Return the points of a class, a row a submission.

    >>> from hpml.grading.report import Item
    >>> ada = Report("ada", (Item("06", 1, "lazy_forward", 2.0, 1.5),), seed=7)
    >>> print(class_table([ada]))
    submission  06.1  points
    ----------  ----  ------
    ada          1.5     1.5
    of             2       2
    """
    first = reports[0]
    columns = ["submission", *(f"{item.lab}.{item.number}" for item in first.items), "points"]
    rows = [
        [harmless(each.name), *(item.earned for item in each.items), each.earned]
        for each in reports
    ]
    rows.append(["of", *(item.worth for item in first.items), first.worth])
    formats = dict.fromkeys(columns[1:], _points)
    return Table(columns, rows, formats=formats)


def as_csv(reports: Sequence[Report]) -> str:
    """Return the points and the status of each exercise as CSV, a row a submission.

    >>> from hpml.grading.report import Item
    >>> ada = Report("ada", (Item("06", 1, "lazy_forward", 2.0, 1.5, "partly right"),), seed=7)
    >>> as_csv([ada]).splitlines()
    ['submission,06.1 lazy_forward,06.1 status,points,of,seed', 'ada,1.5,partly right,1.5,2,7']
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    titles = [
        title
        for item in reports[0].items
        for title in (item.title, f"{item.lab}.{item.number} status")
    ]
    writer.writerow(["submission", *titles, "points", "of", "seed"])
    for report in reports:
        cells = [cell for item in report.items for cell in (points(item.earned), item.status)]
        # A name that a spreadsheet would take for a formula stays a name.
        name = harmless(report.name)
        name = f"'{name}" if name[:1] in "=+-@" else name
        writer.writerow([name, *cells, points(report.earned), points(report.worth), report.seed])
    return stream.getvalue()


def _points(value: float) -> str:
    return points(value)


def _seed(reports: Path) -> int:
    """Return the seed of the class, drawn the first time."""
    path = reports / _CLASS
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))["seed"]
        if type(kept) is int:
            return kept
    except (OSError, ValueError, KeyError, TypeError):
        pass
    seed = random_seed()
    write_atomically(path, json.dumps({"seed": seed}) + "\n")
    return seed


def _extra(submission: Submission, limits: Limits, catalogue: str) -> dict[str, Any]:
    """Return what decides whether a report still holds, besides the seed and the grader."""
    return {
        "notebooks": {
            lab: fingerprint(path, limits.notebook) for lab, path in submission.notebooks
        },
        "catalogue": catalogue,
    }


def _report_file(reports: Path, submission: Submission) -> Path:
    return reports / f"{submission.name}.json"


def _kept(path: Path, seed: int, extra: dict[str, Any]) -> Report | None:
    """Return the report of an earlier run, if it still holds."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        expected = {**extra, "seed": seed, "grader": GRADER}
        if any(data["extra_data"].get(key) != value for key, value in expected.items()):
            return None
        return from_gradescope(data)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
