"""Grading a folder of submissions: side by side, a page each, and to be continued at any time.

A later run takes what a signed record says, where notebooks, exercises and grader are the same.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hpml.base.errors import describe
from hpml.grading import BadRequest
from hpml.grading.find import COURSE, Catalogue, Submission, entries, find_class
from hpml.grading.names import names_of, one_form
from hpml.grading.pool import grade_all
from hpml.grading.record import Overrides, Records, Report
from hpml.grading.report import write_page
from hpml.grading.sandbox import Limits


@dataclass(frozen=True)
class Graded:
    """One submission: graded now or taken from a record, and whether there was a forged record."""

    report: Report
    again: bool
    forged: bool = False


@dataclass(frozen=True)
class Class:
    """All submissions of a class, and the names of what is none."""

    graded: tuple[Graded, ...]
    left_out: list[str]


def grade_class(
    folder: Path,
    reports: Path,
    *,
    labs: Sequence[str] | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    only: Sequence[str] = (),
    overrides: Path | None = None,
    limits: Limits | None = None,
    catalogue: Catalogue = COURSE,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Class:
    """Grade every submission in a folder, or `only` some; the others are as their records say."""
    if reports.resolve().is_relative_to(folder.resolve()):
        raise BadRequest(
            "--reports: expected a folder outside the class's folder, which all can read."
        )
    limits = limits or Limits()
    submissions, left_out = find_class(folder, labs=labs, catalogue=catalogue)
    only = [one_form(name) for name in only]
    names = {name for each in submissions for name in each.names}
    if strangers := [name for name in only if name not in names]:
        raise BadRequest(
            f"{describe(strangers[0])} is not a submission in {describe(str(folder))}."
        )
    chosen = submissions[0].labs
    exercises = [entry for lab in chosen for entry in entries(catalogue, lab)]
    records = Records(reports, chosen, exercises, seed)
    students = {name for each in submissions for name in names_of(each.name)}
    given = Overrides.kept(reports / ".records" / "overrides.csv", overrides, students, exercises)
    found: dict[str, Graded] = {}
    waiting: list[Submission] = []
    forged: set[str] = set()

    def finish(report: Report, *, again: bool) -> None:
        """Write the page at once: an interrupted class keeps those of what was graded."""
        report = given.applied(report)
        found[report.name] = Graded(report, again, again and report.name in forged)
        write_page(report, reports, "-".join(chosen))

    for submission in submissions:
        wanted = not only or not submission.names.isdisjoint(only)
        earlier, genuine = records.read(submission, any_version=not wanted)
        if not genuine:
            forged.add(submission.name)
        if wanted and (only or earlier is None):
            waiting.append(submission)
        elif earlier is not None:
            finish(earlier, again=False)
    total = len(found) + len(waiting)
    progress(len(found), total)
    results = grade_all(
        waiting, seed=seed, jobs=jobs or cores(), limits=limits, catalogue=catalogue
    )
    with contextlib.closing(results):
        for submission, report in results:
            records.write(submission, report)
            finish(report, again=True)
            progress(len(found), total)
    graded = [found[each.name] for each in submissions if each.name in found]
    return Class(tuple(graded), left_out)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
