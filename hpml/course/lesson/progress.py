"""The student's progress, in ``progress.json`` in the results folder.

The file has no name and is sent to no one. A student may hand it in, with ``predictions.json``, for
`hpml progress --class`. By lab it has when the lab was first ``opened`` and ``finished``, the
``times`` at which each question was first asked, answered and shown, and for each exercise its
points and ``checks``: when, whether it was right, and the name of the known wrong answer, if any.
"""

from __future__ import annotations

import warnings
from datetime import datetime
from typing import Any

from hpml.base.environment import flag
from hpml.base.page import notebook_shell
from hpml.course.files import CourseFileError
from hpml.course.lesson.lab_file import LabFile

FILE = LabFile("progress.json")
KEPT = {
    "predictions.json": "your answers",
    FILE.name: "times, checks, points",
    "passed": "your functions",
    "engine.json": "your engine's versions",
}
"""What is kept of a student's work in the results folder, by file, as a lab's head says it."""
_MOST_CHECKS = 100  # of an exercise; later ones are not kept


def keep_step(lab: str, step: str) -> None:
    """Save when a lab was first ``"opened"``, or ``"finished"`` (its last figure was drawn)."""
    _keep(lab, step, lambda before: before or _now())


def keep_time(lab: str, event: str) -> None:
    """Save when something first happened, such as ``"asked KEY"`` for a question."""

    def changed(before: Any) -> dict[str, Any]:
        kept = before if isinstance(before, dict) else {}
        return {**kept, event: kept.get(event) or _now()}

    _keep(lab, "times", changed)


def keep_check(
    lab: str, exercise: str, points: float, *, passed: bool, wrong_answer: str | None = None
) -> None:
    """Save a check: its time and result, its points if they are more, and when it first passed.

    Args:
        lab: the lab's number.
        exercise: the name of the function.
        points: what the check found.
        passed: whether all cases passed.
        wrong_answer: the name of the known wrong answer that fails in the same way.
    """

    def changed(before: Any) -> dict[str, Any]:
        now = _now()
        kept = {"points": 0, "passed": None, **(before if isinstance(before, dict) else {})}
        most = max(kept["points"], points)
        checks = kept["checks"] if isinstance(kept.get("checks"), list) else []
        if len(checks) < _MOST_CHECKS:
            checks = [*checks, {"at": now, "right": passed, "wrong_answer": wrong_answer}]
        first = kept["passed"] or (now if passed else None)
        return {"points": most, "passed": first, "checks": checks}

    _keep(lab, exercise, changed)


def keep_first(lab: str, item: str, choice: int, points: float) -> int:
    """Save the first choice with its points, and return the choice that was saved first."""
    now = _now()
    first = {"points": points, "passed": now if points else None, "choice": choice, "at": now}
    kept = _keep(lab, item, lambda before: before or first)
    return int(kept.get("choice", choice)) if isinstance(kept, dict) else choice


def keep_answers(lab: str, answers: str) -> None:
    """Save the answers to the course's ten questions."""
    _keep(lab, "questions", lambda _: answers)


def _keep(lab: str, key: str, changed: Any) -> Any:
    if notebook_shell() is None or flag("HPML_HEADLESS"):
        return None
    try:
        with FILE.changing() as labs:
            kept = labs.setdefault(lab, {})
            kept[key] = changed(kept.get(key))
            return kept[key]
    except (OSError, CourseFileError) as error:
        # A full disk or a read-only folder must not make the check or the figure fail.
        warnings.warn(f"Your progress was not kept: {error}", stacklevel=3)
    return None


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
