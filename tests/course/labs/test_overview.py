from __future__ import annotations

import json
from pathlib import Path

import pytest

from hpml import cli
from hpml.base.errors import describe
from hpml.course import course_calibration, ten_questions
from hpml.course.labs.overview import course_table, misses
from hpml.course.labs.questions import questions
from hpml.course.lesson import progress as kept
from hpml.course.lesson.errors import LabError
from tests.parts import raises


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path))
    monkeypatch.delenv("HPML_HEADLESS", raising=False)
    monkeypatch.setattr(kept, "notebook_shell", object)
    return tmp_path


def test_predictions_of_all_labs_are_compared_by_their_factor(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "No prediction" in course_calibration().plain

    def entry(answer: float, measured: float | None, late: bool = False) -> dict[str, object]:
        return {"question": "How long?", "unit": "ms", "answer": answer, "measured": measured,
                "late": late}  # fmt: skip

    labs = {
        "01": {"a": entry(10, 1), "b": entry(1, 4), "open": entry(1, None)},
        "07": {"c": entry(3, 2), "late": entry(9, 1, late=True)},
    }
    text = json.dumps({"version": 1, "labs": labs})
    (results / "predictions.json").write_text(text, encoding="utf-8")
    assert misses() == {"01": [10, 4], "07": [1.5]}
    assert [tuple(row) for row in course_table().rows] == [("01", 2, 0, 7), ("07", 1, 1, 1.5)]
    assert course_calibration().png
    assert cli.main(["progress"]) == 0
    assert "within a factor of 2" in capsys.readouterr().out


def test_answers_before_the_course_stand_beside_those_after_it() -> None:
    right = "".join(each.right for each in questions())
    assert len(ten_questions().rows) == len(questions()) == 10
    ten_questions("a" * 10)
    after = ten_questions(right, after=True)
    assert after.column("lab 00") == tuple("a" * 10)
    assert after.column("now") == after.column("right") == tuple(right)
    assert f"before the course: {right.count('a')} of 10. Now: 10." in str(after.caption)
    for wrong in ("abc", "abcabcabcd", "a" * 11):
        with raises(
            LabError, object="answers of ten_questions", expected="10", received=describe(wrong)
        ):
            ten_questions(wrong)
