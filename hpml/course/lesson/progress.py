"""The student's progress, in ``progress.json`` in the results folder."""

from __future__ import annotations

import warnings
from datetime import datetime
from typing import Any

from hpml.base.environment import flag
from hpml.base.page import notebook_shell
from hpml.course.files import CourseFileError
from hpml.course.lesson.lab_file import LabFile

FILE = LabFile("progress.json")


def keep_step(lab: str, step: str) -> None:
    """Save when a lab was first ``"opened"``, or ``"finished"`` (its last figure was drawn)."""
    _keep(lab, step, lambda before: before or _now())


def keep_points(lab: str, exercise: str, points: float, *, passed: bool) -> None:
    """Save the points of a check, if they are more than before, and when all cases first passed."""

    def changed(before: Any) -> dict[str, Any]:
        kept = {"points": 0, "passed": None, **(before if isinstance(before, dict) else {})}
        most = max(kept["points"], points)
        return {"points": most, "passed": kept["passed"] or (_now() if passed else None)}

    _keep(lab, exercise, changed)


def keep_first(lab: str, item: str, choice: int, points: float) -> int:
    """Save the first choice with its points, and return the choice that was saved first."""
    first = {"points": points, "passed": _now() if points else None, "choice": choice}
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
