from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numba
import numpy as np
import pytest

from hpml.course.labs.catalogue import find
from hpml.course.labs.lab_08_fusion_and_compilers import harness, rungs
from hpml.course.lesson.exercises.check import run
from hpml.course.lesson.exercises.outcomes import Returned
from hpml.course.sandbox.plain import decode, encode


def verdicts(name: str, function: Callable[..., Any]) -> set[str]:
    """Return the reasons for which a function is refused."""
    exercise = find(name, "08")
    cases = exercise.cases(random.Random(0), True)
    found = zip(cases, run(exercise, function, cases), strict=True)
    wrongs = [exercise.judge(case, outcome) for case, outcome in found]
    return {wrong.why.partition(":")[0] for wrong in wrongs if wrong is not None}


@pytest.mark.parametrize("rung", rungs.RUNGS, ids=lambda rung: rung.__name__)
def test_each_rung_is_right_in_the_exercise(rung: Any) -> None:
    assert verdicts("product", rungs.compiled(rung)) == set()


def test_an_index_outside_an_array_is_an_error_and_does_not_end_the_process() -> None:
    @numba.njit
    def far(x: Any, y: Any, out: Any) -> None:
        for i in range(out.shape[0]):
            for j in range(out.shape[1] + 10_000_000):
                out[i, j] = x[i, 0] * y[0, j]

    exercise = find("product", "08")
    cases = exercise.cases(random.Random(0), False)
    outcomes = run(exercise, far, cases)
    assert {type(each).__name__ for each in outcomes} == {"Raised", "Returned"}  # no rows
    assert far.signatures == []


def test_what_is_timed_is_judged_by_some_of_its_rows() -> None:
    exercise = find("product", "08")
    assert exercise.speed is not None
    case = exercise.speed.inputs(random.Random(1))
    case = replace(case, data={**case.data, "shape": (9, 7, 5)})

    def outcome(change: float) -> Returned:
        given = harness.matrices(case.data)
        exercise.speed.reference(*given.values())  # type: ignore[union-attr]
        given["out"][:, 2] += change
        return Returned(decode(encode(harness.written_to_out(None, given))), {})

    assert exercise.judge(case, outcome(0.0)) is None
    assert exercise.judge(case, outcome(1.0)) is not None


def test_the_operator_is_found_in_a_helper_too() -> None:
    @numba.njit
    def helper(x: Any, y: Any) -> Any:
        return x @ y

    def by_helper(x: Any, y: Any, out: Any) -> None:
        out[:] = helper(x, y) * np.float32(100) + np.float32(10)

    assert not harness._multiplies_matrices(rungs.tile)
    assert harness._multiplies_matrices(lambda x, y: x @ y)
    assert harness._multiplies_matrices(by_helper)


def test_a_wrong_matrix_is_told_by_a_number_and_an_index_outside_by_what_is_left_over() -> None:
    @numba.njit
    def negative(x: Any, y: Any, out: Any) -> None:
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] = -1

    @numba.njit
    def pairs(x: Any, y: Any, out: Any) -> None:
        for i in range(0, out.shape[0], 2):
            out[i] = out[i + 1] = 0

    exercise = find("product", "08")
    cases = [each for each in exercise.cases(random.Random(0), False) if each.name == "a row"]
    (wrong,) = map(exercise.judge, cases, run(exercise, negative, cases))
    assert wrong is not None
    assert wrong.expected != wrong.received
    assert "expected" in wrong.why
    (wrong,) = map(exercise.judge, cases, run(exercise, pairs, cases))
    assert wrong is not None
    assert "IndexError" in wrong.received
    assert "no whole tile" in wrong.why
