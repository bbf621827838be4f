"""Every exercise is worth its points: right ones earn all, the stub none, each mistake is known.

The solutions stand in ``tests/solutions/lab_NN/function/``: those whose file begins with ``right``
are right, every other file makes the mistake that it is named for.
"""

from __future__ import annotations

import ast
import json
import random
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hpml.course.exercises.check import run, visible_cases
from hpml.course.exercises.judging import Verdict, judge
from hpml.labs.catalogue import LABS, choice, exercises, find
from hpml.sandbox.forbidden import uses
from hpml.sandbox.harness import harness_source, load_harness
from hpml.sandbox.notebook import Program, parse, read

if TYPE_CHECKING:
    from hpml.course.exercises.exercise import Case, Exercise
    from hpml.course.exercises.outcomes import Outcome

SEEDS = range(10)
ROOT = Path(__file__).parents[2]
SOLUTIONS = ROOT / "tests" / "solutions"
NOTEBOOKS = ROOT / "notebooks"
WITH_NOTEBOOK = [lab for lab in LABS if list(NOTEBOOKS.glob(f"{lab}_*.ipynb"))]
EXERCISES = [exercise for lab in LABS for exercise in exercises(lab)]
FILES = sorted(SOLUTIONS.glob("lab_*/*/*.py"))
RIGHT = [path for path in FILES if path.stem.startswith("right")]
WRONG = [path for path in FILES if path not in RIGHT]


def title(value: object) -> str:
    return "/".join(value.parts[-3:])[:-3] if isinstance(value, Path) else value.name  # type: ignore[attr-defined]


def exercise_of(path: Path) -> Exercise:
    return find(path.parent.name, path.parent.parent.name.removeprefix("lab_"))


@cache
def program_of(path: Path) -> Program:
    return parse({1: path.read_text(encoding="utf-8")})


@cache
def function_of(path: Path) -> Any:
    """Return the function as a grader makes it: from the statements that it needs."""
    program = program_of(path)
    namespace: dict[str, Any] = {"__name__": "submission"}
    name = path.parent.name
    for statement in program.needed(name):
        module = ast.Module([statement.node], [])
        exec(compile(module, str(path), "exec", program.flags, dont_inherit=True), namespace)
    return namespace[name]


def cases_of(exercise: Exercise, seed: int) -> list[Case]:
    return list(exercise.cases(random.Random(seed), True))


def verdict_on(path: Path, seed: int | None) -> Verdict:
    exercise = exercise_of(path)
    cases = visible_cases(exercise) if seed is None else cases_of(exercise, seed)
    return judge(exercise, cases, [outcome_of(path, case) for case in cases])


_known: dict[tuple[Path, str], tuple[object, Outcome]] = {}


def outcome_of(path: Path, case: Case) -> Outcome:
    """Return what comes of a case; those that are the same under every seed are run once."""
    data, outcome = _known.get((path, case.name), (None, None))
    if outcome is None or data != case.data:
        (outcome,) = run(exercise_of(path), function_of(path), [case])
        _known[path, case.name] = (case.data, outcome)
    return outcome


@pytest.mark.parametrize("path", RIGHT, ids=title)
def test_the_right_solution_gets_every_point_in_the_notebook_and_under_ten_seeds(
    path: Path,
) -> None:
    exercise = exercise_of(path)
    limits = exercise.forbids
    slice_ = program_of(path).needed(exercise.name)
    assert uses(slice_, limits.modules, limits.names, limits.calls) == ()
    for seed in (None, *SEEDS):
        verdict = verdict_on(path, seed)
        assert verdict.right, f"seed {seed}: {verdict.text}"
        if seed is not None:
            assert verdict.parts == exercise.parts


@pytest.mark.parametrize("path", WRONG, ids=title)
def test_a_mistake_costs_points_and_is_called_by_its_name(path: Path) -> None:
    exercise = exercise_of(path)
    for seed in (None, *SEEDS):
        verdict = verdict_on(path, seed)
        assert not verdict.right, f"seed {seed}"
        lost = verdict.points < sum(exercise.parts.values())
        assert lost or exercise.points == 0, f"seed {seed}"
        assert verdict.diagnosis is not None, f"seed {seed}: {verdict.text}"
        assert verdict.diagnosis.key == path.stem, f"seed {seed}: {verdict.text}"


@pytest.mark.parametrize("exercise", EXERCISES, ids=title)
def test_every_exercise_has_a_right_solution_and_each_of_its_mistakes(exercise: Exercise) -> None:
    folder = SOLUTIONS / f"lab_{exercise.lab}" / exercise.name
    keys = {path.stem for path in folder.glob("*.py")}
    assert "right" in keys
    wrong = {key for key in keys if not key.startswith("right")}
    assert wrong == {mistake.key for mistake in exercise.misconceptions}
    assert len(wrong) >= 2


@pytest.mark.parametrize("exercise", EXERCISES, ids=title)
def test_the_stub_is_not_done_and_earns_nothing(exercise: Exercise) -> None:
    source = f"def {exercise.signature}:\n    '''To do.'''\n    ...\n"
    program = parse({1: source})
    assert program.broken == ()
    assert program.is_stub(exercise.name)
    verdict = judge(exercise, cases_of(exercise, 0), [], stub=True)
    assert (verdict.not_done, verdict.points) == (True, 0)


@pytest.mark.parametrize("exercise", EXERCISES, ids=title)
def test_a_function_that_returns_nothing_earns_nothing(exercise: Exercise) -> None:
    def nothing(*_: object, **__: object) -> None:
        return None

    for seed in (None, 0):
        cases = visible_cases(exercise) if seed is None else cases_of(exercise, seed)
        assert judge(exercise, cases, run(exercise, nothing, cases)).points == 0


@pytest.mark.parametrize("exercise", EXERCISES, ids=title)
def test_the_same_seed_gives_the_same_cases_and_each_case_decides_a_part(
    exercise: Exercise,
) -> None:
    assert repr(cases_of(exercise, 7)) == repr(cases_of(exercise, 7))
    assert repr(visible_cases(exercise)) == repr(visible_cases(exercise))
    for seed in SEEDS:
        cases = cases_of(exercise, seed)
        assert {case.part for case in cases} == set(exercise.parts)
        assert len({case.name for case in cases}) == len(cases)
    assert {case.part for case in visible_cases(exercise)} <= set(exercise.parts)
    assert len(cases_of(exercise, 0)) > len(visible_cases(exercise))


@pytest.mark.parametrize("exercise", EXERCISES, ids=title)
def test_what_is_declared_fits_together(exercise: Exercise) -> None:
    assert exercise.signature.startswith(f"{exercise.name}(")
    assert exercise.example.startswith(f"{exercise.name}(")
    assert load_harness(harness_source(exercise.arguments, exercise.observe))
    assert exercise.hints
    assert exercise.points >= 0


@pytest.mark.parametrize("lab", LABS)
def test_the_numbers_of_a_lab_count_up_to_its_explanation(lab: str) -> None:
    item = choice(lab)
    numbers = [exercise.number for exercise in exercises(lab)]
    assert [*numbers, item.number] == list(range(1, len(numbers) + 2))
    assert 1 <= item.best <= item.experiments
    assert {exercise.lab for exercise in exercises(lab)} == {item.lab} == {lab}


@pytest.mark.parametrize("lab", WITH_NOTEBOOK)
def test_a_notebook_holds_each_stub_under_its_signature(lab: str) -> None:
    (path,) = NOTEBOOKS.glob(f"{lab}_*.ipynb")
    text = path.read_text(encoding="utf-8")
    program = read(text)
    for exercise in exercises(lab):
        assert program.is_stub(exercise.name), exercise.name
    assert program.literal(choice(lab).name) is None
    assert json.loads(text)


def test_the_names_of_functions_are_used_once() -> None:
    names = [exercise.name for exercise in EXERCISES]
    assert len(set(names)) == len(names)
