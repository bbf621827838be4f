"""Step 3: the figures as a table for programs, and as a page to read beside the estimates."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from hpml.base.files import write_atomically
from hpml.base.tables import Table, readable
from hpml.course.labs.overview import misses_of, table_of_misses
from hpml.course.labs.questions import AFTER, BEFORE, questions
from hpml.course.observed.figures import BREAK, LEAST, Figure, figures
from hpml.course.observed.records import Records

COLUMNS = (
    "lab",
    "kind",
    "name",
    "unit",
    "students",
    "low",
    "median",
    "high",
    "estimate",
    "further",
)
_SHARE = ("first check right", "wrong answer", "prediction right")


def write_observed(records: Records, out: Path) -> tuple[Path, Path]:
    """Write ``observed.csv`` and ``observed.md`` into the folder `out`, and return their paths."""
    found = figures(records.students)
    out.mkdir(parents=True, exist_ok=True)
    table, page = out / "observed.csv", out / "observed.md"
    write_atomically(table, as_csv(found))
    write_atomically(page, as_page(records, found))
    return table, page


def as_csv(found: Sequence[Figure]) -> str:
    """Return a row for each figure; of a share the three quartiles are the share in percent."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for each in found:
        ends = [_digits(value) for value in each.quartiles]
        estimates = ["" if e is None else _digits(e) for e in (each.estimate, each.further)]
        row = [each.lab, each.kind, each.name, each.unit, len(each.values), *ends, *estimates]
        writer.writerow(row)
    return text.getvalue()


def _digits(value: float) -> str:
    """Return a number as a spreadsheet reads it, with its digits."""
    return (
        str(int(value)) if value == int(value) else str(round(value, 2 if abs(value) >= 1 else 6))
    )


def as_page(records: Records, found: Sequence[Figure]) -> str:
    """Return the page in Markdown."""
    return "\n\n".join(_page(records, found)) + "\n"


def class_tables(records: Records) -> list[Table]:
    """Return a class's predictions by lab, and its ten questions before and after the course."""
    missed: dict[str, list[float]] = {}
    for record in records.students:
        for lab, entries in record.predictions.items():
            missed.setdefault(lab, []).extend(misses_of(entries))
    letters: dict[str, list[str]] = {BEFORE: [], AFTER: []}
    for when, given in letters.items():
        for record in records.students:
            answers = record.progress.get(when, {}).get("questions")
            given += (
                [answers] if isinstance(answers, str) and len(answers) == len(questions()) else []
            )
    rows = [
        [each.text, each.lab, *(_share(given, place, each.right) for given in letters.values())]
        for place, each in enumerate(questions())
    ]
    columns = ["question", "see lab", "right before", "right after"]
    asked = Table(columns, rows, caption="The ten questions of labs 00 and 15.")
    known = {lab: missed[lab] for lab in sorted(missed) if missed[lab]}
    return [table_of_misses(known), asked]


def _share(answers: Sequence[str], place: int, right: str) -> str:
    return f"{sum(given[place] == right for given in answers)} of {len(answers)}"


def _page(records: Records, found: Sequence[Figure]) -> Iterator[str]:
    count = len(records.students)
    yield "# What a class did"
    yield (
        f"{count} student{'s' * (count != 1)} handed in their records. Minutes are those between "
        f"two steps, such as an answer or a check, and count for the later one. A pause of more "
        f"than {BREAK:g} minutes is a break. Minutes are from students who spent at least "
        f"{LEAST:g} of them on the lab; those of sections, from students who came to its end. "
        "The middle number is the median; half of the students are between the other two."
    )
    for lab in dict.fromkeys(each.lab for each in found):
        yield f"## Lab {lab}"
        yield from _lab([each for each in found if each.lab == lab])
    predicted, asked = class_tables(records)
    if predicted.rows:
        yield "## Predictions, lab by lab"
        yield _markdown(
            predicted.columns, [[_text(cell) for cell in row] for row in predicted.rows]
        )
    if any(
        each.progress.get(when, {}).get("questions")
        for each in records.students
        for when in (BEFORE, AFTER)
    ):
        yield "## The ten questions"
        yield _markdown(asked.columns, [[_text(cell) for cell in row] for row in asked.rows])
    if records.notes:
        yield "## Left out or merged"
        yield "\n".join(f"- {_plain(note)}" for note in records.notes)


def _lab(found: Sequence[Figure]) -> Iterator[str]:
    timed = [each for each in found if each.kind in ("lab", "section", "exercise")]
    if timed:
        rows = [
            [each.name, _estimate(each), *map(_minutes, _turned(each)), str(len(each.values))]
            for each in timed
        ]
        yield _markdown(["minutes", "estimate", "median", "25 %", "75 %", "students"], rows)
    by_name: dict[str, dict[str, Figure]] = {}
    for each in found:
        by_name.setdefault(each.name, {})[each.kind] = each
    rows = []
    for name, kinds in by_name.items():
        if first := kinds.get("first check right"):
            checks = kinds.get("checks")
            until = readable(checks.quartiles[1], 3) if checks else "–"
            met = _met(found, name)
            rows.append([name, _percent(first), until, met, str(len(first.values))])
    if rows:
        columns = ["exercise", "right at first", "checks until right", "known wrong answers met"]
        yield _markdown([*columns, "students"], rows)
    rows = []
    for name, kinds in by_name.items():
        off, right = kinds.get("prediction"), kinds.get("prediction right")
        if right or off:
            factor = f"{readable(off.quartiles[1], 3)} ×" if off else "–"
            count = max(len(each.values) for each in (off, right) if each)
            rows.append([name, _percent(right) if right else "–", factor, str(count)])
    if rows:
        yield _markdown(["prediction", "right", "median factor", "students"], rows)


def _met(found: Sequence[Figure], exercise: str) -> str:
    """Return the known wrong answers to an exercise that were met, the most frequent first."""
    wrong = [
        each
        for each in found
        if each.kind == "wrong answer"
        and each.name.startswith(f"{exercise}: ")
        and any(each.values)
    ]
    wrong.sort(key=lambda each: -sum(each.values))
    return ", ".join(f"{each.name.partition(': ')[2]} {_percent(each)}" for each in wrong) or "none"


def _turned(each: Figure) -> tuple[float, float, float]:
    low, middle, high = each.quartiles
    return middle, low, high


def _estimate(each: Figure) -> str:
    more = f" + {_minutes(each.further)}" if each.further and each.further >= 0.5 else ""
    return f"{_minutes(each.estimate or 0.0)}{more}"


def _minutes(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def _percent(each: Figure) -> str:
    return f"{each.quartiles[1]:.0f} %"


def _text(cell: object) -> str:
    return readable(cell, 3) if isinstance(cell, float) else str(cell)


def _plain(text: str) -> str:
    """Return text that a student may have named, with nothing that Markdown or HTML reads."""
    return "".join(
        f"\\{sign}" if sign in r"\`*_[]<>|#!" else sign for sign in " ".join(text.split())
    )


def _markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(
        "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in row) + " |"
        for row in lines
    )
