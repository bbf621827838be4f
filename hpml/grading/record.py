"""Signed records of what was graded: the instructor's, with the seeds; a forged one does not count.

The key lies beside them, where no sandbox sees it.
"""

from __future__ import annotations

import hashlib
import hmac
import inspect
import itertools
import json
import secrets
import sys
from collections.abc import Collection, Mapping, Sequence
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


def exercise_version(exercise: Exercise) -> str:
    """Return a text that changes whenever an exercise could be graded differently."""
    functions = [exercise.cases, exercise.judge, exercise.arguments, exercise.observe]
    modules = {function.__module__ for function in functions}
    parts = [inspect.getsource(sys.modules[module]) for module in sorted(modules)]
    parts += [mistake.source for mistake in wrong_answers(exercise)]
    parts.append(repr((dict(exercise.parts), exercise.bonus, exercise.forbids, exercise.seconds)))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


_COLUMNS = ("student", "exercise", "points", "comment")


@dataclass(frozen=True)
class Overrides:
    """Points by student and exercise."""

    given: Mapping[tuple[str, str], tuple[float, str]]

    @classmethod
    def kept(
        cls,
        path: Path,
        more: Path | None,
        students: Collection[str],
        exercises: Sequence[Exercise | Choice],
    ) -> Overrides:
        """Return what the file `more` gives, and keep it at `path`; without it, what is kept."""
        if more is None:
            return cls(_read(path) if path.is_file() else {})
        given: dict[tuple[str, str], tuple[float, str]] = {}
        known = {name: _most(each) for each in exercises for name in _names(each)}
        there = set(map(one_form, students))
        for (who, exercise), value in _read(more).items():
            if who not in there or exercise not in known:
                text = "expected a name of the table's first column, and an exercise such as 06.1."
                missing = f"there is no exercise {describe(exercise)} of {describe(who)}"
                raise GradingError(f"--override: {missing}; {text}")
            if value[0] > known[exercise]:
                text = f"{who}, {exercise}: expected at most {known[exercise]:g} points"
                raise GradingError(f"--override: {text}, received {value[0]:g}.")
            given[who, exercise] = value
        rows = ([*key, *value] for key, value in given.items())
        write_atomically(path, written_csv([_COLUMNS, *rows]))
        return cls(given)

    def applied(self, report: Report) -> Report:
        """Return the report with the points that were given."""
        items = []
        for item in report.items:
            for key in itertools.product(dict.fromkeys(names_of(report.name)), _names(item)):
                if key in self.given:
                    item = _overridden(item, *self.given[key])
            items.append(item)
        return replace(report, items=tuple(items))


def _names(entry: Exercise | Choice | Item) -> tuple[str, str, str]:
    number = f"{entry.lab}.{entry.number}"
    return number, entry.name, f"{number} {entry.name}"


def _most(entry: Exercise | Choice) -> float:
    return entry.points if isinstance(entry, Choice) else sum(entry.worth.values())


def _overridden(item: Item, points: float, comment: str) -> Item:
    status = "right" if points >= item.most else "partly right" if points > 0 else "wrong"
    text = "\n".join(part for part in (comment, item.text) if part)
    note = "Its points were given by the instructor."
    parts = {"instructor": points}
    is_bonus = item.most > item.worth
    of, bonus = ({"instructor": item.most}, tuple(parts)) if is_bonus else ({}, ())
    return replace(item, parts=parts, of=of, bonus=bonus, status=status, text=text, note=note)


def _read(path: Path) -> dict[tuple[str, str], tuple[float, str]]:
    found = {}
    for number, row in enumerate(read_csv(path), start=2):
        try:
            points = float(row["points"].replace(",", "."))
            if not 0 <= points < 1e6:
                raise ValueError
            found[one_form(row["student"]), row["exercise"]] = points, row.get("comment", "")
        except (KeyError, ValueError):
            raise GradingError(
                f"{describe(str(path))}, line {number}: expected the columns "
                f"{', '.join(_COLUMNS)}, the points a number from 0."
            ) from None
    return found
