"""Where locked answers outlive the kernel: ``predictions.json`` in the results folder.

Only locked answers are kept. That a result was seen without a prediction is not: a lab that was run
through headless must find its questions open afterwards.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hpml.base.files import results_folder, write_atomically
from hpml.course.predictions.state import Entry

_VERSION = 1


class PredictionStore:
    """The locked answers of all labs, read afresh and written whole at each change.

    >>> import tempfile
    >>> from hpml.course.predictions.state import lock
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = PredictionStore(Path(folder, "predictions.json"))
    ...     store.keep("00", lock(Entry("k", "How long?", unit="us"), 3))
    ...     store.answers("00")["k"]["answer"]
    3.0
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else Path(path)

    @property
    def path(self) -> Path:
        """The file, which need not exist yet."""
        # Looked up at each use: HPML_RESULTS may be set after the lab was opened.
        return self._path or results_folder() / "predictions.json"

    def answers(self, lab: str) -> dict[str, dict[str, Any]]:
        """Return what is kept of a lab, by the questions' keys, in the order they were locked."""
        kept = self._read()["labs"].get(lab, {})
        return {key: dict(value) for key, value in kept.items() if isinstance(value, dict)}

    def keep(self, lab: str, entry: Entry) -> None:
        """Keep a locked entry; an open one is left out, for the reason at the top of this file."""
        if entry.answer is None:
            return
        kept = {
            "question": entry.question,
            "unit": entry.unit,
            "choices": list(entry.choices),
            "answer": entry.answer,
            "measured": entry.measured,
            "late": entry.late,
            "exact": entry.exact,
            "unsure": entry.unsure,
        }
        with self._alone():
            everything = self._read()
            everything["labs"].setdefault(lab, {})[entry.key] = kept
            self._write(everything)

    def forget(self, lab: str, key: str | None = None) -> int:
        """Drop one answer of a lab, or all of them; return how many were dropped."""
        with self._alone():
            everything = self._read()
            answers = everything["labs"].pop(lab, {})
            rest = {name: kept for name, kept in answers.items() if key not in (None, name)}
            if rest:
                everything["labs"][lab] = rest
            if rest != answers:
                self._write(everything)
        return len(answers) - len(rest)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other kernels out while the file is read, changed and written."""
        try:
            import fcntl
        except ImportError:  # Windows: two labs answered in the same instant may lose one answer
            yield
            return
        beside = self.path.with_name(f".{self.path.name}.lock")
        beside.parent.mkdir(parents=True, exist_ok=True)
        with open(beside, "a") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield

    def _read(self) -> dict[str, Any]:
        try:
            everything = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {"version": _VERSION, "labs": {}}
        except (OSError, ValueError) as error:
            return self._put_aside(str(error))
        labs = everything.get("labs") if isinstance(everything, dict) else None
        if not isinstance(labs, dict) or not all(isinstance(lab, dict) for lab in labs.values()):
            return self._put_aside("it holds no labs")
        return {"version": _VERSION, "labs": labs}

    def _put_aside(self, reason: str) -> dict[str, Any]:
        """Move an unreadable file out of the way, so that the lab works and nothing is lost."""
        aside = self.path.with_suffix(".unreadable.json")
        number = 1
        while aside.exists():
            number += 1
            aside = self.path.with_suffix(f".unreadable-{number}.json")
        os.replace(self.path, aside)
        warnings.warn(
            f"{self.path.name} cannot be read ({reason}); it is kept as {aside.name} and a new one "
            "is begun. Mend and rename it to have the old answers back.",
            stacklevel=4,
        )
        return {"version": _VERSION, "labs": {}}

    def _write(self, everything: dict[str, Any]) -> None:
        text = json.dumps(everything, indent=1, ensure_ascii=False, allow_nan=False)
        write_atomically(self.path, text + "\n")
