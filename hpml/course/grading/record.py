"""Step 4: sign and save the `Report`, and apply the instructor's overrides.

A forged record does not count. The key is beside the records, outside every sandbox.
"""

from __future__ import annotations

import csv
import hashlib
import hmac
import inspect
import io
import json
import os
import platform
import secrets
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import hpml
from hpml.base.errors import describe
from hpml.base.files import write_atomically
from hpml.base.system import locked
from hpml.course.grading import BadRequest
from hpml.course.grading.find import Submission, names_of, one_form
from hpml.course.grading.judge import Item, blank, harmless, points
from hpml.course.lesson.exercises.exercise import Choice, Exercise
from hpml.course.lesson.exercises.wrong_answers import wrong_answers


def _digest() -> str:
    """Return a hash of the files that read, run and judge a submission."""
    course = Path(__file__).parents[1]
    folders = (course / "grading", course / "sandbox", course / "lesson" / "exercises")
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    found = hashlib.sha256(b"\0".join(file.read_bytes() for file in files))
    return found.hexdigest()[:8]


GRADER = f"hpml {hpml.__version__}, grading {_digest()}, Python {platform.python_version()}"
"""The grader's version: another one may grade a submission differently, and grades it again."""

_KEY_BYTES = 32
_LONGEST = 200


@dataclass(frozen=True)
class Report:
    """The result of one submission: every exercise of the graded labs, in order."""

    name: str  # of its folder or notebook
    items: tuple[Item, ...]
    seed: int  # known to the instructor only
    isolation: str = "none"

    @property
    def earned(self) -> float:
        """The points earned in core exercises."""
        return round(sum(item.score for item in self.items if item.core), 6)

    @property
    def extra(self) -> float:
        """The bonus points earned."""
        return round(sum(item.score for item in self.items if not item.core), 6)

    @property
    def score(self) -> float:
        """All points earned."""
        return round(self.earned + self.extra, 6)

    @property
    def worth(self) -> float:
        """The most points of the core exercises."""
        return round(sum(item.most for item in self.items if item.core), 6)

    @property
    def total(self) -> str:
        """The points in words: ``"7 of 9 points and 1 bonus point"``."""
        text = f"{points(self.earned)} of {points(self.worth)} points"
        if not self.extra:
            return text
        return f"{text} and {points(self.extra)} bonus point{'' if self.extra == 1 else 's'}"

    @property
    def shown(self) -> str:
        """The name, escaped so that it fits on one line of a table."""
        return harmless(self.name).replace("\n", "\\n").replace("\t", "\\t")

    def __getitem__(self, name: str) -> Item:
        return {item.name: item for item in self.items}[name]


def from_plain(data: Mapping[str, Any]) -> Report:
    """Return the report that `dataclasses.asdict` and JSON made plain."""
    return Report(**{**data, "items": tuple(Item(**item) for item in data["items"])})


def file_name(name: str, labs: str, ending: str) -> str:
    """Return the name of a file about a submission, shortened where that is too long."""
    if len(name.encode("utf-8", "surrogateescape")) > _LONGEST:
        name = name[:40] + "-" + hashlib.sha256(ascii(name).encode()).hexdigest()
    return f"{name}.{labs}.{ending}"


@dataclass(frozen=True)
class Earlier:
    """What an earlier run found; `current` if notebooks, exercises and grader are the same."""

    report: Report | None = None
    current: bool = False
    forged: bool = False


class Records:
    """The records of a class, each valid for the same notebooks, exercises, seed and grader."""

    def __init__(
        self,
        reports: Path,
        labs: Sequence[str],
        exercises: Iterable[Exercise | Choice],
        seed: int | None,
    ) -> None:
        self._folder = reports / ".records"
        self._labs = "-".join(labs)
        self._common = {"exercises": [*map(_version, exercises)], "grader": GRADER, "seed": seed}
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # it contains the seeds
        self._key = _shared_key(self._folder / "key")

    def read(self, submission: Submission) -> Earlier:
        """Return what an earlier run found."""
        name = submission.name
        try:
            text = self._path(name).read_text(encoding="utf-8")
        except OSError:
            return Earlier()
        try:
            data = json.loads(text)
            if not hmac.compare_digest(data["signature"], self._signature(name, data["body"])):
                return Earlier(forged=True)
            body = json.loads(data["body"])
            report = from_plain(body["report"])
            return Earlier(report, current=body["bound"] == self._bound(submission))
        except (ValueError, KeyError, TypeError, AttributeError):
            return Earlier(forged=True)

    def write(self, submission: Submission, report: Report) -> None:
        """Write the record of a report."""
        if any(item.status == "not graded" for item in report.items):
            return
        body = json.dumps({"bound": self._bound(submission), "report": asdict(report)})
        text = json.dumps({"body": body, "signature": self._signature(report.name, body)}, indent=1)
        write_atomically(self._path(report.name), text + "\n")

    def _bound(self, submission: Submission) -> dict[str, Any]:
        return {"notebooks": list(submission.fingerprints), **self._common}

    def _path(self, name: str) -> Path:
        return self._folder / file_name(name, self._labs, "json")

    def _signature(self, name: str, body: str) -> str:
        # Labs and name are signed too: a record of other labs or another student is not valid.
        text = json.dumps([self._labs, name, body]).encode()
        return hmac.new(self._key, text, hashlib.sha256).hexdigest()


def _shared_key(path: Path) -> bytes:
    """Return the key at `path`; of two graders that start at the same instant one makes it."""

    def private(name: str, flags: int) -> int:
        return os.open(name, flags, 0o600)

    with open(path, "a+b", opener=private) as stream, locked(stream):
        stream.seek(0)
        key = stream.read()
        if len(key) < _KEY_BYTES:
            key = secrets.token_bytes(_KEY_BYTES)
            stream.truncate(0)
            stream.write(key)
    return key


def _version(entry: Exercise | Choice) -> str:
    """Return a hash of everything that could change how an exercise is graded."""
    if isinstance(entry, Choice):
        return repr(entry)
    functions = [entry.cases, entry.judge, entry.arguments, entry.observe]
    modules = {function.__module__ for function in functions}
    parts = [inspect.getsource(sys.modules[module]) for module in sorted(modules)]
    parts += [wrong.source for wrong in wrong_answers(entry)]
    parts.append(repr((entry.name, entry.worth, entry.core, entry.forbids, entry.seconds)))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


_COLUMNS = ("student", "exercise", "points", "comment")

Overrides = Mapping[tuple[str, str], tuple[float, str]]
"""Points and comments given by the instructor, by student and exercise (``"06.1"``)."""


def read_overrides(
    kept: Path,
    more: Path | None,
    students: Collection[str],
    exercises: Iterable[Exercise | Choice],
) -> Overrides:
    """Return the overrides of a class, which are saved at `kept`.

    Those in the file `more` replace the saved ones of the graded labs, and no others.
    """
    earlier = _read(kept) if kept.is_file() else {}
    if more is None:
        return earlier
    given = _read(more)
    most = {item.place: item.most for item in map(blank, exercises)}
    for (who, exercise), (score, _) in given.items():
        if who not in students or not score <= most.get(exercise, -1):
            raise BadRequest(
                object="--override",
                expected="a name of the table's first column, the number of an exercise such as "
                "06.1, and at most its points",
                received=f"{who}, {exercise}, {score:g}",
                remedy="Correct this row of the file.",
            )
    graded = {*map(lab_of_place, most)}
    others = {key: found for key, found in earlier.items() if lab_of_place(key[1]) not in graded}
    merged = {**others, **given}
    write_atomically(kept, written_csv([_COLUMNS, *([*key, *merged[key]] for key in merged)]))
    return merged


def lab_of_place(place: str) -> str:
    """Return the lab of an exercise's number: ``"06"`` of ``"06.1"``."""
    return place.partition(".")[0]


def overridden(report: Report, given: Overrides) -> Report:
    """Return the report with the overrides applied."""
    items = []
    for item in report.items:
        found = [given.get((name, item.place)) for name in names_of(report.name)]
        score_and_comment = found[0] or found[1]
        items.append(_overridden(item, *score_and_comment) if score_and_comment else item)
    return replace(report, items=tuple(items))


def _overridden(item: Item, score: float, comment: str) -> Item:
    if score >= item.most:  # what the grader found wrong no longer holds
        item = replace(item, status="right", text=comment, mistake="")
    else:
        text = "\n".join(filter(None, (comment, item.text)))
        item = replace(item, status="partly right" if score > 0 else "wrong", text=text)
    item = replace(item, of={"instructor": item.most}, parts={"instructor": score})
    return item.with_note("Its points were given by the instructor.")


def _read(path: Path) -> Overrides:
    found = {}
    for number, row in enumerate(read_csv(path), start=2):
        try:
            score = float(row["points"].replace(",", "."))
            if not score >= 0:
                raise ValueError
            exercise = row["exercise"].zfill(4)  # a spreadsheet turns 06.1 into 6.1
            found[one_form(row["student"]), exercise] = score, row.get("comment", "")
        except (KeyError, ValueError):
            raise BadRequest(
                object=f"{describe(str(path), limit=300)}, line {number}",
                expected=f"the columns {', '.join(_COLUMNS)}, the points a number from 0",
                received=describe(row),
                remedy="Correct this row of the file.",
            ) from None
    return found


def read_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file as spreadsheets save it, by column name."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        first = text.partition("\n")[0]
        rows = [*csv.DictReader(io.StringIO(text, ""), delimiter=max(",;\t", key=first.count))]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadRequest(
            object=describe(str(path), limit=300),
            expected="the text of a CSV file in UTF-8",
            received=f"a file that cannot be read ({error})",
            remedy="Save it again as CSV, UTF-8.",
        ) from None
    found = [{key.strip(): (row[key] or "").strip() for key in row if key} for row in rows]
    return [row for row in found if any(row.values())]


def written_csv(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as the text of a CSV file."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(map(cell, row) for row in rows)
    return stream.getvalue()


def cell(value: object) -> str:
    """Format a value for a cell."""
    return points(value) if isinstance(value, float) else str(value)
