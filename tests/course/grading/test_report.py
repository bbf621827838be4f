from __future__ import annotations

import json
from pathlib import Path

from hpml.course.grading.judge import Item
from hpml.course.grading.record import GRADER, Report
from hpml.course.grading.report import write_gradescope

RIGHT = Item("06", 1, "double", {"right": 2}, status="right", parts={"right": 2.0})
WRONG = Item(
    "06", 2, "total", {"right": 2, "empty": 1}, status="partly right",
    text="not right yet\n  expected  0", parts={"right": 1.0}, printed="\ud800 hm",
)  # fmt: skip


def test_gradescopes_form_holds_each_exercise(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.json"
    write_gradescope(Report("ada", (RIGHT, WRONG), seed=7), path)
    assert [entry.name for entry in path.parent.iterdir()] == ["results.json"]
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["score"], data["visibility"]) == (3.0, "visible")
    assert GRADER in data["output"]
    first, second = data["tests"]
    assert "seed" not in json.dumps(data)
    assert first == {
        "name": "06.1 double", "number": "06.1", "score": 2.0, "max_score": 2,
        "status": "passed", "output": "Right.", "visibility": "visible",
    }  # fmt: skip
    assert second["status"] == "failed"
    assert "It printed:" in second["output"]
