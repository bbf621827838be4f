"""A failing function is put down to the wrong program that shows the same, and to no other."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from hpml.course.errors import LabError
from hpml.course.exercises.exercise import Case, Exercise
from hpml.course.exercises.judging import diagnosed, judge
from hpml.course.exercises.mistakes import MistakeProcess, mistakes_of
from hpml.course.exercises.outcomes import NoAnswer, Outcome, Raised, Returned
from hpml.course.exercises.same import expect
from hpml.labs.catalogue import find

MISTAKES = {
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
    folder = tmp_path_factory.mktemp("total")
    for key, body in MISTAKES.items():
        program = f'"""It is\n{key}."""\n\n\ndef total(numbers):\n    {body}\n'
        (folder / f"{key}.py").write_text(program, encoding="utf-8")
    return Exercise(
        lab="05",
        number=9,
        name="total",
        parts={"right": 2, "long": 1},
        cases=lambda generator, more: CASES,
        judge=expect(total_of),
        mistakes=folder,
        seconds=0.5,
    )


def named(exercise: Exercise, *outcomes: Outcome | object, cases: tuple[Case, ...] = CASES) -> str:
    came = [one if isinstance(one, Outcome) else Returned(one, {}) for one in outcomes]
    found = diagnosed(judge(exercise, cases, came), exercise, cases, came).diagnosis
    return "" if found is None else found.key


def test_a_mistake_is_a_file_whose_docstring_is_the_diagnosis(exercise: Exercise) -> None:
    known = mistakes_of(exercise)
    assert [mistake.key for mistake in known] == sorted(MISTAKES)
    assert known[0].diagnosis == "It is always_zero."
    assert mistakes_of(replace(exercise, mistakes=None)) == ()


def test_the_one_that_shows_the_same_on_every_failed_case_is_named(exercise: Exercise) -> None:
    assert named(exercise, 0, 0, 0) == "always_zero"
    assert named(exercise, 1, 2, 50) == "counts"
    assert named(exercise, 2, 6, 101) == "too_long"
    key = Raised("TypeError", ("TypeError",), "'int' object is not subscriptable, somehow")
    assert named(exercise, key, key, key) == "fails"


def test_of_two_mistakes_at_once_the_one_in_the_part_of_the_counterexample_is_named(
    exercise: Exercise,
) -> None:
    assert named(exercise, 1, 2, 0) == "counts"
    assert named(exercise, 0, 0, 50) == "always_zero"
    assert named(exercise, 2, 0, 7) == "always_zero"  # the only one of its part


def test_a_mistake_must_explain_every_failed_case_of_the_part(exercise: Exercise) -> None:
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
    known = {mistake.key: mistake for mistake in mistakes_of(exercise)}
    with MistakeProcess() as process:
        run = partial(process.run, exercise)
        assert isinstance(run(known["never_ends"], CASES[0], 0.2), NoAnswer)
        assert run(known["counts"], CASES[1], 30.0) == Returned(2, {})
        assert isinstance(run(known["vanishes"], CASES[0], 30.0), NoAnswer)
        assert run(known["counts"], CASES[0], 30.0) == Returned(1, {})


def test_a_symptom_is_what_an_exercise_says(exercise: Exercise) -> None:
    loose = replace(exercise, symptom=lambda case, outcome: "odd")
    assert named(loose, "anything", 6, 100) == "too_long"  # which goes wrong the least
    broken = replace(exercise, symptom=lambda case, outcome: 1 / 0)
    assert named(broken, 0, 0, 0) == ""


def test_files_of_mistakes_travel_with_the_package() -> None:
    import tomllib

    settings = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    patterns = settings["tool"]["setuptools"]["package-data"]["*"]
    room = Path("hpml/labs/lab_06_forward_order")
    shipped = {path for pattern in patterns for path in room.glob(pattern)}
    assert shipped == set(room.glob("mistakes/**/*.py"))


def test_a_mistake_that_changes_what_the_other_does_not_hold_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text('"""It is 1."""\n\ndef f(n):\n    return 1\n')
    two = tmp_path / "two.py"
    two.write_text('"""It is 2."""\n\nLIKE = "one"\nCHANGES = {"return 1": "return 2"}\n')
    exercise = replace(find("hello"), mistakes=tmp_path)
    assert mistakes_of(exercise)[1].source.endswith("return 2\n")
    assert mistakes_of(exercise)[1].diagnosis == "It is 2."
    two.write_text(two.read_text().replace("return 1", "return 3"))
    with pytest.raises(LabError, match="expected to stand once in one"):
        mistakes_of(exercise)
