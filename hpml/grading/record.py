"""Signed records of what was graded: the instructor's, with the seeds; a forged one does not count.

The key lies beside them, where no sandbox sees it.
"""

from __future__ import annotations

import hashlib
import hmac
import inspect
import json
import secrets
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hpml.base.errors import describe
from hpml.base.files import write_atomically
from hpml.course.exercises.exercise import Choice, Exercise
from hpml.course.exercises.wrong_answers import wrong_answers
from hpml.grading import GradingError
from hpml.grading.find import Submission, fingerprint
from hpml.grading.report import GRADER, Item, Report, blank, file_name, from_plain
from hpml.grading.sandbox import Limits
from hpml.grading.tables import names_of, one_form, read_csv, written_csv

_KEY_BYTES = 32


class Records:
    """The records of a class for some labs, each bound to all that could change its report."""

    def __init__(
        self,
        reports: Path,
        labs: Sequence[str],
        exercises: Iterable[Exercise | Choice],
        seed: int | None,
        limits: Limits,
    ) -> None:
        self._folder = reports / ".records"
        self._labs = "-".join(labs)
        self._limits = limits
        self._common = {"exercises": [*map(_version, exercises)], "grader": GRADER, "seed": seed}
        self._bounds: dict[str, dict[str, Any]] = {}
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # the seeds are in it
        key = self._folder / "key"
        if not key.is_file() or key.stat().st_size < _KEY_BYTES:
            key.touch(mode=0o600)
            key.write_bytes(secrets.token_bytes(_KEY_BYTES))
        self._key = key.read_bytes()

    def read(self, submission: Submission, *, any_version: bool) -> tuple[Report | None, bool]:
        """Return the report of an earlier run that still holds, and whether none was forged."""
        name = submission.name
        # Now and not after grading: a file may be replaced meanwhile.
        paths = [path for lab in submission.labs for path in submission.notebooks[lab]]
        prints = [fingerprint(path, self._limits.notebook) for path in paths]
        self._bounds[name] = {"notebooks": prints, **self._common}
        try:
            text = self._path(name).read_text(encoding="utf-8")
        except OSError:
            return None, True
        try:
            data = json.loads(text)
            if not hmac.compare_digest(data["signature"], self._signature(name, data["body"])):
                return None, False
            body = json.loads(data["body"])
            if any_version or body["bound"] == self._bounds[name]:
                return from_plain(body["report"]), True
            return None, True
        except (ValueError, KeyError, TypeError, AttributeError):
            return None, False

    def write(self, report: Report) -> None:
        """Write the record of a report, bound to what was there when it was looked for."""
        if any(item.status == "not graded" for item in report.items):
            return
        body = json.dumps({"bound": self._bounds[report.name], "report": asdict(report)})
        text = json.dumps({"body": body, "signature": self._signature(report.name, body)}, indent=1)
        write_atomically(self._path(report.name), text + "\n")

    def _path(self, name: str) -> Path:
        return self._folder / file_name(name, self._labs, "json")

    def _signature(self, name: str, body: str) -> str:
        # With labs and name: a record of other labs, or of another student, is not this one.
        text = json.dumps([self._labs, name, body]).encode()
        return hmac.new(self._key, text, hashlib.sha256).hexdigest()


def _version(entry: Exercise | Choice) -> str:
    """Return a text that changes whenever an exercise could be graded differently."""
    if isinstance(entry, Choice):
        return repr(entry)
    functions = [entry.cases, entry.judge, entry.arguments, entry.observe]
    modules = {function.__module__ for function in functions}
    parts = [inspect.getsource(sys.modules[module]) for module in sorted(modules)]
    parts += [wrong.source for wrong in wrong_answers(entry)]
    parts.append(repr((entry.name, entry.worth, entry.core, entry.forbids, entry.seconds)))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


_COLUMNS = ("student", "exercise", "points", "comment")


@dataclass(frozen=True)
class Overrides:
    """Points that the instructor gave, with a comment, by student and exercise (``"06.1"``)."""

    given: Mapping[tuple[str, str], tuple[float, str]]

    @classmethod
    def kept(
        cls,
        path: Path,
        more: Path | None,
        students: Collection[str],
        exercises: Iterable[Exercise | Choice],
    ) -> Overrides:
        """Return what the file `more` gives, and keep it at `path`; without it, what is kept."""
        given = _read(more or path) if more or path.is_file() else {}
        if more is not None:
            items = map(blank, exercises)
            most = {f"{item.lab}.{item.number}": item.most for item in items}
            for (who, exercise), (score, _) in given.items():
                if who not in students or not score <= most.get(exercise, -1):
                    raise GradingError(
                        f"--override: {who}, {exercise}, {score:g}: expected a name of the "
                        "table's first column, the number of an exercise such as 06.1, and at "
                        "most its points."
                    )
            rows = ([*key, *value] for key, value in given.items())
            write_atomically(path, written_csv([_COLUMNS, *rows]))
        return cls(given)

    def applied(self, report: Report) -> Report:
        """Return the report with the points that were given."""
        items = []
        for item in report.items:
            for name in names_of(report.name):
                if found := self.given.get((name, f"{item.lab}.{item.number}")):
                    item = _overridden(item, *found)
                    break
            items.append(item)
        return replace(report, items=tuple(items))


def _overridden(item: Item, score: float, comment: str) -> Item:
    status = "right" if score >= item.most else "partly right" if score > 0 else "wrong"
    item = replace(
        item,
        of={"instructor": item.most},
        parts={"instructor": score},
        status=status,
        text="\n".join(filter(None, (comment, item.text))),
    )
    return item.with_note("Its points were given by the instructor.")


def _read(path: Path) -> dict[tuple[str, str], tuple[float, str]]:
    found = {}
    for number, row in enumerate(read_csv(path), start=2):
        try:
            score = float(row["points"].replace(",", "."))
            if not score >= 0:
                raise ValueError
            exercise = row["exercise"].zfill(4)  # a spreadsheet makes 6.1 of 06.1
            found[one_form(row["student"]), exercise] = score, row.get("comment", "")
        except (KeyError, ValueError):
            raise GradingError(
                f"{describe(str(path))}, line {number}: expected the columns "
                f"{', '.join(_COLUMNS)}, the points a number from 0."
            ) from None
    return found
