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
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hpml.base.errors import describe
from hpml.base.files import write_atomically
from hpml.course.exercises.exercise import Choice, Exercise
from hpml.course.exercises.wrong_answers import wrong_answers
from hpml.grading import GradingError
from hpml.grading.report import Item, Report, file_name, from_plain
from hpml.grading.tables import names_of, one_form, read_csv, written_csv

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
        """Return the report of a record still `bound` to the same, and whether it is genuine."""
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


def exercise_version(exercise: Exercise | Choice) -> str:
    """Return a text that changes whenever an exercise could be graded differently."""
    if isinstance(exercise, Choice):
        return repr(exercise)
    functions = [exercise.cases, exercise.judge, exercise.arguments, exercise.observe]
    modules = {function.__module__ for function in functions}
    parts = [inspect.getsource(sys.modules[module]) for module in sorted(modules)]
    parts += [mistake.source for mistake in wrong_answers(exercise)]
    parts.append(repr((exercise.worth, exercise.core, exercise.forbids, exercise.seconds)))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


_COLUMNS = ("student", "exercise", "points", "comment")


@dataclass(frozen=True)
class Overrides:
    """Points that the instructor gave, with a comment, by student and exercise (``"06.1"``)."""

    given: Mapping[tuple[str, str], tuple[float, str]]

    @classmethod
    def kept(
        cls, path: Path, more: Path | None, students: Collection[str], most: Mapping[str, float]
    ) -> Overrides:
        """Return what the file `more` gives, and keep it at `path`; without it, what is kept.

        Args:
            path: where it is kept between two runs.
            more: the instructor's file, or None.
            students: the names of the class.
            most: the points that each exercise can earn, by its number.
        """
        given = _read(more or path) if more or path.is_file() else {}
        if more is not None:
            there = set(map(one_form, students))
            for (who, exercise), (score, _) in given.items():
                if who not in there or not score <= most.get(exercise, -1):
                    raise GradingError(
                        f"--override: {who}, {exercise}, {score:g}: expected a name of the "
                        "table's first column, the number of an exercise such as 06.1, and at "
                        "most its points."
                    )
            rows = ([*key, *value] for key, value in given.items())
            write_atomically(path, written_csv([_COLUMNS, *rows]))
        return cls(given)

    def applied(self, report: Report) -> Report:
        """Return the report with the points that were given."""
        items = []
        for item in report.items:
            for name in names_of(report.name):
                if found := self.given.get((name, f"{item.lab}.{item.number}")):
                    item = _overridden(item, *found)
                    break
            items.append(item)
        return replace(report, items=tuple(items))


def _overridden(item: Item, score: float, comment: str) -> Item:
    status = "right" if score >= item.most else "partly right" if score > 0 else "wrong"
    item = replace(
        item,
        of={"instructor": item.most},
        parts={"instructor": score},
        status=status,
        text="\n".join(filter(None, (comment, item.text))),
    )
    return item.with_note("Its points were given by the instructor.")


def _read(path: Path) -> dict[tuple[str, str], tuple[float, str]]:
    found = {}
    for number, row in enumerate(read_csv(path), start=2):
        try:
            score = float(row["points"].replace(",", "."))
            if not score >= 0:
                raise ValueError
            exercise = row["exercise"].zfill(4)  # a spreadsheet makes 6.1 of 06.1
            found[one_form(row["student"]), exercise] = score, row.get("comment", "")
        except (KeyError, ValueError):
            raise GradingError(
                f"{describe(str(path))}, line {number}: expected the columns "
                f"{', '.join(_COLUMNS)}, the points a number from 0."
            ) from None
    return found
