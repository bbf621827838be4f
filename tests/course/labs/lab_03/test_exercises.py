from __future__ import annotations

import random
import tracemalloc
from typing import Any

import numpy as np
import pytest

from hpml.course.labs.catalogue import find
from hpml.course.labs.lab_03_memory.exercises.in_place import ALLOWED
from hpml.course.labs.lab_03_memory.harness import network
from hpml.course.lesson.exercises.check import run, visible_cases
from hpml.course.lesson.exercises.outcomes import Raised, Returned
from hpml.profiling import saved_tensors


@pytest.mark.parametrize("seed", range(3))
def test_the_rules_of_saved_bytes_give_what_autograd_saves(seed: int) -> None:
    for case in find("saved_bytes", "03").cases(random.Random(seed), True):
        given = network(case.data)
        measured = saved_tensors(given["model"], given["x"]).total
        assert find("saved_bytes", "03").judge(case, Returned(measured, {})) is None, case.name


def test_memory_that_is_freed_before_the_return_is_seen_and_counting_ends() -> None:
    exercise = find("normalise_in_place", "03")
    case = exercise.cases(random.Random(0), False)[-1]

    def by_way_of_a_copy(x: Any) -> Any:
        x[:] = (x - x.mean()) / x.std()
        return x

    def in_pieces(x: Any) -> Any:
        x -= x.mean()
        spread = float(np.sqrt(sum(np.dot(p, p) for p in np.split(x, 100)) / len(x)))
        for piece in np.split(x, 100):
            piece /= spread
        return x

    (copied,) = run(exercise, by_way_of_a_copy, [case])
    assert "new memory" in exercise.judge(case, copied).why  # type: ignore[union-attr]
    (pieces,) = run(exercise, in_pieces, [case])
    assert exercise.judge(case, pieces) is None
    assert isinstance(pieces, Returned)
    assert pieces.value["peak"] < ALLOWED  # type: ignore[index]
    assert not tracemalloc.is_tracing()


def test_a_cycle_may_be_a_tuple() -> None:
    exercise = find("find_cycle", "03")
    case = next(each for each in visible_cases(exercise) if each.data["refers"] == [[1], [0]])
    (outcome,) = run(exercise, lambda objects: tuple(objects), [case])
    assert exercise.judge(case, outcome) is None


def test_an_error_of_find_cycle_is_not_called_a_missing_return() -> None:
    exercise = find("find_cycle", "03")
    for case in (visible_cases(exercise)[0], visible_cases(exercise)[-1]):
        error = Raised("RecursionError", ("RecursionError", "Exception"), "too deep")
        wrong = exercise.judge(case, error)
        assert wrong is not None
        assert (wrong.received, wrong.why) == ("raises RecursionError: too deep", "")
