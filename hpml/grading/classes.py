"""Grading a folder of submissions: side by side, a report each, and to be continued at any time.

A later run takes what a signed record says, where notebooks, exercises and grader are the same.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hpml.base.errors import describe
from hpml.course.exercises.exercise import Exercise
from hpml.grading import GradingError
from hpml.grading.find import (
    COURSE,
    Catalogue,
    Submission,
    find,
    fingerprint,
    is_notebook,
    lab_of,
    random_seed,
)
from hpml.grading.pool import entries, grade_all
from hpml.grading.record import Overrides, Records, exercise_version
from hpml.grading.report import GRADER, Report, student, write_feedback
from hpml.grading.sandbox import Limits, described
from hpml.grading.tables import names_of, one_form


@dataclass(frozen=True)
class Graded:
    """One member: graded now or taken from a record, and whether there was a forged record."""

    report: Report
    again: bool
    forged: bool = False


def members(
    folder: Path, *, labs: Sequence[str] | None = None, catalogue: Catalogue = COURSE
) -> tuple[Submission, ...]:
    """Return the submissions in a folder: its folders, and its notebooks."""
    if not folder.is_dir():
        raise GradingError(f"{describe(str(folder))}: expected the folder of a class.")
    entries = _entries(folder, submitted=True, labs=labs, catalogue=catalogue)
    if not entries:
        text = "expected a folder or a notebook for each submission, found none."
        raise GradingError(f"{describe(str(folder))}: {text}")
    wanted = tuple(labs) if labs is not None else _labs_of(entries, catalogue)
    if not wanted:
        text = "no notebook in it has the name of a lab; name the lab with --lab."
        raise GradingError(f"{describe(str(folder))}: {text}")
    found = [_member(entry, wanted, catalogue) for entry in entries]
    often = Counter(student(each.name) for each in found)
    return tuple(
        replace(
            each,
            remarks=(*each.remarks, (wanted[0], "A folder and a notebook have the same name.")),
        )
        if often[student(each.name)] > 1
        else each
        for each in found
    )


def passed_over(
    folder: Path, labs: Sequence[str] | None = None, catalogue: Catalogue = COURSE
) -> list[str]:
    """Return what is no submission for these labs: an archive, a notebook of another lab."""
    found = _entries(folder, submitted=False, labs=labs, catalogue=catalogue)
    return [entry.name for entry in found]


def _entries(
    folder: Path, *, submitted: bool, labs: Sequence[str] | None, catalogue: Catalogue
) -> list[Path]:
    def counts(entry: Path) -> bool:
        if entry.is_dir() or entry.is_symlink():
            return True
        lab = lab_of(entry.name, catalogue)
        return is_notebook(entry) if lab is None else labs is None or lab in labs

    entries = [each for each in folder.iterdir() if not each.name.startswith((".", "__MACOSX"))]
    return sorted(entry for entry in entries if counts(entry) == submitted)


def _labs_of(entries: Sequence[Path], catalogue: Catalogue) -> tuple[str, ...]:
    found: set[str] = set()
    for entry in entries:
        try:
            found.update(find(entry, catalogue=catalogue).labs)
        except GradingError:  # it has none; what it lacks is known from the others
            continue
    return tuple(sorted(found))


def _member(entry: Path, labs: tuple[str, ...], catalogue: Catalogue) -> Submission:
    if entry.is_symlink():
        # Reading it says that it is a link, which leads who knows where.
        return Submission(entry.name, tuple((lab, entry) for lab in labs))
    if entry.is_dir():
        try:
            return replace(find(entry, labs=labs, catalogue=catalogue), name=entry.name)
        except GradingError:  # a folder that cannot be read; its report says so
            return Submission(entry.name, tuple((lab, entry / f"{lab}.ipynb") for lab in labs))
    try:
        why, own = "", dict(find(entry, labs=labs, catalogue=catalogue).notebooks)
    except GradingError:
        why, own = f" ({entry.name} does not say which lab it is)", {}
    # Paths that do not exist; reading them says so by these words.
    there = {lab: entry.with_name(f"for lab {lab}{why}") for lab in labs} | own
    return Submission(entry.name, tuple(there.items()))


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
) -> tuple[Graded, ...]:
    """Grade every submission in a folder, or `only` some; the others are as their records say."""
    if reports.resolve().is_relative_to(folder.resolve()):
        raise GradingError(
            "--reports: expected a folder outside the class's folder, which all can read."
        )
    submissions = members(folder, labs=labs, catalogue=catalogue)
    names = {submission.name for submission in submissions}
    names = {each for name in names for each in names_of(name)}
    only = [one_form(name) for name in only]
    if strangers := [name for name in only if name not in names]:
        raise GradingError(
            f"{describe(strangers[0])} is not a submission in {describe(str(folder))}."
        )
    limits = limits or Limits()
    chosen = submissions[0].labs
    records = Records(reports, "-".join(chosen))
    asked = [entry for lab in chosen for entry in entries(catalogue, lab)]
    kept = Overrides.kept(reports / ".records" / "overrides.csv", overrides, names, asked)
    versions = {
        f"{entry.lab}.{entry.name}": exercise_version(entry)
        for entry in asked
        if isinstance(entry, Exercise)
    }
    found: dict[int, Graded] = {}
    bounds: dict[int, dict[str, Any]] = {}
    forged: set[int] = set()
    waiting: list[int] = []

    def finish(place: int, graded: Graded) -> None:
        """Write the page at once: an interrupted class keeps those of what was graded."""
        report = kept.applied(_remarked(graded.report, submissions[place]))
        found[place] = replace(graded, report=report)
        write_feedback(report, reports, "-".join(chosen))

    for place, submission in enumerate(submissions):
        bounds[place] = {
            "notebooks": [
                (lab, fingerprint(path, limits.notebook)) for lab, path in submission.notebooks
            ],
            "exercises": versions,
            "grader": GRADER,
            "seed": seed,
        }
        wanted = not only or not set(only).isdisjoint(names_of(submission.name))
        earlier, genuine = records.read(submission.name, bounds[place] if wanted else None)
        forged |= set() if genuine else {place}
        if wanted and (only or earlier is None):
            waiting.append(place)
        elif earlier is not None:
            finish(place, Graded(earlier, again=False))
    total = len(found) + len(waiting)
    progress(len(found), total)
    if waiting:
        seeds = {place: random_seed() if seed is None else seed for place in waiting}
        tasks = [submissions[place].task(seeds[place]) for place in waiting]
        results = grade_all(tasks, jobs=jobs or cores(), limits=limits, catalogue=catalogue)
        with contextlib.closing(results):
            for index, items, seconds in results:
                place = waiting[index]
                name = submissions[place].name
                report = Report(
                    name, items, seeds[place], round(seconds, 3), described("bubblewrap")
                )
                if all(item.status != "not graded" for item in items):
                    records.write(report, bounds[place])
                finish(place, Graded(report, again=True, forged=place in forged))
                progress(len(found), total)
    return tuple(each for _, each in sorted(found.items()))


def _remarked(report: Report, submission: Submission) -> Report:
    """Return the report with the submission's remarks, each at the first exercise of its lab."""
    items = list(report.items)
    for lab, text in submission.remarks:
        places = [place for place, item in enumerate(items) if item.lab == lab]
        first = items[places[0]]
        if all(items[place].text == first.text for place in places) and first.status == "missing":
            for place in places:
                items[place] = replace(items[place], text=f"{first.text} {text}")
        else:
            items[places[0]] = replace(first, note=f"{first.note} {text}".strip())
    return replace(report, items=tuple(items))


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
