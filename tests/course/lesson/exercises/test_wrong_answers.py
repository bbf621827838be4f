from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from hpml.course.lesson.exercises.exercise import Case, Exercise
from hpml.course.lesson.exercises.judging import diagnosed, judge
from hpml.course.lesson.exercises.outcomes import NoAnswer, Outcome, Raised, Returned
from hpml.course.lesson.exercises.same import expect
from hpml.course.lesson.exercises.wrong_answers import WrongAnswerProcess, wrong_answers

WRONG = {
    "always_zero": "return 0",
    "counts": "return len(numbers)",
    "counts_but_the_empty": "return len(numbers) if numbers else None",
    "fails": "return numbers[-1][0]",
    "never_ends": "while True: pass",
    "too_long": "return sum(numbers) + (len(numbers) > 9)",
    "vanishes": "import os; os._exit(3)",
}


def total_of(case: Case) -> object:
    return sum(case.data["numbers"])  # type: ignore[call-overload]


def case(name: str, *numbers: int, part: str = "right") -> Case:
    return Case(name, {"numbers": [*numbers]}, part)


CASES = (case("one", 2), case("two", 2, 4), case("many", *[2] * 50, part="long"))


@pytest.fixture(scope="module")
def exercise(tmp_path_factory: pytest.TempPathFactory) -> Exercise:
    path = tmp_path_factory.mktemp("total") / "total.py"
    functions = [
        f'def {key}(numbers):\n    """It is\n    {key}."""\n    {body}\n'
        for key, body in WRONG.items()
    ]
    path.write_text("\n".join([*functions, "def _helper(): pass\n"]), encoding="utf-8")
    return Exercise(
        lab="05",
        number=9,
        name="total",
        parts={"right": 2, "long": 1},
        cases=lambda generator, more: CASES,
        judge=expect(total_of),
        wrong_answers=path,
        seconds=0.5,
    )


def named(exercise: Exercise, *outcomes: Outcome | object, cases: tuple[Case, ...] = CASES) -> str:
    came = [one if isinstance(one, Outcome) else Returned(one, {}) for one in outcomes]
    found = diagnosed(judge(exercise, cases, came), exercise, cases, came).diagnosis
    return "" if found is None else found.key


def test_wrong_answers_are_public_functions_and_their_docstrings_diagnoses(
    exercise: Exercise,
) -> None:
    known = wrong_answers(exercise)
    assert [wrong.key for wrong in known] == sorted(WRONG)
    assert known[0].diagnosis == "It is always_zero."
    assert wrong_answers(replace(exercise, wrong_answers=None)) == ()


def test_the_one_that_shows_the_same_on_every_failed_case_is_named(exercise: Exercise) -> None:
    assert named(exercise, 0, 0, 0) == "always_zero"
    assert named(exercise, 1, 2, 50) == "counts"
    assert named(exercise, 2, 6, 101) == "too_long"
    key = Raised("TypeError", ("TypeError",), "'int' object is not subscriptable, somehow")
    assert named(exercise, key, key, key) == "fails"


def test_of_two_wrong_answers_at_once_the_one_in_the_part_of_the_counterexample_is_named(
    exercise: Exercise,
) -> None:
    assert named(exercise, 1, 2, 0) == "counts"
    assert named(exercise, 0, 0, 50) == "always_zero"
    assert named(exercise, 2, 0, 7) == ""  # always_zero fails a case that passed


def test_a_wrong_answer_must_explain_every_failed_case_of_the_part(exercise: Exercise) -> None:
    assert named(exercise, 1, 5, 50) == ""
    assert named(exercise, 1, 0, 50) == ""
    assert named(exercise, 2, 6, 49) == ""
    assert named(exercise, "1", "2", 50) == ""


def test_of_two_that_fit_the_one_that_passes_the_other_cases_is_named(exercise: Exercise) -> None:
    cases = (case("none"), *CASES[:2])
    assert named(exercise, 0, 1, 2, cases=cases) == "counts"
    assert named(exercise, None, 1, 2, cases=cases) == "counts_but_the_empty"


def test_what_never_ends_or_takes_its_process_along_is_known_by_that(exercise: Exercise) -> None:
    slow, ended = NoAnswer("too slow", "It ran."), NoAnswer("ended", "It went.")
    assert named(exercise, slow, slow, slow) == "never_ends"
    assert named(exercise, ended, ended, ended) == "vanishes"


def test_a_right_outcome_is_not_looked_for(exercise: Exercise) -> None:
    def never(*_: object) -> Outcome:
        raise AssertionError

    came = [Returned(value, {}) for value in (2, 6, 100)]
    assert diagnosed(judge(exercise, CASES, came), exercise, CASES, came, never).right


def test_the_process_goes_on_after_one_that_never_ends(exercise: Exercise) -> None:
    known = {wrong.key: wrong for wrong in wrong_answers(exercise)}
    with WrongAnswerProcess() as process:
        run = partial(process.run, exercise)
        assert isinstance(run(known["never_ends"], CASES[0], 0.2), NoAnswer)
        assert run(known["counts"], CASES[1], 30.0) == Returned(2, {})
        assert isinstance(run(known["vanishes"], CASES[0], 30.0), NoAnswer)
        assert run(known["counts"], CASES[0], 30.0) == Returned(1, {})


def test_a_symptom_is_what_an_exercise_says(exercise: Exercise) -> None:
    loose = replace(exercise, symptom=lambda case, outcome: "odd")
    assert named(loose, "anything", "odd", 7) == "always_zero"
    broken = replace(exercise, symptom=lambda case, outcome: 1 / 0)
    assert named(broken, 0, 0, 0) == ""
