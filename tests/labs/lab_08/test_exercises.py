"""What lab 08's exercises hold to be right, and what its grids and traces observe."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from hpml.course.exercises.check import run
from hpml.course.exercises.exercise import Case
from hpml.labs.catalogue import find


def verdicts(name: str, function: Callable[..., Any]) -> set[str]:
    """Return the reasons for which a function is refused."""
    exercise = find(name, "08")
    cases = exercise.cases(random.Random(0), True)
    found = zip(cases, run(exercise, function, cases), strict=True)
    wrongs = [exercise.judge(case, outcome) for case, outcome in found]
    return {wrong.why.partition(":")[0] for wrong in wrongs if wrong is not None}


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


def test_a_trace_is_made_with_the_example_and_tried_on_the_others() -> None:
    exercise = find("make_traceable", "08")
    data = {"test": "x.sum() > 0", "yes": "x * 2", "no": "x - 1", "example": [1.0],
            "inputs": [[1.0], [-2.0]], "trace": True}  # fmt: skip
    case = Case("one", data, "traced")

    def plain(test: Any, yes: Any, no: Any) -> Any:
        return lambda x: yes(x) if test(x) else no(x)

    (traced,) = run(exercise, plain, [case])
    assert traced.value == [[2.0], [-4.0]]  # type: ignore[union-attr]
    (same,) = run(exercise, plain, [Case("two", {**data, "trace": False}, "same")])
    assert same.value == [[2.0], [-3.0]]  # type: ignore[union-attr]
