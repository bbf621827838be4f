from __future__ import annotations

import math
from typing import Literal

import pytest

from hpml.base.errors import describe
from hpml.benchmark import Estimate, Ratio
from hpml.course.lesson.errors import AnswerError, LabError
from hpml.course.lesson.predictions.state import (
    Entry,
    factor,
    lock,
    restore,
    right,
    show,
    verdict,
    why_not_scored,
)
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


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [(1.4, 1.6, "slower"), (2.44, 10.6, "slower"), (0.05, 0.4, "faster")],
)
def test_a_choice_is_scored_by_the_verdict_however_wide_its_interval_is(
    low: float, high: float, answer: Literal["faster", "slower"]
) -> None:
    ratio = Ratio((low * high) ** 0.5, low, high, answer)
    assert right(show(lock(SIDE, answer), ratio)) is True
    other = "faster" if answer == "slower" else "slower"
    wrong = show(lock(SIDE, other), ratio)
    assert right(wrong) is False
    assert verdict(wrong).endswith("So: not this time.")


@pytest.mark.parametrize("said", ["slower", "faster", "cannot tell"])
def test_cannot_tell_is_scored_only_where_it_is_known_to_be_the_truth(said: str) -> None:
    unclear = Ratio(1.1, 0.9, 1.3, "cannot tell")
    found = show(lock(SIDE, said), unclear)
    assert (found.measured, right(found)) == ("cannot tell", None)
    assert "not this time" not in verdict(found)
    itself = show(lock(SIDE, said), unclear, known=True)
    assert right(itself) is (said == "cannot tell")


TIMES = Entry("times", "How many times as long?", unit="×")


@pytest.mark.parametrize(
    ("said", "low", "high", "shown", "score"),
    [
        (8, 34.0, 51.0, "the result is 41.6×", "too low"),
        (4, 1.7, 2.7, "the result is 1.7 to 2.7×", "too high"),
        (100, 430.0, 1140.0, "the result is 430 to 1,140×", "at least 4.3 times too low"),
        (2, 1.0, 9.0, "the result is 1 to 9×", None),  # inside: too high for one end, low for other
        (2, 1.7, 2.7, "the result is 1.7 to 2.7×", None),  # right for one end only
        (3.5, 2.9, 4.3, "the result is 3.53×", "right to within"),
        (3.0, 2.9, 4.2, "the result is 3.49×", None),
        (3, 0.0, math.inf, "the result is unknown", None),
    ],
)
def test_a_number_is_scored_if_both_ends_of_the_interval_judge_it_equally(
    said: float, low: float, high: float, shown: str, score: str | None
) -> None:
    value = (low * high) ** 0.5 if high < math.inf else 1.0
    found = show(lock(TIMES, said), Ratio(value, low, high, "slower"))
    assert (right(found) is None) is (score is None)
    assert shown in verdict(found)
    assert (score or "Not scored") in verdict(found)
    assert (factor(found) is None) is (score is None)
    assert (why_not_scored(found) == "") is (score is not None)
    kept = {**vars(found), "choices": []}
    assert verdict(restore(TIMES, kept)) == verdict(found)


def test_a_share_in_percent_is_scored_by_its_interval_too() -> None:
    share = Entry("share", "What share?", unit="%")
    found = show(lock(share, 90), Estimate(0.4, 0.35, 0.46))
    assert (found.measured, found.low, found.high) == (40.0, 35.0, 46.0)
    assert right(found) is False


def test_answer_and_result_that_read_the_same_are_exactly_right() -> None:
    size = Entry("size", "How large?", unit="MB")
    assert verdict(show(lock(size, 32), 32.000056)) == (
        "You said 32 MB, the result is 32 MB: exactly right."
    )


def test_an_earlier_sittings_answer_is_restored_unless_the_question_asks_something_else() -> None:
    kept = {"unit": "µs", "choices": [], "answer": 3.0, "measured": 0.9, "late": False}
    found = restore(CALL, kept)
    assert (found.answer, found.measured, found.late) == (3.0, 0.9, False)
    assert restore(CALL, {**kept, "late": True}).late
    assert restore(CALL, {**kept, "unit": "ms"}) == CALL
    assert restore(SIDE, kept) == SIDE
    assert restore(CALL, {**kept, "answer": "rubbish"}) == CALL
    assert restore(CALL, {}) == CALL
