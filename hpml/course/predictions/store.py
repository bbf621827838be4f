"""Save locked answers in ``predictions.json`` in the results folder.

Open questions are not saved, even if their result was shown: after a headless run of a lab, its
questions must still be open.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hpml.base.environment import flag
from hpml.course.lab_file import LabFile
from hpml.course.predictions.state import Entry

_KEPT = ("question", "unit", "choices", "answer", "measured", "late", "exact", "unsure")


class PredictionStore:
    """The locked answers of all labs."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._file = LabFile("predictions.json", path)

    @property
    def path(self) -> Path:
        """The file, which need not exist yet."""
        return self._file.path

    def answers(self, lab: str) -> dict[str, dict[str, Any]]:
        """Return a lab's answers by key, in the order they were locked; none in a headless run."""
        # The notebook of a headless run may be shown to others.
        if flag("HPML_HEADLESS"):
            return {}
        kept = self._file.labs().get(lab, {})
        return {key: dict(value) for key, value in kept.items() if isinstance(value, dict)}

    def keep(self, lab: str, entry: Entry) -> None:
        """Save an entry if it is locked."""
        if entry.answer is None:
            return
        kept = {name: getattr(entry, name) for name in _KEPT}
        kept["choices"] = list(entry.choices)
        with self._file.changing() as labs:
            labs.setdefault(lab, {})[entry.key] = kept

    def forget(self, lab: str, key: str | None = None) -> int:
        """Delete one answer of a lab, or all of them; return the number of deleted answers."""
        with self._file.changing() as labs:
            answers = labs.pop(lab, {})
            rest = {name: kept for name, kept in answers.items() if key not in (None, name)}
            if rest:
                labs[lab] = rest
        return len(answers) - len(rest)
