"""What grading found, as plain values, a table for people, and a file for Gradescope.

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

GRADER = f"hpml {hpml.__version__}, grading 7, Python {platform.python_version()}"
"""The grader's version. The number is raised when a submission could be graded differently."""

_LONGEST = 200


@dataclass(frozen=True)
class Item:
    """One exercise of one submission."""

    lab: str
    number: int
    name: str  # the function, or "explanation"
    worth: float  # the points it can earn; a bonus comes on top
    status: str = "not graded"
    text: str = ""  # what was wrong, for the student
    parts: Mapping[str, float] = field(default_factory=dict)  # what each earned
    of: Mapping[str, float] = field(default_factory=dict)  # what each can earn
    bonus: tuple[str, ...] = ()  # the parts that full marks do not need
    note: str = ""  # for the instructor
    mistake: str = ""  # the name of the known mistake, where it is one
    shape: str = ""  # equal for functions that are equal after renaming
    printed: str = ""  # by the submission meanwhile, cut
    seconds: float = 0.0

    @property
    def earned(self) -> float:
        """The points it earned, without a bonus."""
        return round(sum(self.parts[part] for part in self.parts if part not in self.bonus), 6)

    @property
    def extra(self) -> float:
        """The bonus points it earned."""
        return round(sum(self.parts[part] for part in self.parts if part in self.bonus), 6)

    @property
    def score(self) -> float:
        """All points it earned."""
        return self.earned + self.extra

    @property
    def most(self) -> float:
        """The points it can earn; where it goes further than the core, the bonus points."""
        return self.worth or sum(self.of[part] for part in self.of if part in self.bonus)

    @property
    def out_of(self) -> str:
        """What it earned, ``"2 of 3"``; where it goes further than the core, ``"2 of 3 bonus"``."""
        bonus = self.most > self.worth
        earned = self.extra if bonus else self.earned
        return f"{points(earned)} of {points(self.most)}{' bonus' * bonus}"

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

    def with_remark(self, remark: str) -> Item:
        """Return it with a line for the student and for the instructor."""
        text, note = (f"{before}{gap}{remark}" if before else remark for before, gap in
                      ((self.text, "\n"), (self.note, " ")))  # fmt: skip
        return replace(self, text=text, note=note)


@dataclass(frozen=True)
class Report:
    """What grading one submission found: every exercise of the labs graded, in order."""

    name: str  # that of its folder or notebook
    items: tuple[Item, ...]
    seed: int  # the instructor's: nothing that a student is given holds it
    seconds: float = 0.0
    isolation: str = "none"

    @property
    def earned(self) -> float:
        """The points of all items, without a bonus."""
        return round(sum(item.earned for item in self.items), 6)

    @property
    def extra(self) -> float:
        """The bonus points of all items."""
        return round(sum(item.extra for item in self.items), 6)

    @property
    def score(self) -> float:
        """All points of all items."""
        return self.earned + self.extra

    @property
    def total(self) -> str:
        """What was earned, in words: ``"7 of 9 points and 1 bonus point"``."""
        text = f"{points(self.earned)} of {points(self.worth)} points"
        if not self.extra:
            return text
        return f"{text} and {points(self.extra)} bonus point{'' if self.extra == 1 else 's'}"

    @property
    def worth(self) -> float:
        """The points that all items can earn."""
        return round(sum(item.worth for item in self.items), 6)

    @property
    def shown(self) -> str:
        """Its name as one line of a table takes it, whatever the folder is called."""
        return harmless(self.name).replace("\n", "\\n").replace("\t", "\\t")

    def __getitem__(self, name: str) -> Item:
        return {item.name: item for item in self.items}[name]

    def __str__(self) -> str:
        return str(table(self))


def table(report: Report) -> Table:
    """Return the report as a table, a row an exercise."""
    rows = [
        [item.title, item.out_of, ", ".join(by_part(item)), item.status, _line(item)]
        for item in report.items
    ]
    return Table(
        ["exercise", "points", "parts", "status", "what is wrong"],
        rows,
        title=f"{report.shown}: {report.total}",
        caption=f"isolation: {report.isolation}",
    )


def by_part(item: Item) -> list[str]:
    """Return what each part earned, where there is more than one: ``"deep 0 of 1"``."""
    parts = dict.fromkeys([*item.of, *item.parts])
    if len(parts) < 2:
        return []
    return [
        f"{part} {points(item.parts.get(part, 0.0))}"
        + (f" of {points(item.of[part])}" if part in item.of else "")
        + (" (bonus)" if part in item.bonus else "")
        for part in parts
    ]


def gradescope(report: Report) -> dict[str, Any]:
    """Return the report in the form of Gradescope's ``results.json``."""
    return {
        "score": report.score,
        "execution_time": round(report.seconds, 3),
        "output": f"{report.total}. Graded by {GRADER}.",
        "visibility": "visible",
        "tests": [_test(item) for item in report.items],
        "extra_data": {"name": report.name, "grader": GRADER},
    }


def from_plain(data: Mapping[str, Any]) -> Report:
    """Return the report that `dataclasses.asdict` made plain, also after a journey as JSON."""
    items = (Item(**{**item, "bonus": tuple(item["bonus"])}) for item in data["items"])
    return Report(**{**data, "items": tuple(items)})


def write(report: Report, path: str | os.PathLike[str]) -> None:
    """Write the report to `path` as Gradescope's ``results.json``, whole or not at all."""
    write_atomically(path, json.dumps(gradescope(report), indent=2, ensure_ascii=True) + "\n")


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


def _test(item: Item) -> dict[str, Any]:
    output = "\n".join([*by_part(item), item.text or "Right."])
    if item.printed:
        output += f"\n\nIt printed:\n{item.printed}"
    return {
        "name": item.title,
        "number": f"{item.lab}.{item.number}",
        "score": item.score,
        "max_score": item.worth,
        "status": "passed" if item.right else "failed",
        "output": output,
        "tags": [f"lab{item.lab}", item.name, item.status],
        "visibility": "visible",
    }


def _line(item: Item) -> str:
    lines: Sequence[str] = item.text.split("\n\n")[0].splitlines()
    text = "  ".join(line.strip() for line in lines)
    return text if len(text) <= 160 else text[:157] + "..."


def write_feedback(report: Report, folder: Path, labs: str) -> None:
    """Write ``NAME.LABS.md`` and ``NAME.LABS.json`` for one student."""
    write(report, folder / file_name(report.name, labs, "json"))
    write_atomically(folder / file_name(report.name, labs, "md"), feedback_page(report))


def feedback_page(report: Report) -> str:
    """Return the page for one student, as Markdown."""
    lines = [f"# {report.shown}: {report.total}", ""]
    for item in report.items:
        lines += _section(item)
    return "\n".join(lines)


def write_feedback_zip(reports: Sequence[Report], path: str | os.PathLike[str]) -> None:
    """Write an HTML page for each student as a zip, which Canvas and Moodle upload as feedback.

    They know a student by the names in it, which are those of what was downloaded.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for report in reports:
            name = student(report.name)
            inside = f"{name}.html" if name != report.name else f"{name}/feedback.html"
            archive.writestr(harmless(inside), html_page(report))
    write_atomically(path, stream.getvalue())


def html_page(report: Report) -> str:
    """Return the page for one student as HTML."""
    parts = []
    for item in report.items:
        text = "\n".join([*by_part(item), item.text])
        text += f"\n\nIt printed:\n{item.printed}" if item.printed else ""
        head = html.escape(f"{item.title}: {item.status}, {item.out_of} points")
        parts.append(f"<h2>{head}</h2>\n<pre>{html.escape(text.strip())}</pre>")
    title = html.escape(f"{report.shown}: {report.total}")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"</head>\n<body><h1>{title}</h1>\n" + "\n".join(parts) + "</body></html>\n"
    )


def _section(item: Item) -> list[str]:
    lines = [f"## {item.title}: {item.status}, {item.out_of} points", ""]
    lines += [f"- {part}" for part in by_part(item)]
    lines += [""] if by_part(item) else []
    if item.text:
        # Indented, it is shown as it is, whatever it holds.
        lines += [*(f"    {line}" for line in item.text.splitlines()), ""]
    if item.printed:
        lines += ["It printed:", "", *(f"    {line}" for line in item.printed.splitlines()), ""]
    return lines
