"""Match a platform's list of students with submissions.

The strongest key that a row has decides alone: the column ``submission``, then the platform's own
number, then the name. A submission serves one row, unless the column ``submission`` names it twice.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hpml.base.errors import describe
from hpml.course.grading import BadRequest
from hpml.course.grading.find import names_of, one_form, owner
from hpml.course.grading.record import Report, read_csv

Row = Mapping[str, str]

NUMBERS = {"Canvas": "ID", "Moodle": "Identifier"}
"""The column with the number that a platform writes into the name of a submission."""

_NAMES = ("Student", "Full name")
_SPLIT = ("First name", "Last name")
_OTHERS = ("ID number", "Email address", "Username", "SIS User ID", "SIS Login ID")
_KNOWN = ("submission", *NUMBERS.values(), *_NAMES, *_SPLIT, *_OTHERS)
_NO_STUDENTS = ("Points Possible",)  # a line of Canvas's export
_DAMAGED = re.compile(r"\d+[.,]0+|\d([.,]\d+)?E\+\d+", re.IGNORECASE)


@dataclass(frozen=True)
class Student:
    """One row of a roster, with the student's report and the column that it was matched by."""

    row: Row
    report: Report | None = None
    by: str = ""

    @property
    def shown(self) -> str:
        """The row on one line."""
        return ", ".join(filter(None, self.row.values()))


@dataclass(frozen=True)
class _Claim:
    """A row's claim to a report: 0 by the instructor's column, 1 by a number, 2 by the name."""

    rank: int
    column: str
    report: Report | None


def read_roster(path: Path) -> list[Row]:
    """Return the rows of a roster that are students: the platform's columns, and ``submission``."""
    rows = read_csv(path)
    if not rows or not set(_KNOWN).intersection(rows[0]):
        raise BadRequest(
            object=describe(str(path), limit=300),
            expected=f"a CSV with one of the columns {', '.join(_KNOWN)}",
            received=describe([*rows[0]]) if rows else "no rows",
            remedy="Rename the column that identifies students.",
        )
    return [row for row in rows if _is_student(row)]


def _is_student(row: Row) -> bool:
    # Canvas's export has a line of the points of each assignment, and one of "Manual Posting".
    named = any(row.get(column) for column in _KNOWN)
    return named and row.get("Student") not in _NO_STUDENTS


def matched(reports: Sequence[Report], roster: Sequence[Row]) -> list[Student]:
    """Return each row of the roster with its report, if any."""
    finder = _Finder(reports)
    claims = [finder.claim(row) for row in roster]
    rivals: dict[str, list[_Claim]] = defaultdict(list)
    for claim in claims:
        if claim.report is not None:
            rivals[claim.report.name].append(claim)
    students = []
    for row, claim in zip(roster, claims, strict=True):
        held = claim.report is not None and _prevails(claim, rivals[claim.report.name])
        students.append(Student(row, claim.report, claim.column) if held else Student(row))
    return students


def _prevails(claim: _Claim, rivals: Sequence[_Claim]) -> bool:
    """Return whether no claim is stronger, and none is equal but those of the instructor."""
    first = min(rival.rank for rival in rivals)
    equal = sum(rival.rank == first for rival in rivals)
    return claim.rank == first and (equal == 1 or first == 0)


class _Finder:
    """The reports of a class by each key."""

    def __init__(self, reports: Sequence[Report]) -> None:
        self._exact = {name: report for report in reports for name in names_of(report.name)}
        self._by_number: dict[str, dict[str, Report]] = {name: {} for name in NUMBERS}
        self._by_name: dict[str, list[Report]] = defaultdict(list)
        for report in reports:
            if found := owner(report.name):
                self._by_number[found.platform][found.number] = report
                self._by_name[_letters(found.name)].append(report)

    def claim(self, row: Row) -> _Claim:
        """Return the report that the strongest key of the row names."""
        if row.get("submission"):
            return _Claim(0, "submission", self._exact.get(one_form(row["submission"])))
        for platform, column in NUMBERS.items():
            # A number of another platform, or of the university, is in no submission's name.
            if row.get(column) and self._by_number[platform]:
                number = row[column].removeprefix("Participant ").strip()
                return _Claim(1, column, self._by_number[platform].get(number))
        for column, name in names_in(row):
            if len(found := self._by_name.get(_letters(name), [])) == 1:
                return _Claim(2, column, found[0])
        return _Claim(2, "", None)


def names_in(row: Row) -> Iterator[tuple[str, str]]:
    """Yield the columns of a row that have the student's name, each with the name."""
    for column in _NAMES:
        if row.get(column):
            yield column, row[column]
    if whole := " ".join(filter(None, (row.get(column, "") for column in _SPLIT))):
        yield " and ".join(_SPLIT), whole


def _letters(name: str) -> str:
    """Return a name as Canvas writes it into file names: ``"lovelaceada"``."""
    return "".join(letter for letter in one_form(name).casefold() if letter.isalnum())


def in_words(students: Sequence[Student]) -> str:
    """Return how many rows were matched by which column: ``"28 by Identifier, 2 by Student"``."""
    counts = Counter(each.by for each in students if each.by)
    return ", ".join(f"{count} by {column}" for column, count in counts.most_common())


def namesakes(students: Sequence[Student]) -> list[str]:
    """Return each name that several rows have, with what was matched."""
    groups: dict[str, list[tuple[str, Student]]] = defaultdict(list)
    for each in students:
        _, name = next(names_in(each.row), ("", ""))
        if name:
            groups[_letters(name)].append((name, each))
    lines = []
    for group in groups.values():
        if len(group) > 1:
            who = [f"{s.report.shown} by {s.by}" if s.report else "no submission" for _, s in group]
            lines.append(f"{group[0][0]} ({len(group)} rows): {'; '.join(who)}")
    return lines


def damaged(students: Sequence[Student]) -> list[str]:
    """Return the numbers that a spreadsheet rewrote, each with what it probably was."""
    lines = []
    for each in students:
        for column in (*NUMBERS.values(), "ID number", "SIS User ID"):
            value = each.row.get(column, "")
            if _DAMAGED.fullmatch(value):
                number = f"{float(value.replace(',', '.')):.0f}"
                exact = "E" not in value.upper()
                probably = number if exact else f"{number}, or another with the same first digits"
                lines.append(f"{each.shown}: {column} {value}, probably {probably}")
    return lines


def not_in_roster(reports: Sequence[Report], students: Sequence[Student]) -> list[str]:
    """Return the submissions that match no row of the roster."""
    known = {each.report.name for each in students if each.report is not None}
    return [report.shown for report in reports if report.name not in known]


def without_submission(students: Sequence[Student]) -> list[str]:
    """Return the students of the roster who have no submission."""
    return [each.shown for each in students if each.report is None]
