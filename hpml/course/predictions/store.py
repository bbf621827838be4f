"""Where locked answers outlive the kernel: ``predictions.json`` in the results folder.

Only locked answers are kept. That a result was seen without a prediction is not: a lab that was run
through headless must find its questions open afterwards.
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
        """Return what is kept of a lab, by the questions' keys, in the order they were locked.

        A lab that runs headless is shown to others, so it finds none.
        """
        if flag("HPML_HEADLESS"):
            return {}
        kept = self._file.labs().get(lab, {})
        return {key: dict(value) for key, value in kept.items() if isinstance(value, dict)}

    def keep(self, lab: str, entry: Entry) -> None:
        """Keep a locked entry; an open one is left out, for the reason at the top of this file."""
        if entry.answer is None:
            return
        kept = {name: getattr(entry, name) for name in _KEPT}
        kept["choices"] = list(entry.choices)
        with self._file.changing() as labs:
            labs.setdefault(lab, {})[entry.key] = kept

    def forget(self, lab: str, key: str | None = None) -> int:
        """Drop one answer of a lab, or all of them; return how many were dropped."""
        with self._file.changing() as labs:
            answers = labs.pop(lab, {})
            rest = {name: kept for name, kept in answers.items() if key not in (None, name)}
            if rest:
                labs[lab] = rest
        return len(answers) - len(rest)
