"""A function that is not where grading reads it: the student and the instructor are told where."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hpml.course.grading.record import Report
from hpml.course.grading.tables import look_at
from hpml.course.lesson.cells import text_cell_with
from tests.course.grading.handed_in import DOUBLE, LAB, TOTAL, grade, hand_in, notebook

if TYPE_CHECKING:
    from pathlib import Path


def test_a_function_in_a_text_cell_is_named_by_its_cell(tmp_path: Path) -> None:
    made = json.loads(notebook("x = 1", DOUBLE, TOTAL))
    made["cells"][1]["cell_type"] = "markdown"
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / LAB).write_text(json.dumps(made))
    items = grade(tmp_path / "ada")
    assert items["double"].status == "missing"
    assert "Cell 2 has it" in items["double"].text
    assert items["total"].status == "right"
    assert text_cell_with("def double( no notebook", "def double(") is None


@pytest.mark.parametrize(
    "cell", ["%run helpers.py", "# the cell that defined FACTOR was deleted", "!python helpers.py"]
)
def test_a_name_from_a_deleted_cell_or_another_file_is_listed(cell: str, tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "ada", cell, "def double(n):\n    return FACTOR * n")
    (folder / "helpers.py").write_text("FACTOR = 2")
    item = grade(folder)["double"]
    assert item.score == 0
    (line,) = look_at([Report("ada", (item,), 7)])
    assert "FACTOR" in line
    assert "deleted" in line
