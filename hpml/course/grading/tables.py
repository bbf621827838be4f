"""Tables of a class: points, statistics, and CSV files for learning platforms."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from hpml.base.tables import Table
from hpml.course.grading import BadRequest
from hpml.course.grading.find import owner
from hpml.course.grading.judge import Item, points
from hpml.course.grading.platforms.roster import Student
from hpml.course.grading.record import Overrides, Report, cell, lab_of_place, written_csv

_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_MOODLE = ("Email address", "ID number", "Username")
_TOTAL = "Points Possible"  # a line of Canvas's export
_REASON = 300  # characters of the reason in a feedback column
_LEFT_OUT = ("missing", "not done")  # allowed for bonus exercises
_LOOK_AT = ("no answer", "not graded", "unreadable", "forbidden", *_LEFT_OUT)


def class_table(reports: Sequence[Report]) -> Table:
    """Return the points of a class, one row per submission."""
    columns = _columns(reports)
    rows: list[list[object]] = []
    for report in reports:
        found = {item.title: _with_parts(item) for item in report.items}
        scores = [found.get(column.title, "") for column in columns]
        rows.append([report.shown, *scores, report.earned, report.extra or ""])
    of = [item.most if item.core else f"{points(item.most)} bonus" for item in columns]
    rows.append(["of", *of, sum(item.most for item in columns if item.core), ""])
    titles = ["submission", *(item.place for item in columns), "points", "bonus"]
    return Table(titles, rows, formats=dict.fromkeys(titles[1:], cell))


def as_csv(reports: Sequence[Report]) -> str:
    """Return points and status of each exercise as CSV, one row per submission."""
    columns = _columns(reports)
    titles = [each for item in columns for each in _csv_titles(item)]
    rows: list[list[object]] = [["submission", *titles, "points", "of", "bonus", "seed"]]
    for report in reports:
        found = {item.title: item for item in report.items}
        cells: list[object] = []
        for column in columns:
            item = found.get(column.title)  # None for an exercise added later
            status = ": ".join(filter(None, (item.status, item.mistake))) if item else ""
            cells += [item.score if item else "", status]
            if len(column.of) > 1:
                cells.append("; ".join(item.by_part) if item else "")
        # Keeps a spreadsheet from reading a name as a formula.
        name = f"'{report.shown}" if report.shown[:1] in "=+-@" else report.shown
        rows.append([name, *cells, report.earned, report.worth, report.extra, report.seed])
    return written_csv(rows)


def _csv_titles(item: Item) -> list[str]:
    """Return the columns of an exercise; one with several parts has a third."""
    names = ("", ": status", ": parts") if len(item.of) > 1 else ("", ": status")
    return [f"{item.title}{name}" for name in names]


def _with_parts(item: Item) -> str:
    """Return the points of an exercise and, if it has several parts, those of each."""
    if len(item.of) < 2:
        return points(item.score)
    each = " + ".join(points(item.parts.get(part, 0.0)) for part in item.of)
    return f"{points(item.score)} = {each}"


def for_canvas(reports: Sequence[Report], students: Sequence[Student]) -> str:
    """Return the file that Canvas's gradebook imports."""
    _keys(students, ("ID", "SIS User ID", "SIS Login ID"), "Canvas")
    rows = [[*_CANVAS, f"Lab {'-'.join(dict.fromkeys(item.lab for item in reports[0].items))}"]]
    # Canvas recognises this line by its words: the points of a new assignment.
    rows.append([f"    {_TOTAL}", "", "", "", "", points(max(r.worth for r in reports))])
    for each in students:
        earned = "" if each.report is None else points(each.report.score)
        rows.append([*(each.row.get(column, "") for column in _CANVAS), earned])
    return written_csv(rows)


def for_moodle(students: Sequence[Student]) -> str:
    """Return the file for Moodle's grade import: address or number, grade, feedback."""
    keys = _keys(students, _MOODLE, "Moodle")
    rows = [[*keys, "Grade", "Feedback"]]
    for each in students:
        report, items = each.report, each.report.items if each.report else ()
        message = "; ".join(f"{item.title}: {item.status}{_reason(item)}" for item in items)
        earned = points(report.score) if report else ""
        rows.append([*(each.row[key] for key in keys), earned, message])
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


def late(reports: Sequence[Report]) -> list[str]:
    """Return the submissions that the platform marked as late."""
    owners = [(report, owner(report.name)) for report in reports]
    return [report.shown for report, found in owners if found and found.late]


def by_lab(overrides: Overrides) -> str:
    """Return how many overrides each lab has: ``"00: 2, 01: 1"``."""
    counts = Counter(lab_of_place(place) for _, place in overrides)
    return ", ".join(f"{lab}: {counts[lab]}" for lab in sorted(counts))


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


def _columns(reports: Sequence[Report]) -> list[Item]:
    """Return one item of each exercise, in the order of the labs."""
    found = [item for report in reports for item in report.items]
    # An instructor's override has a single part.
    items = {item.title: item for item in sorted(found, key=lambda item: len(item.of))}
    return sorted(items.values(), key=lambda item: (item.lab, item.number))


def _reason(item: Item) -> str:
    """Return the reason, shortened to one line."""
    text = " ".join(item.text.split())
    return f" ({text[:_REASON]}{'…' * (len(text) > _REASON)})" if text else ""


def _keys(students: Sequence[Student], columns: Sequence[str], platform: str) -> list[str]:
    """Return the columns that the roster has; at least one must identify students."""
    keys = [column for column in columns if any(column in each.row for each in students)]
    if not keys:
        raise BadRequest(
            object="--roster",
            expected=f"a column {' or '.join(columns)}, by which {platform} knows students",
            received="none",
            remedy=f"Add the column from the list of students of {platform}.",
        )
    return keys
