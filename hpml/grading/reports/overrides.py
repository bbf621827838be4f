"""Points that an instructor gave: a CSV of student, exercise, points and comment, kept for later.

They are laid over what the grader found, each time, so that grading again does not lose them.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field, replace
from pathlib import Path

from hpml.base.errors import describe
from hpml.base.files import write_atomically
from hpml.grading.errors import GradingError
from hpml.grading.reports.report import Item, Report

_COLUMNS = ("student", "exercise", "points", "comment")


@dataclass
class Overrides:
    """Points by student and exercise.

    Attributes:
        given: points and comment by student and exercise, ``"06.1"`` or the function's name.
    """

    given: dict[tuple[str, str], tuple[float, str]] = field(default_factory=dict)
    _new: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def kept(cls, path: Path, more: Path | None) -> Overrides:
        """Return what is kept at `path`, with what the file `more` adds; it is kept as well.

        Raises:
            GradingError: if the file is no such table.
        """
        found = cls(_read(path) if path.is_file() else {})
        if more is not None:
            new = _read(more)
            found.given |= new
            found._new = set(new)
            stream = io.StringIO()
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(_COLUMNS)
            for (student, exercise), (points, comment) in found.given.items():
                writer.writerow([student, exercise, points, comment])
            write_atomically(path, stream.getvalue())
        return found

    def applied(self, report: Report) -> Report:
        """Return the report with the points that were given."""
        student = report.name.removesuffix(".ipynb")
        items = []
        for item in report.items:
            for name in (f"{item.lab}.{item.number}", item.name, item.title):
                for who in (report.name, student):
                    if (who, name) in self.given:
                        item = _overridden(item, *self.given[who, name])
                        self._new.discard((who, name))
            items.append(item)
        return replace(report, items=tuple(items))

    def require_used(self) -> None:
        """Do nothing if every new line was for somebody.

        Raises:
            GradingError: if one names no submission, or no exercise of the graded labs.
        """
        if self._new:
            student, exercise = min(self._new)
            raise GradingError(
                f"--override: there is no exercise {describe(exercise)} of {describe(student)}; "
                "expected the name of a submission and an exercise such as 06.1 or its function."
            )


def _overridden(item: Item, points: float, comment: str) -> Item:
    status = "right" if points >= item.most else "partly right" if points > 0 else "wrong"
    text = "\n".join(part for part in (comment, item.text) if part)
    note = "Its points were given by the instructor."
    parts = {"instructor": points}
    is_bonus = item.most > item.worth
    of, bonus = ({"instructor": item.most}, tuple(parts)) if is_bonus else ({}, ())
    return replace(item, parts=parts, of=of, bonus=bonus, status=status, text=text, note=note)


def _read(path: Path) -> dict[tuple[str, str], tuple[float, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise GradingError(f"{describe(str(path))} cannot be read: {error}.") from None
    found = {}
    for number, row in enumerate(rows, start=2):
        try:
            given = float(row["points"]), (row.get("comment") or "").strip()
            found[row["student"].strip(), row["exercise"].strip()] = given
        except (KeyError, ValueError, TypeError, AttributeError):
            raise GradingError(
                f"{describe(str(path))}, line {number}: expected the columns "
                f"{', '.join(_COLUMNS)}, the points a number."
            ) from None
    return found
