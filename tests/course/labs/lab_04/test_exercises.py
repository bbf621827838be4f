from __future__ import annotations

import ast
import inspect

import numba
import numpy as np
import pytest

from hpml.course import check, lab_head
from hpml.course.labs.catalogue import find
from hpml.course.labs.lab_04_extensions_and_numba import references
from hpml.course.lesson.cells import code_cells
from hpml.course.lesson.execute import find_lab
from hpml.course.lesson.exercises.check import run, visible_cases
from hpml.course.lesson.exercises.judging import diagnosed, judge
from hpml.course.lesson.exercises.outcomes import Raised


def test_neither_the_given_function_compiled_nor_a_claim_to_be_compiled_is_work() -> None:
    exercise = find("pairwise_distances", "04")
    cases = visible_cases(exercise)[:1]

    def claims(points: object) -> object:
        return references.plain_distances(points)

    claims.nopython_signatures = [1]  # type: ignore[attr-defined]
    alias = numba.njit(references.plain_distances)
    scope = {"numba": numba, "alias": alias}
    exec("@numba.njit\ndef pairwise_distances(points):\n    return alias(points)", scope)
    for function in (alias, claims, scope["pairwise_distances"]):
        (outcome,) = run(exercise, function, cases)
        assert exercise.judge(cases[0], outcome) is not None


def test_a_wrong_answer_is_recognised_whatever_its_function_is_called() -> None:
    exercise = find("pairwise_distances", "04")
    (case,) = (each for each in visible_cases(exercise) if each.name == "on a line")

    @numba.njit  # type: ignore[untyped-decorator]
    def pairwise_distances(points: np.ndarray) -> np.ndarray:
        return (points - points.T) ** 2

    outcomes = run(exercise, pairwise_distances, [case])
    verdict = diagnosed(judge(exercise, [case], outcomes), exercise, [case], outcomes)
    assert verdict.diagnosis is not None
    assert verdict.diagnosis.key == "squared"


def test_a_check_of_the_given_function_compiled_says_what_grading_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lab_head("04", "The lab itself")
    alias = numba.njit(references.plain_distances)
    monkeypatch.setattr(references, "pairwise_distances", alias, raising=False)
    assert "the given one, compiled" in check(alias).text


def test_the_reference_is_what_the_notebook_gives() -> None:
    cells = code_cells(find_lab("04").read_text("utf-8")).values()
    (source,) = (text for text in cells if text.startswith("def plain_distances"))
    given, mine = (
        next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
        for text in (source, inspect.getsource(references))
    )
    statements = [ast.dump(node) for node in mine.body[1:]]  # the first is its docstring
    assert [ast.dump(node) for node in given.body] == statements


def test_a_product_of_matrices_without_scipy_is_not_the_students_installation() -> None:
    exercise = find("pairwise_distances", "04")
    case = visible_cases(exercise)[0]
    message = "scipy 0.16+ is required for linear algebra"
    wrong = exercise.judge(case, Raised("ImportError", ("ImportError", "Exception"), message))
    other = exercise.judge(case, Raised("ImportError", ("ImportError", "Exception"), "no numpy"))
    assert wrong is not None
    assert other is not None
    assert "SciPy" in wrong.why
    assert "SciPy" not in other.why
