"""Tables of a class: points, statistics, and CSV files for learning platforms."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from hpml.base.errors import describe
from hpml.base.tables import Table
from hpml.course.grading import BadRequest
from hpml.course.grading.find import names_of, one_form, owner
from hpml.course.grading.judge import Item, points
from hpml.course.grading.record import Report, cell, read_csv, written_csv

_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_MOODLE = ("Email address", "ID number", "Username")
_IDS = ("ID", "Identifier", "ID number")
_NAMES = ("Student", "Full name")
_TOTAL = "Points Possible"  # a line of Canvas's export
_REASON = 300  # characters of the reason in a feedback column
_LEFT_OUT = ("missing", "not done")  # allowed for bonus exercises
_LOOK_AT = ("no answer", "not graded", "unreadable", "forbidden", *_LEFT_OUT)

Row = Mapping[str, str]
Students = Sequence[tuple[Row, Report | None]]
"""The rows of a roster, each with the report of its student."""


def class_table(reports: Sequence[Report]) -> Table:
    """Return the points of a class, one row per submission."""
    columns = _columns(reports)
    rows: list[list[object]] = []
    for report in reports:
        found = {item.title: item.score for item in report.items}
        scores = [found.get(column.title, "") for column in columns]
        rows.append([report.shown, *scores, report.earned, report.extra or ""])
    of = [item.most if item.core else f"{points(item.most)} bonus" for item in columns]
    rows.append(["of", *of, sum(item.most for item in columns if item.core), ""])
    titles = ["submission", *(item.place for item in columns), "points", "bonus"]
    return Table(titles, rows, formats=dict.fromkeys(titles[1:], cell))


def as_csv(reports: Sequence[Report]) -> str:
    """Return points and status of each exercise as CSV, one row per submission."""
    columns = _columns(reports)
    titles = [each for item in columns for each in (item.title, f"{item.title}: status")]
    rows: list[list[object]] = [["submission", *titles, "points", "of", "bonus", "seed"]]
    for report in reports:
        found = {item.title: item for item in report.items}
        cells: list[object] = []
        for column in columns:
            item = found.get(column.title)  # None for an exercise added later
            status = ": ".join(filter(None, (item.status, item.mistake))) if item else ""
            cells += [item.score if item else "", status]
        # Keeps a spreadsheet from reading a name as a formula.
        name = f"'{report.shown}" if report.shown[:1] in "=+-@" else report.shown
        rows.append([name, *cells, report.earned, report.worth, report.extra, report.seed])
    return written_csv(rows)


def for_canvas(reports: Sequence[Report], students: Students) -> str:
    """Return the file that Canvas's gradebook imports."""
    _keys(students, ("ID", "SIS User ID", "SIS Login ID"), "Canvas")
    rows = [[*_CANVAS, f"Lab {'-'.join(dict.fromkeys(item.lab for item in reports[0].items))}"]]
    # Canvas recognises this line by its words: the points of a new assignment.
    rows.append([f"    {_TOTAL}", "", "", "", "", points(max(r.worth for r in reports))])
    for row, report in students:
        earned = "" if report is None else points(report.score)
        rows.append([*(row.get(column, "") for column in _CANVAS), earned])
    return written_csv(rows)


def for_moodle(students: Students) -> str:
    """Return the file for Moodle's grade import: address or number, grade, feedback."""
    keys = _keys(students, _MOODLE, "Moodle")
    rows = [[*keys, "Grade", "Feedback"]]
    for row, report in students:
        items = report.items if report else ()
        message = "; ".join(f"{item.title}: {item.status}{_reason(item)}" for item in items)
        rows.append([*(row[key] for key in keys), points(report.score) if report else "", message])
    return written_csv(rows)


def statistics(reports: Sequence[Report]) -> Table:
    """Count for each exercise the attempts, the right ones and the known wrong answers."""
    rows: list[list[object]] = []
    for column in _columns(reports):
        items = [item for r in reports for item in r.items if item.title == column.title]
        tried = [item for item in items if item.status not in (*_LEFT_OUT, "unreadable")]
        mistakes = Counter(item.mistake for item in items if item.mistake).most_common()
        mean = sum(item.score for item in items) / len(items)
        named = ", ".join(f"{name} {count}" for name, count in mistakes)
        of = f"{mean:.2f} of {points(column.most)}"
        rows.append([column.title, len(tried), sum(item.right for item in items), of, named])
    return Table(["exercise", "tried", "right", "mean points", "wrong answers"], rows)


def look_at(reports: Sequence[Report]) -> list[str]:
    """Return one line for each submission that the instructor should check, with the reason."""
    lines = []
    for report in reports:
        why: dict[str, dict[str, None]] = defaultdict(dict)  # exercises by reason
        for item in report.items:
            if item.status == "unreadable" or item.text.startswith("The notebook"):
                why[f" {item.status}: {item.text}"][item.lab] = None  # once for all its exercises
            elif item.status in _LOOK_AT and (item.core or item.status not in _LEFT_OUT):
                broken = "not valid Python" in item.text
                reason = f" {item.status}{', a cell that is not valid Python' * broken}"
                why[reason][item.place] = None
            if item.note:
                why[f": {item.note}"][item.place] = None
        if why:
            reasons = (f"{', '.join(places)}{reason}" for reason, places in why.items())
            lines.append(f"{report.shown}: {'; '.join(reasons)}")
    return lines


def not_in_roster(reports: Sequence[Report], students: Students) -> list[str]:
    """Return the submissions that match no row of the roster."""
    known = {report.name for _, report in students if report is not None}
    return [report.shown for report in reports if report.name not in known]


def without_submission(students: Students) -> list[str]:
    """Return the students of the roster who have no submission."""
    return [", ".join(filter(None, row.values())) for row, report in students if report is None]


def read_roster(path: Path) -> list[Row]:
    """Return the rows of a roster: the platform's columns, and perhaps one ``submission``."""
    rows = read_csv(path)
    known = ("submission", *_IDS, *_NAMES)
    if not rows or not set(known).intersection(rows[0]):
        raise BadRequest(
            object=describe(str(path), limit=300),
            expected=f"a CSV with one of the columns {', '.join(known)}",
            received=describe([*rows[0]]) if rows else "no rows",
            remedy="Rename the column that identifies students.",
        )
    return [row for row in rows if row.get("Student") != _TOTAL]


def matched(reports: Sequence[Report], roster: Sequence[Row]) -> Students:
    """Match rows and reports: by `submission`, by an ID in the name, or by the student's name."""
    exact = {name: report for report in reports for name in names_of(report.name)}
    by_id: dict[str, Report] = {}
    by_name: dict[str, dict[str, Report]] = defaultdict(dict)
    for report in reports:
        if found := owner(report.name):
            name, number = found
            by_id[number] = report
            by_name[name][number] = report

    def of(row: Row) -> Report | None:
        if row.get("submission"):
            return exact.get(one_form(row["submission"]))
        for column in _IDS:
            number = row.get(column, "").removeprefix("Participant ")
            if number in by_id:
                return by_id[number]
        names = [row.get(column, "") for column in _NAMES]
        names.append(f"{row.get('First name', '')} {row.get('Last name', '')}".strip())
        known = [by_name.get(one_form(name).casefold(), {}) for name in names if name]
        # Students with equal names are distinguished by their ID only.
        return next((report for each in known if len(each) == 1 for report in each.values()), None)

    return [(row, of(row)) for row in roster]


def _columns(reports: Sequence[Report]) -> list[Item]:
    """Return one item of each exercise, in the order of the labs."""
    items = {item.title: item for report in reports for item in report.items}
    return sorted(items.values(), key=lambda item: (item.lab, item.number))


def _reason(item: Item) -> str:
    """Return the reason, shortened to one line."""
    text = " ".join(item.text.split())
    return f" ({text[:_REASON]}{'…' * (len(text) > _REASON)})" if text else ""


def _keys(students: Students, columns: Sequence[str], platform: str) -> list[str]:
    """Return the columns that the roster has; at least one must identify students."""
    keys = [column for column in columns if any(column in row for row, _ in students)]
    if not keys:
        raise BadRequest(
            object="--roster",
            expected=f"a column {' or '.join(columns)}, by which {platform} knows students",
            received="none",
            remedy=f"Add the column from the list of students of {platform}.",
        )
    return keys
