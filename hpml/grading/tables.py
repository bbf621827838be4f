"""A class at one glance: points by part, statistics, and the CSV files of learning platforms."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from hpml.base.errors import describe
from hpml.base.tables import Table
from hpml.grading import GradingError
from hpml.grading.report import Item, Report, points, student

_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_MOODLE = ("Email address", "ID number", "Username")
_IDS = ("ID", "Identifier", "ID number")
_NAMES = ("Student", "Full name")
# The ID of Canvas or Moodle in the name that it gives to what it lets you download.
_OF_PLATFORM = re.compile(r"(?P<name>[^_]+)_(?:LATE_)?(?P<id>\d{2,})_")
_REASON = 300  # characters of the reason in a feedback column
_LEFT_OUT = ("missing", "not done")  # what goes further may be
_LOOK_AT = ("no answer", "not graded", "unreadable", "missing", "forbidden", "not done")


def class_table(reports: Sequence[Report]) -> Table:
    """Return the points of a class, a row a submission."""
    columns = _columns(reports)
    rows: list[list[object]] = []
    for report in reports:
        found = {(item.lab, item.name): item for item in report.items}
        earned = [found[key].score if key in found else "" for key in columns]
        rows.append([report.shown, *earned, report.earned, report.extra or ""])
    of = [item.worth or f"{points(item.most)} bonus" for item in columns.values()]
    rows.append(["of", *of, sum(item.worth for item in columns.values()), ""])
    numbers = (f"{item.lab}.{item.number}" for item in columns.values())
    titles = ["submission", *numbers, "points", "bonus"]
    return Table(titles, rows, formats=dict.fromkeys(titles[1:], _points))


def as_csv(reports: Sequence[Report]) -> str:
    """Return points, parts, status and mistake of each exercise as CSV, a row a submission."""
    columns = _columns(reports)
    titles = ["submission"]
    for column in columns.values():
        lead = f"{column.lab}.{column.number}"
        titles += [column.title, *(f"{lead} {part}" for part in _parts(reports, column))]
        titles += [f"{lead} status", f"{lead} mistake"]
    rows = [[*titles, "points", "of", "bonus", "seed"]]
    for report in reports:
        found = {(each.lab, each.name): each for each in report.items}
        cells: list[str] = []
        for key, column in columns.items():
            parts = _parts(reports, column)
            if (item := found.get(key)) is None:  # an exercise that came later
                cells += [""] * (len(parts) + 3)
                continue
            cells.append(points(item.score))
            cells += [points(item.parts.get(part, 0.0)) for part in parts]
            cells += [item.status, item.mistake]
        totals = [points(each) for each in (report.earned, report.worth, report.extra)]
        rows.append([_name(report.shown), *cells, *totals, str(report.seed)])
    return written_csv(rows)


def for_canvas(reports: Sequence[Report], roster: Sequence[dict[str, str]], assignment: str) -> str:
    """Return the file that Canvas's gradebook imports."""
    _require(roster, ("ID", "SIS User ID", "SIS Login ID"), "Canvas")
    rows = [[*_CANVAS, assignment]]
    # What a new assignment is worth; Canvas knows the line by these words, and exports it as well.
    rows.append(["    Points Possible", "", "", "", "", points(max(r.worth for r in reports))])
    for row, report in zip(roster, of_roster(reports, roster), strict=True):
        if row.get("Student") == "Points Possible":
            continue
        earned = "" if report is None else points(report.score)
        rows.append([*(row.get(column, "") for column in _CANVAS), earned])
    return written_csv(rows)


def for_moodle(reports: Sequence[Report], roster: Sequence[dict[str, str]]) -> str:
    """Return the file that Moodle's import of grades reads: address or number, grade, feedback."""
    keys = _require(roster, _MOODLE, "Moodle")
    rows = [[*keys, "Grade", "Feedback"]]
    for row, report in zip(roster, of_roster(reports, roster), strict=True):
        items = report.items if report else ()
        message = "; ".join(f"{item.title}: {item.status}{_reason(item)}" for item in items)
        rows.append([*(row[key] for key in keys), points(report.score) if report else "", message])
    return written_csv(rows)


def _reason(item: Item) -> str:
    """Return the first lines of what is wrong, on one line."""
    text = " ".join(item.text.split())
    return f" ({text[:_REASON]}{'…' * (len(text) > _REASON)})" if text else ""


def read_roster(path: Path) -> list[dict[str, str]]:
    """Return the rows of a roster: the platform's columns, and perhaps one ``submission``."""
    rows = read_csv(path)
    if not rows or not {"submission", *_IDS, *_NAMES}.intersection(rows[0]):
        raise GradingError(
            f"{describe(str(path))}: expected a CSV with a column submission (the names of the "
            f"folders or notebooks) or one of {', '.join((*_IDS, *_NAMES))}, by which the "
            "platform's file names are recognised, and the platform's own column: "
            f"{', '.join(_CANVAS)} for Canvas, one of {', '.join(_MOODLE)} for Moodle."
        )
    return rows


def of_roster(reports: Sequence[Report], roster: Sequence[dict[str, str]]) -> list[Report | None]:
    """Return each row's report: by `submission`, by an ID in the name, or by the name before it.

    Of several with one ID, the one with the most points counts. Canvas calls a file
    ``lovelaceada_4711_998_06_forward_order.ipynb``, with the student's ID first, and Moodle a
    folder ``Ada Lovelace_12345_assignsubmission_file``.
    """
    exact = {one_form(student(report.name)): report for report in reports}
    exact |= {one_form(report.name): report for report in reports}
    by_id: dict[str, Report] = {}
    by_name: dict[str, dict[str, Report]] = defaultdict(dict)
    # The best last: Canvas keeps a file for each upload, Moodle a folder for a student's text.
    for report in sorted(reports, key=lambda report: report.score):
        if match := _OF_PLATFORM.match(report.name):
            by_id[match["id"]] = report
            by_name[one_form(match["name"]).casefold()][match["id"]] = report
    return [_of_row(row, exact, by_id, by_name) for row in roster]


def _of_row(
    row: dict[str, str],
    exact: dict[str, Report],
    by_id: dict[str, Report],
    by_name: dict[str, dict[str, Report]],
) -> Report | None:
    if row.get("submission"):
        return exact.get(one_form(row["submission"]))
    for column in _IDS:
        number = row.get(column, "").removeprefix("Participant ")
        if number in by_id:
            return by_id[number]
    names = [row.get(column, "") for column in _NAMES]
    names.append(f"{row.get('First name', '')} {row.get('Last name', '')}".strip())
    for name in filter(None, names):
        # Two students of one name are told apart by their ID only.
        if len(found := by_name.get(one_form(name).casefold(), {})) == 1:
            return next(iter(found.values()))
    return None


def statistics(reports: Sequence[Report]) -> Table:
    """Return for each exercise how many tried it, how many are right, and the mistakes by name."""
    rows: list[list[object]] = []
    for key, column in _columns(reports).items():
        items = _items(reports, key)
        tried = [item for item in items if item.status not in ("not done", "missing", "unreadable")]
        mistakes = Counter(item.mistake for item in items if item.mistake).most_common()
        mean = sum(item.score for item in items) / len(items)
        named = ", ".join(f"{name} {count}" for name, count in mistakes)
        right = sum(item.right for item in items)
        rows.append(
            [column.title, len(tried), right, f"{mean:.2f} of {points(column.most)}", named]
        )
    return Table(["exercise", "tried", "right", "mean points", "wrong answers"], rows)


def look_at(reports: Sequence[Report]) -> list[str]:
    """Return one line for each submission that a person should look at, and why."""
    lines = []
    for report in reports:
        why: dict[str, None] = {}
        for item in report.items:
            lead = f"{item.lab}.{item.number}"
            total = item.status == "missing" and item.text.startswith("The notebook")
            if total or item.status == "unreadable":
                why[f"{item.lab} {item.status}: {item.text}"] = None  # once for all its exercises
            elif item.status in _LOOK_AT and (item.worth or item.status not in _LEFT_OUT):
                broken = (
                    ", a cell that is not valid Python" if "not valid Python" in item.text else ""
                )
                why[f"{lead} {item.status}{broken}"] = None
            if item.note:
                why[f"{lead}: {item.note}"] = None
        if why:
            lines.append(f"{report.shown}: {'; '.join(why)}")
    return lines


def not_in_roster(reports: Sequence[Report], roster: Sequence[dict[str, str]]) -> list[str]:
    """Return the submissions that match no row of the roster."""
    known = {report.name for report in of_roster(reports, roster) if report is not None}
    return [report.shown for report in reports if report.name not in known]


def without_submission(reports: Sequence[Report], roster: Sequence[dict[str, str]]) -> list[str]:
    """Return the students of the roster who have no submission."""
    lines = []
    for row, report in zip(roster, of_roster(reports, roster), strict=True):
        who = ", ".join(row[key] for key in (*_NAMES, *_MOODLE) if row.get(key))
        if report is None and who and who != "Points Possible":
            lines.append(f"{who}: {describe(row['submission'])}" if row.get("submission") else who)
    return lines


def alike(reports: Sequence[Report]) -> list[str]:
    """Return the groups of submissions whose functions are equal but for names: a hint, no more."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for report in reports:
        for item in report.items:
            if item.shape:
                groups[item.title, item.shape].append(report.shown)
    return [f"{title}: {', '.join(names)}" for (title, _), names in groups.items() if names[1:]]


def _columns(reports: Sequence[Report]) -> dict[tuple[str, str], Item]:
    items = {(item.lab, item.name): item for report in reports for item in report.items}
    return dict(sorted(items.items(), key=lambda pair: (pair[1].lab, pair[1].number)))


def _items(reports: Sequence[Report], key: tuple[str, str]) -> list[Item]:
    return [item for each in reports for item in each.items if (item.lab, item.name) == key]


def _parts(reports: Sequence[Report], column: Item) -> list[str]:
    same = _items(reports, (column.lab, column.name))
    return list(dict.fromkeys(part for item in same for part in (*item.of, *item.parts)))


def _require(roster: Sequence[dict[str, str]], columns: Sequence[str], platform: str) -> list[str]:
    """Return the columns that the roster has; at least one must identify students."""
    keys = [column for column in columns if roster and column in roster[0]]
    if not keys:
        has = ", ".join(roster[0]) if roster else "no row"
        raise GradingError(
            f"--roster: {platform} identifies students by {' or '.join(columns)}; the roster "
            f"has {has}."
        )
    return keys


def one_form(name: str) -> str:
    """Return a name as other systems may spell it: an ö is one character, or an o and two dots."""
    return unicodedata.normalize("NFC", name)


def names_of(submission: str) -> tuple[str, str]:
    """Return the names that a submission is found by: its student's, and its own."""
    return one_form(student(submission)), one_form(submission)


def _name(name: str) -> str:
    # One that a spreadsheet would take for a formula stays a name.
    return f"'{name}" if name[:1] in "=+-@" else name


def _points(value: object) -> str:
    return points(value) if isinstance(value, int | float) else str(value)


def read_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file by the names of its columns, as spreadsheets save it."""
    try:
        data = path.read_bytes()
        wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except OSError as error:
        raise GradingError(f"{describe(str(path))} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise GradingError(
            f"{describe(str(path))}: expected UTF-8 text; save it as 'CSV UTF-8', so that "
            "students' names stay readable."
        ) from None
    first = text.partition("\n")[0]
    try:
        rows = list(csv.DictReader(io.StringIO(text, ""), delimiter=max(",;\t", key=first.count)))
    except csv.Error as error:
        raise GradingError(f"{describe(str(path))} cannot be read: {error}.") from None
    found = [{key.strip(): (row[key] or "").strip() for key in row if key} for row in rows]
    return [row for row in found if any(row.values())]


def written_csv(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as the text of a CSV file."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()
