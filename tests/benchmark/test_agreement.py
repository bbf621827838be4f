from __future__ import annotations

import math

import numpy
import pytest

from hpml.benchmark.agreement import same_results
from hpml.benchmark.errors import BenchmarkError


def test_arrays_and_lists_of_the_same_numbers_agree() -> None:
    same_results()({"a": numpy.ones((2, 3)), "b": [[1.0, 1.0, 1.0], [1.0, 1.0, 1 + 1e-7]]})


def test_nested_tuples_of_arrays_agree() -> None:
    same_results()({"a": (numpy.ones(2), 3), "b": [[1.0, 1.0], 3]})


def test_missing_numbers_agree_with_missing_numbers_only() -> None:
    same_results()({"a": [math.nan], "b": [math.nan]})
    with pytest.raises(BenchmarkError, match=r"expected nan, got 1\.0"):
        same_results()({"a": [math.nan], "b": [1.0]})


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            [[1.0, 2.0], [3.0, 5.0]],
            r"Contender 'b' computes something else than 'a': at \[1\]\[1\]",
        ),
        ([[1.0, 2.0]], "expected 4 numbers, got 2"),
        ([1.0, 2.0, 3.0, 4.0], r"at \[0\]\[0\]"),
        ([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "expected 4 numbers, got 6"),
        (None, "got None at the result"),
    ],
)
def test_what_differs_is_named(other: object, message: str) -> None:
    with pytest.raises(BenchmarkError, match=message):
        same_results()({"a": [[1.0, 2.0], [3.0, 4.0]], "b": other})


def test_the_tolerance_is_the_callers() -> None:
    results = {"a": [1.0], "b": [1.001]}
    same_results(relative=1e-2)(results)
    with pytest.raises(BenchmarkError):
        same_results(relative=1e-4)(results)
