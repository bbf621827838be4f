"""Grading submissions: one after the other, or side by side in processes.

A process of its own for each job: what a judge or a reference changes globally, such as the seed of
PyTorch, is never shared. No line of a submission runs in these processes.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import secrets
import signal
import sys
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Self

from hpml.course.exercises.exercise import Choice, Exercise
from hpml.course.exercises.packages import missing
from hpml.course.exercises.wrong_answers import WrongAnswerProcess
from hpml.grading import GradingError
from hpml.grading.find import COURSE, Catalogue, Submission, UnreadableNotebook, find, read_cells
from hpml.grading.judge import grade_entry
from hpml.grading.report import Item, Report, blank, harmless
from hpml.grading.run import Submitted
from hpml.grading.sandbox import Isolation, Limits, described, require_isolation

_TICK = 0.5

Task = tuple[Submission, int]
"""A submission to grade, and the seed of its cases."""


def random_seed() -> int:
    """Return a seed that no student can foresee."""
    return secrets.randbelow(2**31)


class Grader:
    """Grades one submission at a time, for the time of a ``with`` block."""

    def __init__(
        self,
        *,
        limits: Limits | None = None,
        catalogue: Catalogue = COURSE,
        isolation: Isolation = "bubblewrap",
    ) -> None:
        require_isolation(isolation)
        self._limits = limits or Limits()
        self._catalogue = catalogue
        self._isolation = isolation
        self._wrong_answers = WrongAnswerProcess()
        self._submitted: Submitted | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes that it started."""
        if self._submitted is not None:
            for worker in list(self._submitted.workers):
                worker.close()
        self._wrong_answers.close()

    def grade(
        self, submission: Submission, seed: int, names: Sequence[str] | None = None
    ) -> tuple[Item, ...]:
        """Grade all exercises of a submission, or those of these names."""
        deadline = time.monotonic() + self._limits.submission
        items: list[Item] = []
        for lab, paths in submission.notebooks.items():
            chosen = entries(self._catalogue, lab, names)
            _require_packages(chosen)
            graded = [self._notebook(path, lab, seed, chosen, deadline) for path in paths]
            each = zip(chosen, zip(*graded, strict=True), strict=True)
            items += [_best(entry, found, paths) for entry, found in each]
        return tuple(items)

    def _notebook(
        self,
        path: Path,
        lab: str,
        seed: int,
        chosen: Sequence[Exercise | Choice],
        deadline: float,
    ) -> list[Item]:
        try:
            cells = read_cells(path, self._limits)
        except UnreadableNotebook as error:
            text = harmless(str(error))
            return [blank(entry).without_points(error.status, text) for entry in chosen]
        choice = self._catalogue.choice(lab)
        self._submitted = Submitted(
            cells, seed, self._limits, deadline, self._isolation, choice, self._wrong_answers
        )
        return [_graded_entry(self._submitted, entry) for entry in chosen]


def grade(
    path: Path,
    *,
    labs: Sequence[str] | None = None,
    seed: int | None = None,
    names: Sequence[str] | None = None,
    limits: Limits | None = None,
    catalogue: Catalogue = COURSE,
    isolation: Isolation = "none",
) -> Report:
    """Grade one submission."""
    submission = find(path, labs=labs, catalogue=catalogue)
    chosen = random_seed() if seed is None else seed
    with Grader(limits=limits, catalogue=catalogue, isolation=isolation) as grader:
        items = grader.grade(submission, chosen, names)
    return Report(submission.name, items, chosen, described(isolation))


def grade_all(
    tasks: Sequence[Task],
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    catalogue: Catalogue = COURSE,
) -> Generator[tuple[int, tuple[Item, ...]]]:
    """Grade submissions in bubblewrap; yield the place in `tasks` and the items of each."""
    if not tasks:
        return
    if jobs == 1 or len(tasks) == 1:
        with Grader(limits=limits, catalogue=catalogue) as grader:
            for place, task in enumerate(tasks):
                yield place, grader.grade(*task)
        return
    require_isolation("bubblewrap")
    assert isinstance(catalogue, ModuleType)
    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(
        min(jobs, len(tasks)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(limits, catalogue.__name__, list(sys.path)),
    )
    try:
        waiting: dict[Future[tuple[Item, ...]], int] = {
            executor.submit(_grade, task): place for place, task in enumerate(tasks)
        }
        while waiting:
            # A moment at a time, so that Ctrl-C is heard on every system.
            done, _ = wait(waiting, timeout=_TICK, return_when=FIRST_COMPLETED)
            for future in done:
                yield waiting.pop(future), future.result()
    except BrokenProcessPool:
        raise GradingError(
            "A grading process ended unexpectedly, perhaps because memory ran out. The same "
            "command continues with what is left; try fewer --jobs."
        ) from None
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        started = set(multiprocessing.active_children()) - others
        for process in started:
            process.terminate()
        for process in started:
            process.join(timeout=10)
            process.kill()  # one that is still there would be waited for at exit


_grader: Grader | None = None  # of a job's process


def _begin(limits: Limits | None, catalogue: str, path: list[str]) -> None:
    """Prepare a job's process."""
    global _grader
    sys.path[:] = path
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the first process
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
    # In a thread: closing waits for locks that the interrupted main thread may hold.
    threading.Thread(target=_close).start()


def _close() -> None:
    if _grader is not None:
        _grader.close()
    os._exit(1)


def _grade(task: Task) -> tuple[Item, ...]:
    assert _grader is not None
    return _grader.grade(*task)


def _require_packages(chosen: Sequence[Exercise | Choice]) -> None:
    for entry in chosen:
        if isinstance(entry, Exercise) and (names := missing(entry.packages)):
            raise GradingError(
                f"Exercise {entry.lab}.{entry.number} {entry.name} needs {' and '.join(names)}, "
                f"which is not installed; run pip install {' '.join(names)}."
            )


def _graded_entry(submitted: Submitted, entry: Exercise | Choice) -> Item:
    try:
        return grade_entry(submitted, entry)
    except Exception as error:  # noqa: BLE001 - one odd submission must not end the whole class
        text = harmless(f"The grader failed, {type(error).__name__}: {error}")
        return blank(entry).without_points("not graded", text)


def _best(entry: Exercise | Choice, items: Sequence[Item], paths: Sequence[Path]) -> Item:
    """Return the item of the notebook that counts for an exercise, with a line that says so."""
    if len(items) == 1:
        return items[0]
    if isinstance(entry, Choice):  # one more notebook is not one more choice
        made = [item for item in items if item.status in ("right", "wrong")]
        item = min(made or items, key=lambda each: each.score)
    else:
        item = max(items, key=lambda each: each.score)
    names = " and ".join(path.name for path in paths)
    note = harmless(f"{names} were graded; {paths[items.index(item)].name} counts.")
    return replace(item.with_note(note), text=f"{item.text}\n{note}".strip())


def entries(
    catalogue: Catalogue, lab: str, names: Sequence[str] | None = None
) -> list[Exercise | Choice]:
    """Return the exercises of a lab and its explanation, or those of these names."""
    found: list[Exercise | Choice] = [*catalogue.exercises(lab), catalogue.choice(lab)]
    return [entry for entry in found if names is None or entry.name in names]
