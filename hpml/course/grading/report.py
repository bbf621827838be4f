"""Step 5: show a report as a table, as a page for the student, and as a file for Gradescope.

A report has all exercises; one without an answer has 0 points and the reason.

Source of the format: https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from __future__ import annotations

import html
import io
import json
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path

from hpml.base.files import write_atomically
from hpml.base.tables import Table
from hpml.course.grading.find import person, student
from hpml.course.grading.judge import Item, harmless
from hpml.course.grading.record import GRADER, Report, file_name

_HEAD = """
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46em; margin: 1em auto; padding: 0 1em; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 1.5em; }
pre { background: #f4f4f4; padding: 0.7em; overflow-wrap: anywhere; white-space: pre-wrap; }
@media (prefers-color-scheme: dark) {
    body { background: #1a1a1a; color: #e8e8e8; } pre { background: #2b2b2b; }
}
</style>"""


def as_table(report: Report) -> Table:
    """Return a report as a table, one row per exercise."""
    rows = [
        [item.title, item.out_of, ", ".join(item.by_part), item.status, _line(item)]
        for item in report.items
    ]
    columns = ["exercise", "points", "parts", "status", "what is wrong"]
    title, caption = f"{report.shown}: {report.total}", f"isolation: {report.isolation}"
    return Table(columns, rows, title=title, caption=caption)


def write_gradescope(report: Report, path: str | os.PathLike[str]) -> None:
    """Write the report as Gradescope's ``results.json``, atomically."""
    tests = [
        {
            "name": item.title,
            "number": item.place,
            "score": item.score,
            "max_score": item.most if item.core else 0,
            "status": "passed" if item.right else "failed",
            "output": _details(item) or "Right.",
            "visibility": "visible",
        }
        for item in report.items
    ]
    output = f"{report.total}. Graded by {GRADER}."
    data = {"score": report.score, "output": output, "visibility": "visible", "tests": tests}
    write_atomically(path, json.dumps(data, indent=2) + "\n")


def write_page(report: Report, folder: Path, labs: str) -> None:
    """Write ``NAME.LABS.html``, the page for one student."""
    write_atomically(folder / file_name(report.name, labs, "html"), page(report))


def write_feedback_zip(reports: Sequence[Report], path: str | os.PathLike[str]) -> None:
    """Write the students' pages into a zip for the bulk feedback upload of Canvas and Moodle.

    They recognise a student by the file name, which is that of the downloaded submission.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for report in reports:
            name = student(report.name)
            inside = f"{name}.html" if name != report.name else f"{name}/feedback.html"
            archive.writestr(harmless(inside), page(report))
    write_atomically(path, stream.getvalue())


def page(report: Report) -> str:
    """Return the page for one student as HTML."""
    parts = []
    for item in report.items:
        head = html.escape(f"{item.title}: {item.status}, {item.out_of} points")
        details = html.escape(_details(item))
        parts.append(f"<h2>{head}</h2>" + (f"\n<pre>{details}</pre>" if details else ""))
    name = harmless(person(report.name)).replace("\n", "\\n").replace("\t", "\\t")
    title = html.escape(f"{name}: {report.total}")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"{_HEAD}</head>\n<body><h1>{title}</h1>\n" + "\n".join(parts) + "</body></html>\n"
    )


def _details(item: Item) -> str:
    """Return the message for the student about an exercise."""
    text = "\n".join([*item.by_part, item.text])
    # Below a right answer it would only worry: other cells of the notebook print, too.
    shows = item.printed and not item.right
    return (text + (f"\n\nThe notebook printed:\n{item.printed}" if shows else "")).strip()


def _line(item: Item) -> str:
    text = "  ".join(line.strip() for line in item.text.split("\n\n")[0].splitlines())
    return text if len(text) <= 160 else text[:157] + "..."
