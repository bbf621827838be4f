from __future__ import annotations

import math

import numpy
import pytest

from hpml.benchmark.agreement import same_results
from hpml.benchmark.errors import BenchmarkError
from tests.parts import raises


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (numpy.ones((2, 3)), [[1.0, 1.0, 1.0], [1.0, 1.0, 1 + 1e-7]], True),
        ((numpy.ones(2), 3), [[1.0, 1.0], 3], True),
        ([[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [3.0, 5.0]], False),
        ([[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0]], False),
        ([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0], False),
        ([[1.0, 2.0], [3.0, 4.0]], None, False),
        ([math.nan], [1.0], False),
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
        (complex(math.nan, 1), complex(math.nan, 1), True),
        ({"x": 1.0}.values(), [1.0], True),
        (range(3), [0, 1, 2], True),
        ({1: 2.0}, {"1": 2.0}, False),
        ({1: 2.0, "x": 3.0}, {"x": 3.0}, False),
        ({1: 2.0}, {1: 2.1}, False),
        (math.factorial(200), math.factorial(200), True),
        (math.factorial(200), 1.0, False),
        (10**6, 10**6 + 1, False),
        ([1.0, math.nan], [1.0, math.nan], True),
        ([1.0] * 9, [1.0] * 8 + [1.1], False),
    ],
)
def test_values_and_their_arrangement_count(first: object, second: object, same: bool) -> None:
    if same:
        same_results()({"a": first, "b": second})
        return
    with pytest.raises(BenchmarkError) as raised:
        same_results()({"a": first, "b": second})
    assert raised.value.object.startswith("result of contender 'b'")
    assert "'a'" in raised.value.expected


def test_none_against_none_is_nothing_to_compare() -> None:
    with raises(BenchmarkError, object="results of the contenders", received="None"):
        same_results()({"a": None, "b": None})


def test_a_type_that_cannot_be_compared_is_named() -> None:
    with raises(BenchmarkError, object="results of the contenders", received="object"):
        same_results()({"a": [object()], "b": [object()]})
