"""The worker pool: submissions graded side by side, a thread each, and ended together.

This process has imported all it needs before the first submission starts, and runs no line of one.
"""

from __future__ import annotations

import importlib
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from hpml.course.exercises.exercise import Choice, Exercise
from hpml.course.exercises.wrong_answers import WrongAnswerProcess
from hpml.grading.errors import GradingError
from hpml.grading.grade_exercise import blank, grade_entry
from hpml.grading.limits import Limits
from hpml.grading.notebook_file import UnreadableNotebook, read_notebook
from hpml.grading.reports.report import Item, harmless
from hpml.grading.sandbox import Isolation, require_isolation
from hpml.grading.submitted import Submitted

CATALOGUE = "hpml.labs.catalogue"
_TICK = 0.5
_SWITCH = 0.0005


@dataclass(frozen=True)
class Task:
    """One submission to grade: all exercises of its labs, or those of these `names`."""

    name: str
    notebooks: Mapping[str, Path]
    seed: int
    names: tuple[str, ...] | None = None


class WorkerPool:
    """Grades submissions side by side, for the time of a ``with`` block."""

    def __init__(
        self,
        jobs: int = 1,
        *,
        limits: Limits | None = None,
        catalogue: str = CATALOGUE,
        isolation: Isolation = "bubblewrap",
    ) -> None:
        if jobs < 1:
            raise GradingError(f"jobs: expected a number of 1 or more, got {jobs}.")
        require_isolation(isolation)
        self._limits = limits or Limits()
        self._catalogue = catalogue
        self._isolation = isolation
        self._stop = threading.Event()
        self._at_work: set[Submitted] = set()
        self._idle: list[MistakeProcess] = []
        for lab in importlib.import_module(catalogue).LABS:
            entries(catalogue, lab)
        self._threads = ThreadPoolExecutor(jobs, thread_name_prefix="grading")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        for submitted in list(self._at_work):
            for worker in list(submitted.workers):
                worker.close()
        self._threads.shutdown(cancel_futures=True)
        self._end_mistakes()

    def _end_mistakes(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def grade(self, tasks: Sequence[Task]) -> Iterator[tuple[int, tuple[Item, ...], float]]:
        """Grade all tasks; yield (place in `tasks`, items, seconds) of each when it is done."""
        waiting: dict[Future[tuple[tuple[Item, ...], float]], int] = {
            self._threads.submit(self._graded, task): place for place, task in enumerate(tasks)
        }
        # Time is measured in these threads: none may keep the others from the clock for long.
        before = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH)
        try:
            while waiting:
                # A moment at a time, so that Ctrl-C is heard on every system.
                done, _ = wait(waiting, timeout=_TICK, return_when=FIRST_COMPLETED)
                for future in done:
                    place = waiting.pop(future)
                    items, seconds = future.result()
                    yield place, items, seconds
        finally:
            sys.setswitchinterval(before)
            self._end_mistakes()

    def _graded(self, task: Task) -> tuple[tuple[Item, ...], float]:
        began = time.monotonic()
        deadline = began + self._limits.submission
        items: list[Item] = []
        for lab, path in task.notebooks.items():
            chosen = entries(self._catalogue, lab, task.names)
            try:
                notebook = read_notebook(path, self._limits.notebook, self._limits.cells)
            except UnreadableNotebook as error:
                status, text = error.status, str(error)
                items += [blank(entry).without_points(status, text) for entry in chosen]
                continue
            try:
                mistakes = self._idle.pop()
            except IndexError:
                mistakes = WrongAnswerProcess()
            choice = importlib.import_module(self._catalogue).choice(lab)
            submitted = Submitted(
                notebook, task.seed, self._limits, deadline, self._isolation, choice, mistakes,
                self._stop,
            )  # fmt: skip
            self._at_work.add(submitted)
            try:
                items += [_graded_entry(submitted, entry) for entry in chosen]
            finally:
                self._at_work.discard(submitted)
                self._idle.append(mistakes)
        return tuple(items), time.monotonic() - began


def _graded_entry(submitted: Submitted, entry: Exercise | Choice) -> Item:
    try:
        return grade_entry(submitted, entry)
    except Exception as error:  # noqa: BLE001 - one odd submission must not end the whole class
        text = harmless(f"The grader failed, {type(error).__name__}: {error}")
        return blank(entry).without_points("not graded", text)


def entries(
    catalogue: str, lab: str, names: Sequence[str] | None = None
) -> list[Exercise | Choice]:
    """Return the exercises of a lab and its explanation, or those of these names."""
    known = importlib.import_module(catalogue)
    found = (*known.exercises(lab), known.choice(lab))
    return [entry for entry in found if names is None or entry.name in names]
