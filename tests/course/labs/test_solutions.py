"""A right solution earns all points, the stub none, and each known wrong answer is recognised.

Right solutions are files ``tests/solutions/lab_NN/EXERCISE/right*.py``; wrong answers are functions
of ``wrong_answers/EXERCISE.py`` in the lab's folder. Two seeds are tried; ``HPML_LONG=1``: ten.
"""

from __future__ import annotations

import ast
import json
import os
import random
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hpml.course.labs.catalogue import LABS, choice, exercises, find
from hpml.course.lesson.cells import python_cells
from hpml.course.lesson.exercises.check import run, visible_cases
from hpml.course.lesson.exercises.exercise import Case, Exercise
from hpml.course.lesson.exercises.judging import Verdict, diagnosed, judge
from hpml.course.lesson.exercises.outcomes import Outcome
from hpml.course.lesson.exercises.wrong_answers import (
    WrongAnswer,
    WrongAnswerProcess,
    wrong_answers,
)
from hpml.course.sandbox.forbidden import uses
from hpml.course.sandbox.harness import harness_source, load_harness
from hpml.course.sandbox.notebook import Program, parse

pytestmark = pytest.mark.usefixtures("quick_to_collect")

SEEDS = range(10 if os.environ.get("HPML_LONG") else 2)
ROOT = Path(__file__).parents[3]
SOLUTIONS = ROOT / "tests" / "solutions"
NOTEBOOKS = ROOT / "notebooks"
WITH_NOTEBOOK = [lab for lab in LABS if list(NOTEBOOKS.glob(f"{lab}_*.ipynb"))]
EXERCISES = {(each.lab, each.name): each for lab in LABS for each in exercises(lab)}
RIGHT = [
    pytest.param(exercise, path.read_text(encoding="utf-8"), id=f"{name}/{path.stem}")
    for (lab, name), exercise in EXERCISES.items()
    for path in sorted((SOLUTIONS / f"lab_{lab}" / name).glob("right*.py"))
]
WRONG = [
    pytest.param(exercise, wrong, id=f"{name}/{wrong.key}")
    for (_, name), exercise in EXERCISES.items()
    for wrong in wrong_answers(exercise)
]
each_exercise = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda each: each.name)


@cache
def program_of(source: str) -> Program:
    return parse({1: source})


@cache
def function_of(source: str, name: str) -> Any:
    return namespace_of(source)[name]


@cache
def namespace_of(source: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": "submission"}
    exec(compile(source, "<submission>", "exec", dont_inherit=True), namespace)
    return namespace


def cases_of(exercise: Exercise, seed: int | None) -> Sequence[Case]:
    """Return the cases under a seed; those of the notebook under None."""
    if seed is None:
        return visible_cases(exercise)
    return exercise.cases(random.Random(seed), True)


@cache
def kept_cases(name: str, seed: int | None) -> list[Case]:
    """Return the cases of an exercise under a seed: one that is under several is made once."""
    return [_cases.setdefault(repr(case), case) for case in cases_of(find(name), seed)]


_cases: dict[str, Case] = {}


def verdict_on(exercise: Exercise, source: str, seed: int | None, key: str = "") -> Verdict:
    cases = kept_cases(exercise.name, seed)
    outcomes = [outcome_of(exercise, source, case, key) for case in cases]

    def run_here(wrong: WrongAnswer, case: Case, seconds: float) -> Outcome:
        return outcome_of(exercise, wrong.source, case, wrong.key)

    return diagnosed(judge(exercise, cases, outcomes), exercise, cases, outcomes, run_here)


_outcomes: dict[tuple[str, str, int], Outcome] = {}


def outcome_of(exercise: Exercise, source: str, case: Case, key: str = "") -> Outcome:
    """Return the outcome of a case; it runs once, since all wrong answers are compared.

    A case is kept as long as this, so its identity stands for it.
    """
    known = _outcomes.get((source, key, id(case)))
    if known is None:
        (known,) = run(exercise, function_of(source, key or exercise.name), [case])
        _outcomes[source, key, id(case)] = known
    return known


@pytest.mark.parametrize(("exercise", "source"), RIGHT)
def test_the_right_solution_gets_every_point_in_the_notebook_and_under_every_seed(
    exercise: Exercise, source: str
) -> None:
    limits = exercise.forbids
    slice_ = program_of(source).needed(exercise.name)
    assert uses(slice_, limits.modules, limits.names, limits.calls, limits.inside) == ()
    for seed in (None, *SEEDS):
        verdict = verdict_on(exercise, source, seed)
        assert verdict.right, f"seed {seed}: {verdict.text}"
        if seed is not None:
            assert verdict.parts == exercise.parts


class _Renamed(ast.NodeTransformer):
    """Renames the parameters of one function."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self._names = {each.arg for each in function.args.args}

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg += "_" * (node.arg in self._names)
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id += "_" * (node.id in self._names)
        return node


@each_exercise
def test_the_right_solution_is_right_with_other_names_for_its_parameters(
    exercise: Exercise,
) -> None:
    source = next(source for each, source in (p.values for p in RIGHT) if each is exercise)
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == exercise.name:
            _Renamed(node).visit(node)
    verdict = verdict_on(exercise, ast.unparse(tree), None)
    assert verdict.right, verdict.text


@pytest.mark.parametrize(("exercise", "wrong"), WRONG)
def test_a_wrong_answer_costs_points_and_gets_its_diagnosis(
    exercise: Exercise, wrong: WrongAnswer
) -> None:
    assert wrong.diagnosis
    for seed in (None, *SEEDS):
        verdict = verdict_on(exercise, wrong.source, seed, wrong.key)
        assert not verdict.right, f"seed {seed}"
        lost = verdict.points < sum(exercise.parts.values())
        assert lost or exercise.points == 0, f"seed {seed}"
        assert verdict.diagnosis is not None, f"seed {seed}: {verdict.text}"
        # Two wrong answers may share a diagnosis.
        assert verdict.diagnosis.diagnosis == wrong.diagnosis, f"seed {seed}: {verdict.text}"


@pytest.mark.parametrize("lab", LABS)
def test_a_wrong_answer_does_in_its_own_process_what_it_does_here(lab: str) -> None:
    for exercise in exercises(lab):
        wrong, case = wrong_answers(exercise)[0], kept_cases(exercise.name, None)[0]
        with WrongAnswerProcess() as process:
            there = process.run(exercise, wrong, case, 60.0)
        here = outcome_of(exercise, wrong.source, case, wrong.key)
        # Python 3.14 says how much of its stack was used.
        both = [re.sub(r"used \d+ kB", "", repr(each)) for each in (there, here)]
        assert both[0] == both[1]


@each_exercise
def test_every_exercise_has_a_right_solution_and_two_wrong_answers(exercise: Exercise) -> None:
    assert (SOLUTIONS / f"lab_{exercise.lab}" / exercise.name / "right.py").is_file()
    assert len(wrong_answers(exercise)) >= 2


def test_no_solution_and_no_wrong_answer_belongs_to_a_missing_exercise() -> None:
    wrong = (ROOT / "hpml" / "course" / "labs").glob("lab_*/wrong_answers/*.py")
    found = {
        (str(path).rpartition("lab_")[2][:2], path.stem)
        for path in [*SOLUTIONS.glob("lab_*/*"), *wrong]
    }
    assert found == set(EXERCISES)


@each_exercise
def test_a_function_that_returns_nothing_earns_nothing(exercise: Exercise) -> None:
    def nothing(*_: object, **__: object) -> None:
        return None

    for seed in (None, 0):
        cases = cases_of(exercise, seed)
        assert judge(exercise, cases, run(exercise, nothing, cases)).points == 0


@each_exercise
def test_the_same_seed_gives_the_same_cases_and_each_case_decides_a_part(
    exercise: Exercise,
) -> None:
    for seed in (7, None):
        assert repr(cases_of(exercise, seed)) == repr(cases_of(exercise, seed))
    for seed in SEEDS:
        cases = cases_of(exercise, seed)
        assert {case.part for case in cases} == set(exercise.parts)
        assert len({case.name for case in cases}) == len(cases)
    assert {case.part for case in visible_cases(exercise)} <= set(exercise.parts)
    assert len(cases_of(exercise, 0)) > len(visible_cases(exercise))


@each_exercise
def test_no_part_is_decided_by_fixed_cases_alone(exercise: Exercise) -> None:
    tried = [cases_of(exercise, seed) for seed in range(5)]
    for part in exercise.parts:
        data = {repr([case.data for case in cases if case.part == part]) for cases in tried}
        assert len(data) > 1, part


@each_exercise
def test_no_module_is_forbidden_that_the_harness_imports(exercise: Exercise) -> None:
    """Grading hides a forbidden module from the harness too; hpml.course.sandbox stays."""
    parts = harness_source(exercise.arguments, exercise.observe).values()
    top = [node for part in parts for node in ast.parse(part["source"]).body]
    imported = {each.name for node in top if isinstance(node, ast.Import) for each in node.names}
    imported |= {str(node.module) for node in top if isinstance(node, ast.ImportFrom)}
    assert not imported & set(exercise.forbids.modules)


@each_exercise
def test_what_is_declared_fits_together(exercise: Exercise) -> None:
    assert load_harness(harness_source(exercise.arguments, exercise.observe))
    assert exercise.hints
    assert set(exercise.hints) <= set(exercise.worth)
    assert all(len(hints) >= 3 for hints in exercise.hints.values())
    assert exercise.points == (sum(exercise.worth.values()) if exercise.core else 0)
    assert 2 <= exercise.minutes <= 30, "the author's estimate"


@cache
def notebook_of(lab: str) -> tuple[Program, list[dict[str, Any]]]:
    (path,) = NOTEBOOKS.glob(f"{lab}_*.ipynb")
    text = path.read_text(encoding="utf-8")
    return parse(python_cells(text)), json.loads(text)["cells"]


@pytest.mark.parametrize(
    "exercise", [each for each in EXERCISES.values() if each.lab in WITH_NOTEBOOK],
    ids=lambda each: each.name,
)  # fmt: skip
def test_a_notebook_holds_the_stub_with_the_points_and_parameters_that_are_tried(
    exercise: Exercise,
) -> None:
    program, cells = notebook_of(exercise.lab)
    assert program.is_stub(exercise.name)
    cases = cases_of(exercise, 0)
    assert judge(exercise, cases, [], stub=True).points == 0
    # A decorator, as Numba's, needs its import as well.
    nodes = [each.node for each in program.needed(exercise.name)]
    (stub,) = (node for node in nodes if isinstance(node, ast.FunctionDef))
    assert {type(node) for node in nodes} <= {ast.FunctionDef, ast.Import}
    assert ast.get_docstring(stub)
    given = exercise.arguments(cases[0].data)
    assert [argument.arg for argument in stub.args.args] == list(given)
    cell = next(
        c
        for c in cells
        if c["cell_type"] == "code" and f"def {exercise.name}(" in "".join(c["source"])
    )
    assert ("further" in cell["metadata"].get("tags", [])) is not exercise.core
    points, bonus = sum(exercise.worth.values()), "" if exercise.core else "bonus "
    worth = f"{points:g} {bonus}point{'s' * (points != 1)}, "
    stated = f"**Exercise {exercise.lab}.{exercise.number} `{exercise.name}`** ({worth}"
    assert any(stated in "".join(each["source"]) for each in cells), stated


@pytest.mark.parametrize("lab", WITH_NOTEBOOK)
def test_a_notebook_holds_the_choice_of_its_explanation(lab: str) -> None:
    assert notebook_of(lab)[0].literal(choice(lab).name) is None


def test_the_names_of_functions_are_used_once() -> None:
    assert len({name for _, name in EXERCISES}) == len(EXERCISES)
