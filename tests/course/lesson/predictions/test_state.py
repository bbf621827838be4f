from __future__ import annotations

import pytest

from hpml.base.errors import describe
from hpml.benchmark import Ratio
from hpml.course.lesson.errors import AnswerError, LabError
from hpml.course.lesson.predictions.state import Entry, factor, lock, restore, right, show, verdict
from tests.parts import raises

CALL = Entry("call", "How long does one call take?", unit="µs")
SIDE = Entry("side", "B is ...", choices=("faster", "slower", "cannot tell"))


@pytest.mark.parametrize(
    ("said", "measured", "words"),
    [
        (3, 0.9, "3.3 times too high"),
        (0.9, 3, "3.3 times too low"),
        (1, 12000, "12,000 times too low"),
        (2.04, 2, "right to within 5 percent"),
        (2, 2, "exactly right"),
        (0, 4, "4 µs too low"),
        (4, 0, "4 µs too high"),
    ],
)
def test_the_distance_is_said_in_words(said: float, measured: float, words: str) -> None:
    assert verdict(show(lock(CALL, said), measured)).endswith(f": {words}.")


def test_the_factor_needs_two_positive_numbers() -> None:
    assert factor(show(lock(CALL, 3), 1.5)) == 2.0
    assert factor(show(lock(CALL, 1.5), 3)) == 2.0
    assert factor(show(lock(CALL, 0), 3)) is None
    assert factor(lock(CALL, 3)) is None
    assert factor(show(lock(SIDE, "faster"), "slower")) is None


@pytest.mark.parametrize("answer", ["slower", " Slower ", "2", 2])
def test_a_choice_is_meant_by_its_text_or_its_number(answer: object) -> None:
    assert lock(SIDE, answer).answer == "slower"


@pytest.mark.parametrize("answer", ["quicker", 0, 4, "", None, True, 2.0])
def test_what_is_no_choice_is_answered_with_the_choices(answer: object) -> None:
    options = ("1: faster", "2: slower")
    with raises(AnswerError, object="answer", expected=options, received=describe(answer)):
        lock(SIDE, answer)


def test_a_choice_has_no_unit() -> None:
    with raises(LabError, object="question 'B is ...'", expected="unit", received="choice"):
        SIDE.measure  # noqa: B018 - the property raises


def test_a_choice_is_right_or_not_this_time() -> None:
    assert verdict(show(lock(SIDE, 2), "slower")).endswith("So: right.")
    assert verdict(show(lock(SIDE, 1), "slower")).endswith("So: not this time.")
    assert verdict(show(SIDE, "slower")) == "No prediction made. The answer: slower."


def test_a_choice_is_shown_by_a_ratio_and_scored_only_if_it_is_narrow() -> None:
    narrow, wide = Ratio(1.5, 1.4, 1.6, "slower"), Ratio(1.5, 0.9, 2.6, "cannot tell")
    assert right(show(lock(SIDE, 2), narrow)) is True
    found = show(lock(SIDE, 3), wide)
    assert (found.measured, right(found)) == ("cannot tell", None)
    assert "Not scored: its 95 % interval spans a factor of 2.9" in verdict(found)


def test_an_earlier_sittings_answer_is_restored_unless_the_question_asks_something_else() -> None:
    kept = {"unit": "µs", "choices": [], "answer": 3.0, "measured": 0.9, "late": False}
    found = restore(CALL, kept)
    assert (found.answer, found.measured, found.late) == (3.0, 0.9, False)
    assert restore(CALL, {**kept, "late": True}).late
    assert restore(CALL, {**kept, "unit": "ms"}) == CALL
    assert restore(SIDE, kept) == SIDE
    assert restore(CALL, {**kept, "answer": "rubbish"}) == CALL
    assert restore(CALL, {}) == CALL
