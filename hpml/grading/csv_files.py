"""CSV files as spreadsheets write and read them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from hpml.base.errors import describe
from hpml.grading import BadRequest
from hpml.grading.judge import points


def read_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file by the names of its columns, as spreadsheets save it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        first = text.partition("\n")[0]
        rows = [*csv.DictReader(io.StringIO(text, ""), delimiter=max(",;\t", key=first.count))]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadRequest(
            f"{describe(str(path))} cannot be read, expected the text of a CSV file in UTF-8: "
            f"{error}."
        ) from None
    found = [{key.strip(): (row[key] or "").strip() for key in row if key} for row in rows]
    return [row for row in found if any(row.values())]


def written_csv(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as the text of a CSV file."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(map(cell, row) for row in rows)
    return stream.getvalue()


def cell(value: object) -> str:
    """Return what a cell shows of a value."""
    return points(value) if isinstance(value, float) else str(value)
