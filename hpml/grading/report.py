"""What grading found, as plain values, a table for people, and a file for Gradescope.

The list of exercises is known before anything of a submission is looked at, so a report always has
all of them: what gave no answer is there, with 0 points and the reason.

Source of the file's form: https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import hpml
from hpml.base.files import write_atomically
from hpml.base.tables import Table

__all__ = [
    "GRADER",
    "Item",
    "Report",
    "from_gradescope",
    "gradescope",
    "harmless",
    "points",
    "table",
    "write",
]

GRADER = f"hpml {hpml.__version__}, grading 2"
"""The grader's version. The number is raised when a submission could be graded differently."""


@dataclass(frozen=True)
class Item:
    """One exercise of one submission.

    Attributes:
        lab: ``"06"``.
        number: its place in the lab.
        name: the function, or ``"explanation"``.
        worth: the points it can earn.
        earned: the points it earned.
        status: ``"right"``, ``"partly right"``, ``"wrong"``, ``"not done"``, ``"missing"`` (no such
            function), ``"forbidden"`` (it uses what the exercise forbids), ``"no answer"`` (too
            slow, ended, too large), ``"unreadable"`` (the notebook), ``"not graded"``.
        text: what was wrong, for the student; empty where it is right.
        parts: what each part earned.
        printed: what the submission printed meanwhile, cut.
        seconds: how long grading it took.
    """

    lab: str
    number: int
    name: str
    worth: float
    earned: float = 0.0
    status: str = "not graded"
    text: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)
    printed: str = ""
    seconds: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", MappingProxyType(dict(self.parts)))

    @property
    def title(self) -> str:
        """How it is called: ``"06.1 lazy_forward"``."""
        return f"{self.lab}.{self.number} {self.name}"

    @property
    def right(self) -> bool:
        """Whether it earned all it can."""
        return self.status == "right"

    def as_plain(self) -> dict[str, Any]:
        """Return it as a value that JSON carries."""
        return {**self.__dict__, "parts": dict(self.parts)}

    def without_points(self, status: str, text: str) -> Item:
        """Return it with 0 points and a reason."""
        return replace(self, earned=0.0, status=status, text=text)


@dataclass(frozen=True)
class Report:
    """What grading one submission found.

    Attributes:
        name: how the submission is called: the name of its folder or notebook.
        items: every exercise of the labs graded, in order.
        seed: the seed that the cases were made with; with it, grading gives the same again.
        seconds: how long it took.
    """

    name: str
    items: tuple[Item, ...]
    seed: int
    seconds: float = 0.0

    @property
    def earned(self) -> float:
        """The points of all items."""
        return round(sum(item.earned for item in self.items), 6)

    @property
    def worth(self) -> float:
        """The points that all items can earn."""
        return round(sum(item.worth for item in self.items), 6)

    def __getitem__(self, name: str) -> Item:
        for item in self.items:
            if item.name == name:
                return item
        raise KeyError(name)

    def __str__(self) -> str:
        return str(table(self))


def table(report: Report) -> Table:
    """Return the report as a table, a row an exercise.

    >>> item = Item("06", 1, "lazy_forward", 2.0, 2.0, "right")
    >>> print(table(Report("ada", (item,), seed=7)))
    ada: 2 of 2 points
    exercise           points  status  what was wrong
    -----------------  ------  ------  --------------
    06.1 lazy_forward  2 of 2  right
    seed 7
    """
    rows = [
        [item.title, f"{points(item.earned)} of {points(item.worth)}", item.status, _line(item)]
        for item in report.items
    ]
    return Table(
        ["exercise", "points", "status", "what was wrong"],
        rows,
        title=f"{harmless(report.name)}: {points(report.earned)} of {points(report.worth)} points",
        caption=f"seed {report.seed}",
    )


def gradescope(report: Report, *, extra: Mapping[str, object] | None = None) -> dict[str, Any]:
    """Return the report in the form of Gradescope's ``results.json``.

    >>> item = Item("06", 1, "lazy_forward", 2.0, 2.0, "right")
    >>> gradescope(Report("ada", (item,), seed=7))["tests"][0]["name"]
    '06.1 lazy_forward'
    """
    return {
        "score": report.earned,
        "execution_time": round(report.seconds, 3),
        "output": f"{points(report.earned)} of {points(report.worth)} points. Graded by {GRADER} "
        f"with seed {report.seed}.",
        "visibility": "visible",
        "tests": [_test(item) for item in report.items],
        "extra_data": {"name": report.name, "seed": report.seed, "grader": GRADER, **(extra or {})},
    }


def from_gradescope(data: Mapping[str, Any]) -> Report:
    """Return the report that `gradescope` wrote.

    Raises:
        KeyError, TypeError: where it did not.
    """
    extra = data["extra_data"]
    items = tuple(Item(**test["extra_data"]) for test in data["tests"])
    return Report(extra["name"], items, extra["seed"], data["execution_time"])


def write(
    report: Report,
    path: str | os.PathLike[str],
    *,
    extra: Mapping[str, object] | None = None,
) -> None:
    """Write the report to `path` as Gradescope's ``results.json``, whole or not at all."""
    text = json.dumps(gradescope(report, extra=extra), indent=2, ensure_ascii=True)
    write_atomically(path, text + "\n")


def harmless(text: str) -> str:
    """Return text of a submission as a terminal and a file can take it: what steers is spelt out.

    >>> harmless("red\\x1b[31m\\ud800\\r\\nand so on")
    'red\\\\x1b[31m\\\\ud800\\nand so on'
    """
    return "".join(
        each if each.isprintable() or each in "\n\t" else each.encode("unicode_escape").decode()
        for each in text.replace("\r\n", "\n")
    )


def points(value: float) -> str:
    """Return points as text, without a needless fraction.

    >>> points(2.0), points(1.25)
    ('2', '1.25')
    """
    return f"{round(value, 2):g}"


def _test(item: Item) -> dict[str, Any]:
    output = item.text or "Right."
    if item.printed:
        output += f"\n\nIt printed:\n{item.printed}"
    return {
        "name": item.title,
        "number": f"{item.lab}.{item.number}",
        "score": item.earned,
        "max_score": item.worth,
        "status": "passed" if item.right else "failed",
        "output": output,
        "tags": [f"lab{item.lab}", item.name, item.status],
        "visibility": "visible",
        "extra_data": item.as_plain(),
    }


def _line(item: Item) -> str:
    lines: Sequence[str] = item.text.split("\n\n")[0].splitlines()
    text = "  ".join(line.strip() for line in lines)
    return text if len(text) <= 160 else text[:157] + "..."
