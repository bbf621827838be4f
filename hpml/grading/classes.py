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
from hpml.grading import GradingError
from hpml.grading.find import COURSE, Catalogue, find_class
from hpml.grading.pool import entries, grade_all, random_seed
from hpml.grading.record import Overrides, Records
from hpml.grading.report import Report, write_page
from hpml.grading.sandbox import Limits, described
from hpml.grading.tables import names_of, one_form


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
        raise GradingError(
            "--reports: expected a folder outside the class's folder, which all can read."
        )
    limits = limits or Limits()
    submissions, left_out = find_class(folder, labs=labs, catalogue=catalogue)
    names = {name for each in submissions for name in names_of(each.name)}
    only = [one_form(name) for name in only]
    if strangers := [name for name in only if name not in names]:
        raise GradingError(
            f"{describe(strangers[0])} is not a submission in {describe(str(folder))}."
        )
    chosen = submissions[0].labs
    exercises = [entry for lab in chosen for entry in entries(catalogue, lab)]
    records = Records(reports, chosen, exercises, seed, limits)
    kept = Overrides.kept(reports / ".records" / "overrides.csv", overrides, names, exercises)
    found: dict[int, Graded] = {}
    waiting: list[int] = []
    forged: set[int] = set()

    def finish(place: int, report: Report, *, again: bool) -> None:
        """Write the page at once: an interrupted class keeps those of what was graded."""
        report = kept.applied(report)
        found[place] = Graded(report, again, again and place in forged)
        write_page(report, reports, "-".join(chosen))

    for place, submission in enumerate(submissions):
        wanted = not only or not set(only).isdisjoint(names_of(submission.name))
        earlier, genuine = records.read(submission, any_version=not wanted)
        forged |= set() if genuine else {place}
        if wanted and (only or earlier is None):
            waiting.append(place)
        elif earlier is not None:
            finish(place, earlier, again=False)
    total = len(found) + len(waiting)
    progress(len(found), total)
    seeds = [random_seed() if seed is None else seed for _ in waiting]
    tasks = [(submissions[place], own) for place, own in zip(waiting, seeds, strict=True)]
    results = grade_all(tasks, jobs=jobs or cores(), limits=limits, catalogue=catalogue)
    with contextlib.closing(results):
        for index, items in results:
            name, isolation = submissions[waiting[index]].name, described("bubblewrap")
            report = Report(name, items, seeds[index], isolation)
            records.write(report)
            finish(waiting[index], report, again=True)
            progress(len(found), total)
    return Class(tuple(each for _, each in sorted(found.items())), left_out)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
