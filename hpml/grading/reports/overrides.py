"""Points that an instructor gave: a CSV of student, exercise, points and comment, kept for later.

They are laid over what the grader found, each time, so that grading again does not lose them.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hpml.base.errors import describe
from hpml.base.files import write_atomically
from hpml.course.exercises.exercise import Choice, Exercise
from hpml.grading.errors import GradingError
from hpml.grading.reports.report import Item, Report
from hpml.grading.reports.tables import names_of, one_form, read_csv, written_csv

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
                text = "expected a submission's name and an exercise such as 06.1 or its function."
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
