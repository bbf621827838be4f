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
        ([[1.0, 2.0]], "at the result expected 2 items, got 1"),
        ([1.0, 2.0], r"at \[0\] expected \[1.0, 2.0\], got 1.0"),
        ([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "expected 2 items, got 3"),
        (None, "at the result expected .*, got None"),
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


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ([[], []], [], False),
        ([[], []], [[]], False),
        ([], [], True),
        ({"a": numpy.ones(2)}, {"a": [1.0, 1.0 + 1e-7]}, True),
        ({"a": numpy.ones(2)}, {"a": [1.0, 1.1]}, False),
        ({"a": 1.0, "b": 2.0}, {"a": 1.0}, False),
        ({"loss": 0.3}, {"loss": 0.1 + 0.2}, True),
        ("text", "text", True),
        (1j, 1j + 1e-9, True),
        (True, "True", False),
    ],
)
def test_arrangement_counts_as_much_as_numbers(first: object, second: object, same: bool) -> None:
    if same:
        same_results()({"a": first, "b": second})
        return
    with pytest.raises(BenchmarkError, match="computes something else"):
        same_results()({"a": first, "b": second})


def test_none_against_none_is_nothing_to_compare() -> None:
    with pytest.raises(BenchmarkError, match="every contender returns None"):
        same_results()({"a": None, "b": None})


def test_a_place_inside_a_dict_is_named() -> None:
    with pytest.raises(BenchmarkError, match=r"at \['loss'\]\[1\] expected 2, got 3"):
        same_results()({"a": {"loss": [1, 2]}, "b": {"loss": [1, 3]}})
