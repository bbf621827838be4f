"""Grade one submission: steps 2 and 3 for each exercise of each notebook."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Self

from hpml.course.grading import GradingError, speed
from hpml.course.grading.find import COURSE, Catalogue, NothingToJudge, Submission, entries
from hpml.course.grading.judge import Item, blank, harmless, judged, judged_choice, with_output
from hpml.course.grading.record import Report
from hpml.course.grading.run import Submitted, answers, choice_made
from hpml.course.grading.sandbox import Isolation, Limits, described, require_isolation
from hpml.course.lesson.exercises.allowed_packages import missing
from hpml.course.lesson.exercises.exercise import Choice, Exercise
from hpml.course.lesson.exercises.wrong_answers import WrongAnswerProcess

_MADE = ("right", "wrong")


class Grader:
    """Grade submissions one at a time inside a ``with`` block."""

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
        self._described = described(isolation)
        self._wrong_answers = WrongAnswerProcess()
        self._submitted: Submitted | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End all child processes."""
        if self._submitted is not None:
            for worker in list(self._submitted.workers):
                worker.close()
        self._wrong_answers.close()

    def grade(
        self, submission: Submission, seed: int | None = None, names: Sequence[str] | None = None
    ) -> Report:
        """Grade all exercises of a submission, or only those named."""
        if seed is None:
            seed = secrets.randbelow(2**31)  # unpredictable
        deadline = time.monotonic() + self._limits.submission
        items: list[Item] = []
        for lab, paths in submission.notebooks.items():
            chosen = [
                entry
                for entry in entries(self._catalogue, lab)
                if names is None or entry.name in names
            ]
            _require_packages(chosen)
            graded = [self._notebook(path, lab, seed, chosen, deadline) for path in paths]
            for entry, found in zip(chosen, zip(*graded, strict=True), strict=True):
                items.append(_counted(submission, entry, dict(zip(paths, found, strict=True))))
        return Report(submission.name, tuple(items), seed, self._described)

    def _notebook(
        self,
        path: Path,
        lab: str,
        seed: int,
        chosen: Sequence[Exercise | Choice],
        deadline: float,
    ) -> list[Item]:
        choice = self._catalogue.choice(lab)
        submitted = Submitted(path, seed, self._limits, deadline, self._isolation, choice)
        self._submitted = submitted
        return [self._entry(submitted, entry) for entry in chosen]

    def _entry(self, submitted: Submitted, entry: Exercise | Choice) -> Item:
        """Return the result of a notebook for one exercise or the explanation."""
        try:
            if submitted.left(1.0) <= 0:
                text = "The time limit of the whole submission was reached before this exercise."
                return blank(entry).without_points("no answer", text)
            if isinstance(entry, Exercise):
                return self._exercise(submitted, entry)
            return judged_choice(entry, choice_made(submitted, entry), submitted.first_choice)
        except NothingToJudge as error:
            return blank(entry).without_points(error.status, harmless(str(error)))
        except Exception as error:  # noqa: BLE001 - one submission must not end the grading of a class
            text = harmless(f"The grader failed, {type(error).__name__}: {error}")
            return blank(entry).without_points("not graded", text)

    def _exercise(self, submitted: Submitted, exercise: Exercise) -> Item:
        """Return the result of the last definition of a function, or of a better earlier one."""
        found: list[Item] = []
        run = partial(self._wrong_answers.run, exercise)
        for version in itertools.count():
            with answers(submitted, exercise, version) as answered:
                item = judged(exercise, answered, run)
                if exercise.speed is not None and answered.called:
                    item = speed.add(submitted, item, exercise, answered.worker)
            found.append(with_output(item, answered))
            if item.right or version + 1 >= answered.versions or submitted.left(1.0) <= 0:
                break
        best = max(found, key=lambda each: each.score)
        if best is found[0]:
            return best
        why = (
            "With only the cells up to an earlier cell, which defines or checks it, it does better "
            "than with all cells, so that result counts."
        )
        return best.with_note(why).with_text(why)


def _require_packages(chosen: Sequence[Exercise | Choice]) -> None:
    for entry in chosen:
        if isinstance(entry, Exercise) and (names := missing(entry.packages)):
            raise GradingError(
                object=f"exercise {entry.lab}.{entry.number} {entry.name}",
                expected=f"{' and '.join(names)}, which it needs",
                received="none installed",
                remedy=f"Run pip install {' '.join(names)}.",
            )


def _counted(submission: Submission, entry: Exercise | Choice, items: Mapping[Path, Item]) -> Item:
    """Return the item of the notebook that counts, and add a note if there are several."""

    def first_choice(path: Path) -> tuple[bool, int, float]:
        # A second notebook is no second choice: within one upload the worse one counts.
        return items[path].status not in _MADE, submission.upload_of(path), items[path].score

    if isinstance(entry, Choice):
        path = min(items, key=first_choice)
    else:
        path = max(items, key=lambda path: items[path].score)
    if len(items) == 1:
        return items[path]
    shown = {each: f"{each.parent.name}/{each.name}" for each in items}
    note = harmless(f"{' and '.join(shown.values())} were graded; {shown[path]} counts.")
    return items[path].with_note(note).with_text(note)
