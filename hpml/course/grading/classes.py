"""Grade a folder of submissions in parallel; an interrupted run can be resumed.

A later run uses the signed record where notebooks, exercises and grader are unchanged. Each job is
a separate process, so global state such as PyTorch's seed is never shared. No line of a submission
runs in these processes.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from hpml.base.errors import describe
from hpml.base.system import usable_cores
from hpml.course.files import results_folder
from hpml.course.grading import BadRequest, GradingError
from hpml.course.grading.find import (
    COURSE,
    Catalogue,
    Submission,
    alike,
    entries,
    find_class,
    names_of,
    one_form,
)
from hpml.course.grading.grader import Grader
from hpml.course.grading.record import (
    Overrides,
    Records,
    Report,
    overridden,
    read_overrides,
)
from hpml.course.grading.report import write_page
from hpml.course.grading.sandbox import Limits, require_isolation
from hpml.course.grading.unpack import place_for_zips


@dataclass(frozen=True)
class Graded:
    """One submission, graded now or read from a record, and whether its record was forged."""

    report: Report
    again: bool
    forged: bool = False
    older: bool = False  # than its submission, its exercises or the grader


@dataclass(frozen=True)
class GradedClass:
    """A class: its submissions, and what an instructor should know about it.

    `left_out` are the names of other entries of the folder. `alike` has the names of submissions
    whose notebooks of a lab are byte for byte the same.
    """

    graded: list[Graded]
    left_out: list[str]
    overrides: Overrides
    alike: list[list[str]]


def reports_of(folder: Path) -> Path:
    """Return the usual folder of a class's reports; another path is another class."""
    path = folder.resolve()
    key = hashlib.sha256(os.fsencode(os.path.normcase(path))).hexdigest()[:8]
    return results_folder() / "grading" / f"{path.parent.name}-{path.name}-{key}".lstrip("-")


def grade_class(
    folder: Path,
    reports: Path,
    *,
    lab: str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    only: Sequence[str] = (),
    overrides: Path | None = None,
    limits: Limits | None = None,
    catalogue: Catalogue = COURSE,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> GradedClass:
    """Grade every submission in a folder, or `only` some; the others keep their recorded result."""
    if reports.resolve().is_relative_to(folder.resolve()):
        raise BadRequest(
            object="--reports",
            expected="a folder outside the class's folder",
            received=describe(str(reports), limit=300),
            remedy="Choose another folder: students can read that of the class.",
        )
    with place_for_zips() as place:
        submissions, left_out = find_class(folder, lab=lab, catalogue=catalogue, unpacked=place)
        chosen = [one_form(name) for name in only]
        names = {name for each in submissions for name in each.names}
        if strangers := [name for name in chosen if name not in names]:
            raise BadRequest(
                object="--only",
                expected=f"submissions in {describe(str(folder), limit=300)}",
                received=describe(strangers[0]),
                remedy="Name a submission as its folder or file is named.",
            )
        graded, given = _grade_found(
            submissions,
            reports,
            seed=seed,
            jobs=jobs or usable_cores(),
            only=chosen,
            overrides=overrides,
            limits=limits or Limits(),
            catalogue=catalogue,
            progress=progress,
        )
    return GradedClass(graded, left_out, given, alike(submissions))


def _grade_found(
    submissions: Sequence[Submission],
    reports: Path,
    *,
    seed: int | None,
    jobs: int,
    only: Sequence[str],
    overrides: Path | None,
    limits: Limits,
    catalogue: Catalogue,
    progress: Callable[[int, int], None],
) -> tuple[list[Graded], Overrides]:
    """Grade what has no record yet, or `only` some, and apply the overrides."""
    chosen = submissions[0].labs
    exercises = [entry for own in chosen for entry in entries(catalogue, own)]
    records = Records(reports, chosen, exercises, seed)
    students = {name for each in submissions for name in names_of(each.name)}
    kept = reports / ".records" / "overrides.csv"
    given = read_overrides(kept, overrides, students, exercises)
    found: dict[str, Graded] = {}
    waiting: list[Submission] = []
    forged: set[str] = set()

    def finish(report: Report, *, again: bool, older: bool = False) -> None:
        """Write the page immediately, so that an interrupted run keeps the finished ones."""
        report = overridden(report, given)
        found[report.name] = Graded(report, again, again and report.name in forged, older)
        write_page(report, reports, "-".join(chosen))

    for submission in submissions:
        wanted = not only or not submission.names.isdisjoint(only)
        earlier = records.read(submission)
        if earlier.forged:
            forged.add(submission.name)
        if wanted and (only or not earlier.current):
            waiting.append(submission)
        elif earlier.report is not None:
            finish(earlier.report, again=False, older=not earlier.current)
    total = len(found) + len(waiting)
    progress(len(found), total)
    results = _grade_all(waiting, seed=seed, jobs=jobs, limits=limits, catalogue=catalogue)
    with contextlib.closing(results):
        for submission, report in results:
            records.write(submission, report)
            finish(report, again=True)
            progress(len(found), total)
    return [found[each.name] for each in submissions if each.name in found], given


def _grade_all(
    submissions: Sequence[Submission],
    *,
    seed: int | None,
    jobs: int,
    limits: Limits,
    catalogue: Catalogue,
) -> Generator[tuple[Submission, Report]]:
    """Grade submissions in bubblewrap; yield each with its report when it is done."""
    if not submissions:
        return
    if jobs == 1 or len(submissions) == 1:
        with Grader(limits=limits, catalogue=catalogue) as grader:
            for submission in submissions:
                yield submission, grader.grade(submission, seed)
        return
    require_isolation("bubblewrap")
    assert isinstance(catalogue, ModuleType)
    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(
        min(jobs, len(submissions)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(limits, catalogue.__name__),
    )
    try:
        waiting: dict[Future[Report], Submission] = {
            executor.submit(_grade, each, seed): each for each in submissions
        }
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    except BrokenProcessPool:
        raise GradingError(
            "A grading process ended unexpectedly, perhaps because memory ran out.",
            object="a grading process",
            expected="a report",
            received="its end",
            remedy="Run the same command again, with fewer --jobs: it continues with what is left.",
        ) from None
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        started = set(multiprocessing.active_children()) - others
        for process in started:
            process.terminate()
        for process in started:
            process.join(timeout=10)
            process.kill()  # Python waits at exit for processes that still run


_grader: Grader | None = None  # one for each job's process


def _begin(limits: Limits, catalogue: str) -> None:
    """Prepare a job's process."""
    global _grader
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    signal.signal(signal.SIGTERM, _end)
    known: Catalogue = importlib.import_module(catalogue)
    _grader = Grader(limits=limits, catalogue=known)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    _close()


def _end(*_: object) -> None:
    # In a thread, because closing waits for locks that the interrupted main thread may hold.
    threading.Thread(target=_close).start()


def _close() -> None:
    if _grader is not None:
        _grader.close()
    os._exit(1)


def _grade(submission: Submission, seed: int | None) -> Report:
    assert _grader is not None
    return _grader.grade(submission, seed)
