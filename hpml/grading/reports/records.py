"""Signed records of what was graded: the instructor's, with the seeds; a forged one does not count.

The key lies beside them, where no sandbox sees it.
"""

from __future__ import annotations

import hashlib
import hmac
import inspect
import json
import secrets
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hpml.base.files import write_atomically
from hpml.course.exercises.exercise import Exercise
from hpml.course.exercises.wrong_answers import wrong_answers
from hpml.grading.reports.report import Report, file_name, from_plain

_KEY_BYTES = 32


class Records:
    """The records of a class for some labs."""

    def __init__(self, reports: Path, labs: str) -> None:
        self._folder = reports / ".records"
        self._labs = labs
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # the seeds are in it
        key = self._folder / "key"
        if not key.is_file() or key.stat().st_size < _KEY_BYTES:
            key.touch(mode=0o600)
            key.write_bytes(secrets.token_bytes(_KEY_BYTES))
        self._key = key.read_bytes()

    def write(self, report: Report, bound: Mapping[str, Any]) -> None:
        """Write the record of a report, with what it is bound to."""
        body = json.dumps({"bound": bound, "report": asdict(report)})
        text = json.dumps({"body": body, "signature": self._signature(report.name, body)}, indent=1)
        write_atomically(self._path(report.name), text + "\n")

    def read(self, name: str, bound: Mapping[str, Any] | None) -> tuple[Report | None, bool]:
        """Return the report of a record still `bound` to the same, and whether it is genuine.

        Without a record it is genuine; `bound` to None asks for nothing.
        """
        try:
            text = self._path(name).read_text(encoding="utf-8")
        except OSError:
            return None, True
        try:
            data = json.loads(text)
            if not hmac.compare_digest(data["signature"], self._signature(name, data["body"])):
                return None, False
            body = json.loads(data["body"])
            if bound is not None and json.loads(json.dumps(bound)) != body["bound"]:
                return None, True
            return from_plain(body["report"]), True
        except (ValueError, KeyError, TypeError, AttributeError):
            return None, False

    def _path(self, name: str) -> Path:
        return self._folder / file_name(name, self._labs, "json")

    def _signature(self, name: str, body: str) -> str:
        # With labs and name: a record of other labs, or of another student, is not this one.
        text = json.dumps([self._labs, name, body]).encode()
        return hmac.new(self._key, text, hashlib.sha256).hexdigest()


def exercise_version(exercise: Exercise) -> str:
    """Return a text that changes whenever an exercise could be graded differently."""
    functions = [exercise.cases, exercise.judge, exercise.arguments, exercise.observe]
    modules = {function.__module__ for function in functions}
    parts = [inspect.getsource(sys.modules[module]) for module in sorted(modules)]
    parts += [mistake.source for mistake in wrong_answers(exercise)]
    parts.append(repr((dict(exercise.parts), exercise.bonus, exercise.forbids, exercise.seconds)))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
