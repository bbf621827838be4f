from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from hpml.course.labs.catalogue import find
from hpml.course.lesson.exercises.check import run


def verdicts(name: str, function: Callable[..., Any]) -> set[str]:
    """Return the reasons for which a function is refused."""
    exercise = find(name, "08")
    cases = exercise.cases(random.Random(0), True)
    found = zip(cases, run(exercise, function, cases), strict=True)
    wrongs = [exercise.judge(case, outcome) for case, outcome in found]
    return {wrong.why.partition(":")[0] for wrong in wrongs if wrong is not None}


@pytest.mark.thorough
def test_a_kernel_that_computes_everything_twice_is_no_fused_one() -> None:
    def twice(x: Any, w: Any, b: Any, out: Any) -> None:
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                totals = 0.0
                for _ in range(2):
                    total = b[j]
                    for k in range(x.shape[1]):
                        total += x[i, k] * w[k, j]
                    totals += total
                out[i, j] = max(totals / 2, 0.0)

    assert verdicts("fused", twice) == {"['needless reads of x, w and b']"}


def test_a_kernel_in_tiles_is_as_right() -> None:
    def tiles(x: Any, w: Any, b: Any, out: Any) -> None:
        for first in range(0, out.shape[1], 4):
            for i in range(out.shape[0]):
                for j in range(first, min(first + 4, out.shape[1])):
                    total = b[j]
                    for k in range(x.shape[1]):
                        total += x[i, k] * w[k, j]
                    out[i, j] = total if total > 0 else 0.0

    assert verdicts("fused", tiles) == set()
