"""Save locked answers in ``predictions.json`` in the results folder.

Open questions are not saved, even if their result was shown: after a headless run of a lab, its
questions must still be open.
"""

from __future__ import annotations

from typing import Any

from hpml.base.environment import flag
from hpml.course.lesson.lab_file import LabFile
from hpml.course.lesson.predictions.state import Entry

FILE = LabFile("predictions.json")
_KEPT = (
    "question",
    "unit",
    "choices",
    "answer",
    "measured",
    "late",
    "exact",
    "unsure",
    "low",
    "high",
)


def answers(lab: str) -> dict[str, dict[str, Any]]:
    """Return a lab's answers by key, in the order they were locked; none in a headless run."""
    # The notebook of a headless run may be shown to others.
    if flag("HPML_HEADLESS"):
        return {}
    kept = FILE.labs().get(lab, {})
    return {key: dict(value) for key, value in kept.items() if isinstance(value, dict)}


def keep(lab: str, entry: Entry) -> None:
    """Save an entry if it is locked."""
    if entry.answer is None:
        return
    kept = {name: getattr(entry, name) for name in _KEPT}
    kept["choices"] = list(entry.choices)
    with FILE.changing() as labs:
        labs.setdefault(lab, {})[entry.key] = kept


def forget(lab: str, *keys: str) -> None:
    """Delete answers of a lab."""
    with FILE.changing() as labs:
        for key in keys:
            labs.get(lab, {}).pop(key, None)
