from __future__ import annotations

from types import SimpleNamespace

import pytest

from hpml.base.errors import describe
from hpml.course import LabError, Prediction, PredictionLocked, forget, lab_head, predict
from hpml.course.lesson.predictions import prediction
from hpml.course.lesson.predictions.prediction import Lab
from hpml.course.lesson.predictions.store import answers
from tests.parts import raises

QUESTION = "How long does one call take?"


def ask(answer: object = None, **more: object) -> Prediction:
    return predict(QUESTION, unit="µs", key="call", answer=answer, **more)  # type: ignore[arg-type]


def test_nobody_answers_and_nothing_stops(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    guess = ask()
    guess.reveal(0.9)
    shown = capsys.readouterr().out
    assert "No prediction made yet. Call .lock(...) on it with a number in µs." in shown
    assert shown.endswith("No prediction made. The result: 0.9 µs.\n")
    assert (guess.answer, guess.measured) == (None, 0.9)
    assert answers(lab.name) == {}


def test_the_factor_stands_between_what_was_said_and_what_was_measured(
    lab: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    guess = ask(3)
    guess.reveal(SimpleNamespace(median=0.9e-6))
    assert guess.verdict == "You said 3 µs, the result is 0.9 µs: 3.3 times too high."
    assert guess.verdict in capsys.readouterr().out
    page = guess._result()
    assert guess.verdict in page.html


def test_running_the_cell_again_or_in_a_new_kernel_finds_the_locked_answer(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(3).reveal(0.9)
    assert ask().answer == 3.0
    monkeypatch.setattr(prediction, "_open", [])
    lab_head(42, "The same lab in a new kernel")
    again = ask()
    assert (again.answer, again.measured) == (3.0, 0.9)
    again.reveal(1.0)
    assert again.verdict == "You said 3 µs, the result is 1 µs: 3.0 times too high."


def test_another_answer_in_the_cell_is_refused_with_a_note_and_by_lock_with_an_error(
    lab: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(3)
    guess = ask(5)
    assert guess.answer == 3.0
    assert "You locked 3 µs for this question; 5 µs cannot replace it" in capsys.readouterr().out
    name = f"question {describe(QUESTION)}"
    with raises(PredictionLocked, object=name, expected="3 µs", received="5 µs", remedy="forget"):
        guess.lock(5)
    guess.lock("3 us")


@pytest.mark.parametrize("all_cells", [False, True])
def test_what_was_seen_stays_seen_when_the_cell_or_all_cells_run_again(
    lab: Lab, all_cells: bool
) -> None:
    ask().reveal(0.9)
    if all_cells:
        lab_head(42, "A lab for tests")
    guess = ask()
    guess.lock(0.9)
    assert guess.entry.late
    assert answers(lab.name)["call"]["late"] is True


def test_forgetting_opens_the_question_again(lab: Lab) -> None:
    guess = ask(3)
    guess.reveal(0.9)
    guess.forget()
    assert (guess.answer, guess.measured, answers(lab.name)) == (None, None, {})
    guess.lock(4)
    assert (guess.answer, guess.entry.late) == (4.0, False)
    assert forget() == 1
    assert guess.answer is None
    assert forget() == 0


def test_a_key_belongs_to_one_question(lab: Lab) -> None:
    ask(3)
    other = "How long do two calls take?"
    with raises(
        LabError, object="key 'call'", expected=describe(QUESTION), received=describe(other)
    ):
        predict(other, unit="µs", key="call")


@pytest.mark.parametrize(
    ("wrong", "name", "received"),
    [
        ({"unit": None}, "question", "unit=None and choices=[]"),
        ({"choices": "faster"}, "question", "choices=['faster']"),
        ({"key": ""}, "key of a question", "''"),
        ({"key": 3}, "key of a question", "3"),
        ({"unit": ""}, "unit", "''"),
        ({"unit": 3}, "unit", "3"),
        ({"question": ""}, "question", "''"),
        ({"question": 3}, "question", "3"),
        ({"unit": "s", "choices": ("a", "b")}, "question", "unit='s' and choices=['a', 'b']"),
        *(({"unit": None, "choices": c}, "question", f"choices={list(c)}")
          for c in [("a",), ("a", "A"), ("a", 3), ("a", " ")]),
    ],
)  # fmt: skip
def test_a_question_that_cannot_be_asked_says_so(
    lab: Lab, wrong: dict[str, object], name: str, received: str
) -> None:
    good: dict[str, object] = {"question": QUESTION, "unit": "µs", "key": "call"}
    with raises(LabError, object=name, received=received):
        predict(**{**good, **wrong})  # type: ignore[arg-type]


def test_what_a_student_types_cannot_become_html(lab: Lab) -> None:
    guess = predict("Is <b>1 < 2</b>?", choices=["<script>", "no"], key="html", answer=1)
    guess.reveal("no")
    for page in (guess._card(), guess._result()):
        assert "<script>" not in page.html
        assert "<b>1 <" not in page.html


def test_a_wide_measurement_is_shown_and_not_scored(lab: Lab) -> None:
    guess = ask(3)
    guess.reveal(SimpleNamespace(median=3e-6, quartiles=(1e-6, 3e-6, 9e-6), unit="s"))
    assert guess.verdict.startswith(
        "You said 3 µs, the result is 1 to 9 µs. Not scored: the ends of this interval"
    )
