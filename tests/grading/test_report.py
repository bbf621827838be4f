from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from hpml.grading.report import GRADER, Item, Report, from_plain, gradescope, table, write

RIGHT = Item("06", 1, "double", 2.0, "right", parts={"right": 2.0}, seconds=0.25)
WRONG = Item(
    "06", 2, "total", 3.0, "partly right", "not right yet\n  expected  0",
    parts={"right": 1.0}, of={"right": 2, "empty": 1}, printed="\ud800 hm",
)  # fmt: skip
REPORT = Report("ada", (RIGHT, WRONG), seed=7, seconds=1.5)


def test_points_are_added() -> None:
    assert (REPORT.earned, REPORT.worth) == (3.0, 5.0)
    many = Report(
        "ada", tuple(Item("06", n, "f", 0.1, parts={"right": 0.1}) for n in range(10)), seed=1
    )
    assert (many.earned, many.worth) == (1.0, 1.0)


def test_an_item_is_found_by_the_name_of_its_function() -> None:
    assert REPORT["total"] is WRONG
    with pytest.raises(KeyError):
        REPORT["none"]


def test_the_table_shows_points_status_and_reason() -> None:
    text = str(table(REPORT))
    assert "ada: 3 of 5 points" in text
    assert "06.2 total   1 of 3  right 1 of 2, empty 0 of 1  partly right" in text
    assert "isolation: none" in text
    assert "seed" not in text


def test_gradescopes_form_holds_each_exercise() -> None:
    data = gradescope(REPORT)
    assert data["score"] == 3.0
    assert data["execution_time"] == 1.5
    assert data["visibility"] == "visible"
    assert GRADER in data["output"]
    first, second = data["tests"]
    assert "seed" not in json.dumps(data)
    assert first == {
        "name": "06.1 double", "number": "06.1", "score": 2.0, "max_score": 2.0,
        "status": "passed", "output": "Right.", "tags": ["lab06", "double", "right"],
        "visibility": "visible",
    }  # fmt: skip
    assert second["status"] == "failed"
    assert "It printed:" in second["output"]


def test_a_report_is_written_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.json"
    write(REPORT, path)
    assert json.loads(path.read_text(encoding="utf-8"))["score"] == 3.0
    assert [entry.name for entry in path.parent.iterdir()] == ["results.json"]
    assert from_plain(json.loads(json.dumps(asdict(REPORT)))) == REPORT
