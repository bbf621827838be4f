"""What grading found, as plain values, a table for people, a page, and a file for Gradescope.

A report has all exercises: what gave no answer is there, with 0 points and the reason.

Source of the file's form: https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from __future__ import annotations

import hashlib
import html
import io
import json
import os
import platform
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import hpml
from hpml.base.files import write_atomically
from hpml.base.tables import Table
from hpml.course.exercises.exercise import Choice, Exercise

GRADER = f"hpml {hpml.__version__}, grading 8, Python {platform.python_version()}"
"""The grader's version. The number is raised when a submission could be graded differently."""

_LONGEST = 200


@dataclass(frozen=True)
class Item:
    """One exercise of one submission."""

    lab: str
    number: int
    name: str  # the function, or "explanation"
    of: Mapping[str, float]  # the points that each part can earn
    core: bool = True  # otherwise they are a bonus, on top of full marks
    status: str = "not graded"
    text: str = ""  # what was wrong, for the student
    parts: Mapping[str, float] = field(default_factory=dict)  # what each earned
    note: str = ""  # for the instructor
    mistake: str = ""  # the name of the known wrong answer, where it is one
    printed: str = ""  # by the submission meanwhile, cut

    @property
    def score(self) -> float:
        """The points it earned."""
        return round(sum(self.parts.values()), 6)

    @property
    def most(self) -> float:
        """The points it can earn."""
        return round(sum(self.of.values()), 6)

    @property
    def out_of(self) -> str:
        """What it earned, ``"2 of 3"``; where it goes further than the core, ``"2 of 3 bonus"``."""
        return f"{points(self.score)} of {points(self.most)}{'' if self.core else ' bonus'}"

    @property
    def title(self) -> str:
        """How it is called: ``"06.1 lazy_forward"``."""
        return f"{self.lab}.{self.number} {self.name}"

    @property
    def right(self) -> bool:
        """Whether it earned all it can."""
        return self.status == "right"

    def without_points(self, status: str, text: str) -> Item:
        """Return it with 0 points and a reason."""
        return replace(self, parts={}, status=status, text=text)

    def with_note(self, note: str) -> Item:
        """Return it with one more sentence for the instructor."""
        return replace(self, note=f"{self.note} {note}".strip())


def blank(entry: Exercise | Choice) -> Item:
    """Return an exercise or an explanation as it is in a report before it was graded."""
    if isinstance(entry, Choice):
        return Item(entry.lab, entry.number, entry.name, {"right": entry.points})
    return Item(entry.lab, entry.number, entry.name, entry.worth, entry.core)


@dataclass(frozen=True)
class Report:
    """What grading one submission found: every exercise of the labs graded, in order."""

    name: str  # that of its folder or notebook
    items: tuple[Item, ...]
    seed: int  # the instructor's: nothing that a student is given holds it
    isolation: str = "none"

    @property
    def earned(self) -> float:
        """The points of all items, without a bonus."""
        return round(sum(item.score for item in self.items if item.core), 6)

    @property
    def extra(self) -> float:
        """The bonus points of all items."""
        return round(sum(item.score for item in self.items if not item.core), 6)

    @property
    def score(self) -> float:
        """All points of all items."""
        return round(self.earned + self.extra, 6)

    @property
    def worth(self) -> float:
        """The points that all items can earn, without a bonus."""
        return round(sum(item.most for item in self.items if item.core), 6)

    @property
    def total(self) -> str:
        """What was earned, in words: ``"7 of 9 points and 1 bonus point"``."""
        text = f"{points(self.earned)} of {points(self.worth)} points"
        if not self.extra:
            return text
        return f"{text} and {points(self.extra)} bonus point{'' if self.extra == 1 else 's'}"

    @property
    def shown(self) -> str:
        """Its name as one line of a table takes it, whatever the folder is called."""
        return harmless(self.name).replace("\n", "\\n").replace("\t", "\\t")

    def __getitem__(self, name: str) -> Item:
        return {item.name: item for item in self.items}[name]

    def __str__(self) -> str:
        rows = [
            [item.title, item.out_of, ", ".join(by_part(item)), item.status, _line(item)]
            for item in self.items
        ]
        columns = ["exercise", "points", "parts", "status", "what is wrong"]
        title, caption = f"{self.shown}: {self.total}", f"isolation: {self.isolation}"
        return str(Table(columns, rows, title=title, caption=caption))


def by_part(item: Item) -> list[str]:
    """Return what each part earned, where there is more than one: ``"deep 0 of 1"``."""
    if len(item.of) < 2:
        return []
    return [
        f"{part} {points(item.parts.get(part, 0.0))} of {points(most)}"
        for part, most in item.of.items()
    ]


def from_plain(data: Mapping[str, Any]) -> Report:
    """Return the report that `dataclasses.asdict` made plain, also after a journey as JSON."""
    return Report(**{**data, "items": tuple(Item(**item) for item in data["items"])})


def harmless(text: str) -> str:
    """Return text of a submission with control characters spelt out."""
    return "".join(
        each if each.isprintable() or each in "\n\t" else each.encode("unicode_escape").decode()
        for each in text.replace("\r\n", "\n")
    )


def file_name(name: str, labs: str, ending: str) -> str:
    """Return the name of a file about a submission, also where its own is as long as can be."""
    if len(name.encode("utf-8", "surrogateescape")) > _LONGEST:
        name = name[:40] + "-" + hashlib.sha256(ascii(name).encode()).hexdigest()
    return f"{name}.{labs}.{ending}"


def student(name: str) -> str:
    """Return whose submission it is: its name without a notebook's ending."""
    return re.sub(r"(\.ipynb(\.txt|\.json)?|\.json|\.py)$", "", name, flags=re.IGNORECASE)


def points(value: float) -> str:
    """Return points as text, without a needless fraction."""
    return f"{round(value, 2):g}"


def write_gradescope(report: Report, path: str | os.PathLike[str]) -> None:
    """Write the report to `path` as Gradescope's ``results.json``, whole or not at all."""
    tests = [
        {
            "name": item.title,
            "number": f"{item.lab}.{item.number}",
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
    """Write the page of each student into a zip, which Canvas and Moodle upload as feedback.

    They know a student by the names in it, which are those of what was downloaded.
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
        parts.append(f"<h2>{head}</h2>\n<pre>{html.escape(_details(item))}</pre>")
    title = html.escape(f"{report.shown}: {report.total}")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"</head>\n<body><h1>{title}</h1>\n" + "\n".join(parts) + "</body></html>\n"
    )


def _details(item: Item) -> str:
    """Return what a student is told of an exercise."""
    text = "\n".join([*by_part(item), item.text])
    return (text + (f"\n\nIt printed:\n{item.printed}" if item.printed else "")).strip()


def _line(item: Item) -> str:
    text = "  ".join(line.strip() for line in item.text.split("\n\n")[0].splitlines())
    return text if len(text) <= 160 else text[:157] + "..."
