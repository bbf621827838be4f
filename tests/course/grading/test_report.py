from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import hpml
from hpml.course.grading.judge import Item
from hpml.course.grading.record import GRADER, Report
from hpml.course.grading.report import page, write_gradescope

RIGHT = Item("06", 1, "double", {"right": 2}, status="right", parts={"right": 2.0})
WRONG = Item(
    "06",
    2,
    "total",
    {"right": 2, "empty": 1},
    status="partly right",
    text="not right yet\n  expected  0",
    parts={"right": 1.0},
    printed="\ud800 hm",
)


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
    assert "The notebook printed:" in second["output"]


def test_a_page_is_for_a_person_and_shows_no_output_below_a_right_answer() -> None:
    right = replace(RIGHT, printed="Traceback: No module named 'torch'")
    shown = page(Report("Ada Lovelace_12345_assignsubmission_file", (right, WRONG), seed=7))
    assert "<h1>Ada Lovelace: 3 of 5 points</h1>" in shown
    assert "12345" not in shown
    assert "Traceback" not in shown
    assert "The notebook printed:" in shown
    assert 'name="viewport"' in shown
    assert "<title>ada: " in page(Report("ada.ipynb", (right,), seed=7))


def test_the_grader_is_named_by_what_its_files_contain(tmp_path: Path) -> None:
    """In a copy of the package, so that a change of any of them shows."""
    copy = tmp_path / "hpml"
    shutil.copytree(Path(hpml.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))

    def named() -> str:
        code = "import hpml.course.grading.record as r; print(r.GRADER)"
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-P", "-c", code]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path
        )
        return done.stdout

    seen = [named(), named()]
    for changed in ("grading/judge.py", "sandbox/plain.py", "lesson/exercises/same.py"):
        with (copy / "course" / changed).open("a", encoding="utf-8") as file:
            file.write("\n# changed\n")
        seen.append(named())
    assert len(set(seen)) == 4
    assert seen[0] == seen[1]
