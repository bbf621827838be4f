from __future__ import annotations

from dataclasses import replace

import numpy
import pytest

from hpml.course.lesson.exercises.exercise import Case, Exercise
from hpml.course.lesson.exercises.judging import judge
from hpml.course.lesson.exercises.outcomes import NOT_TRIED, NoAnswer, Outcome, Returned
from hpml.course.lesson.exercises.same import expect
from hpml.course.sandbox.plain import Opaque, decode, encode

CASES = (
    Case("one", {"numbers": [1]}),
    Case("two", {"numbers": [1, 2]}),
    Case("many", {"numbers": [1] * 50}, part="long", call="total([1] * 50)"),
)


def total_of(case: Case) -> object:
    numbers = case.data["numbers"]
    assert isinstance(numbers, list)
    return sum(numbers)


TOTAL = Exercise(
    lab="05",
    number=9,
    name="total",
    parts={"right": 2, "long": 1},
    cases=lambda rng, more: CASES,
    judge=expect(total_of),
)


def returned(*values: object) -> list[Outcome]:
    return [Returned(value, {}) for value in values]


def test_all_right_earns_every_part() -> None:
    verdict = judge(TOTAL, CASES, returned(1, 3, 50))
    assert (verdict.right, verdict.points, verdict.parts) == (True, 3, {"right": 2, "long": 1})
    assert verdict.text == "total: right, all 3 cases pass."
    assert verdict.counterexample is verdict.diagnosis is None


def test_a_part_is_earned_when_all_of_its_cases_pass() -> None:
    verdict = judge(TOTAL, CASES, returned(1, 3, 51))
    assert (verdict.right, verdict.points, verdict.parts) == (False, 2, {"right": 2, "long": 0})
    assert judge(TOTAL, CASES[:2], returned(1, 3)).parts["long"] == 0


def test_numpys_numbers_count_as_pythons_wherever_they_are() -> None:
    numbers = [decode(encode(numpy.int64(value))) for value in (1, 3, 50)]
    judges = TOTAL, replace(TOTAL, judge=expect(lambda case: {"sum": [total_of(case)]}))
    for exercise, values in zip(judges, (numbers, [{"sum": [n]} for n in numbers]), strict=True):
        verdict = judge(exercise, CASES, returned(*values))
        assert verdict.right
        assert verdict.note


def test_a_function_that_returns_nothing_is_told_so_and_is_no_stub() -> None:
    verdict = judge(TOTAL, CASES, returned(None, None, None))
    assert not verdict.not_done
    assert "is a return missing?" in verdict.text


def test_where_none_is_an_answer_no_return_is_missing() -> None:
    many = replace(TOTAL, judge=expect(lambda case: "many" if case.part == "long" else None))
    verdict = judge(many, CASES, returned(None, None, None))
    assert verdict.failures == (2,)
    assert "return missing" not in verdict.text


def test_a_changed_argument_is_wrong_and_named() -> None:
    outcomes = [Returned(1, {"numbers": []}), *returned(3, 50)]
    verdict = judge(TOTAL, CASES, outcomes)
    assert verdict.points == 1
    assert "It changed its argument numbers" in verdict.text
    found = verdict.counterexample
    assert found is not None
    assert (found.expected, found.received) == ("numbers as it was: [1]", "numbers is now []")
    assert judge(replace(TOTAL, keeps_arguments=False), CASES, outcomes).right


def test_a_case_that_ran_is_shown_before_a_shorter_one_that_was_not_tried() -> None:
    slow = NoAnswer("too slow", "It ran 5 s.")
    verdict = judge(TOTAL, CASES, [NOT_TRIED, slow, NOT_TRIED])
    assert "no answer: too slow" in verdict.text
    assert "not tried" not in verdict.text
    assert "It ran 5 s." in verdict.text


@pytest.mark.parametrize("value", [Opaque("x.Evil", "3" * 190), [[]] * 10**5, {1: "a" * 10**6}])
def test_odd_results_are_shown_short(value: object) -> None:
    verdict = judge(TOTAL, CASES, returned(value, value, value))
    assert not verdict.right
    assert len(verdict.text) < 1500


def test_a_judge_that_fails_on_an_odd_result_gives_no_points() -> None:
    def fragile(case: Case, outcome: Outcome) -> None:
        raise TypeError("odd")

    verdict = judge(replace(TOTAL, judge=fragile), CASES, returned(1, 3, 50))
    assert (verdict.points, verdict.failures) == (0, (0, 1, 2))
    assert "Judging it failed" in verdict.text
