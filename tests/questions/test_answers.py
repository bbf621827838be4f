"""Each exam question has a run, a source or a rubric, and each run supports the answer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hpml.course.release.questions import Question, gift, quiz, read_questions
from hpml.course.release.teaching import all_questions
from tests.questions.answers import PYTHON, Check, checks, results_by_python, sources

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = all_questions()
ALL = [(lab, number) for lab in sorted(QUESTIONS) for number in range(1, len(QUESTIONS[lab]) + 1)]


def _runs() -> list[Any]:
    found = []
    for lab in sorted(QUESTIONS):
        for number, name, check in checks(lab):
            marks = getattr(check, "pytestmark", [])
            name = f"{lab}.{name.removeprefix('question_')}"
            found.append(pytest.param(lab, number, check, marks=marks, id=name))
    return found


@pytest.mark.parametrize(("lab", "number", "check"), _runs())
def test_a_run_supports_the_answer(lab: str, number: int, check: Check) -> None:
    question = QUESTIONS[lab][number - 1]
    result, rows = check(), results_by_python(check)
    if rows is not None:
        assert set(rows) >= {"3.11", "3.12", "3.13"}
        if PYTHON not in rows:
            pytest.skip(f"needs a row for Python {PYTHON}, which would be {result}")
        assert result == rows[PYTHON]
        return
    if check.__name__.endswith("_timed") or not (question.choices or question.number):
        assert result is None
    elif question.number:
        value, tolerance = map(float, question.number)
        assert isinstance(result, (int, float))
        assert abs(result - value) <= tolerance + 1e-9
    else:
        assert [text for text, right in question.choices if right] == [result]


@pytest.mark.parametrize(("lab", "number"), ALL)
def test_a_question_has_a_run_or_a_source_or_a_rubric(lab: str, number: int) -> None:
    question = QUESTIONS[lab][number - 1]
    executed = {place for place, _, _ in checks(lab)}
    assert number in executed or sources(lab).get(number) or question.rubric
    if question.choices or question.number:
        assert number in executed, "an answer that a platform grades is executed"
        assert not question.rubric
    else:
        assert 2 <= len(question.rubric) <= 4
        assert question.points == sum(points for points, _ in question.rubric)


@pytest.mark.parametrize("lab", sorted(QUESTIONS))
def test_checks_and_sources_belong_to_a_question(lab: str) -> None:
    numbers = {*sources(lab), *(place for place, _, _ in checks(lab))}
    assert numbers <= set(range(1, len(QUESTIONS[lab]) + 1))


@pytest.mark.parametrize(("lab", "number"), ALL)
def test_a_question_can_be_asked_alone(lab: str, number: int) -> None:
    question = QUESTIONS[lab][number - 1]
    for text in (question.text, question.answer, *(text for text, _ in question.choices)):
        assert not re.search(r"\bquestion \d|\b(?:previous|last|first) question\b", text)


def test_the_guide_says_how_many_answers_were_executed() -> None:
    executed = {(lab, place) for lab in QUESTIONS for place, _, _ in checks(lab)}
    sourced = {(lab, place) for lab in QUESTIONS for place in sources(lab)} - executed
    guide = " ".join((ROOT / "INSTRUCTORS.md").read_text("utf-8").split())
    said = (
        f"Tests execute {len(executed)} of the {len(ALL)} answers, and {len(sourced)} name a source"
    )
    assert said in guide


def test_a_converted_text_question_has_its_points_and_its_rubric() -> None:
    text = "## short answer · outcome 1\n\nWhy?\n\n> So.\n\n+ 2: names a\n+ 1: names b\n"
    (question,) = read_questions(text)
    assert question == Question(
        "short answer", 1, "Why?", (), None, "So.", ((2, "names a"), (1, "names b"))
    )
    assert question.points == 3
    assert "Points: 3" in quiz("00", [question])
    for converted in (quiz("00", [question]), gift("00", [question])):
        assert "2 points" in converted
        assert "names b" in converted
