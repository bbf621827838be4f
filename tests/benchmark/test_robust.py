from __future__ import annotations

import math
import random

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.robust import (
    mann_kendall,
    median,
    median_interval,
    quartiles,
    student_quantile,
    von_neumann,
    winsorise,
)
from tests.parts import raises

values = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)


@given(values)
def test_quartiles_are_those_of_numpy(samples: list[float]) -> None:
    expected = [float(numpy.quantile(samples, fraction)) for fraction in (0.25, 0.5, 0.75)]
    assert quartiles(samples) == pytest.approx(expected, rel=1e-9, abs=1e-6)
    assert median(samples) == quartiles(samples)[1]


@given(values)
def test_winsorising_moves_values_to_the_fences_and_no_others(samples: list[float]) -> None:
    low, _, high = quartiles(samples)
    for before, after in zip(samples, winsorise(samples), strict=True):
        assert before == after or after in (low - 1.5 * (high - low), high + 1.5 * (high - low))


@pytest.mark.parametrize(
    ("share", "freedom", "point"),
    [(0.975, 12, 2.179), (0.975, 48, 2.011), (0.99865, 24, 3.345), (0.99865, 59, 3.130)],
)
def test_students_distribution_is_that_of_the_tables(
    share: float, freedom: int, point: float
) -> None:
    assert student_quantile(share, freedom) == pytest.approx(point, rel=2e-3)


# From a table of the binomial distribution, and Le Boudec's table A.1: for 25 samples the interval
# runs from the 8th to the 18th.
@pytest.mark.parametrize(
    ("count", "low", "high"), [(6, 1, 6), (8, 1, 8), (9, 2, 8), (15, 4, 12), (25, 8, 18)]
)
def test_the_interval_of_the_median_has_the_ranks_of_the_books(
    count: int, low: int, high: int
) -> None:
    assert median_interval([float(i) for i in range(1, count + 1)]) == (low, high)


@pytest.mark.parametrize("count", range(6))
def test_too_few_samples_have_no_interval(count: int) -> None:
    assert median_interval([1.0] * count) == (-math.inf, math.inf)


def test_the_interval_holds_the_median_as_often_as_it_says() -> None:
    generator = random.Random(1)
    hits = 0
    for _ in range(2000):
        # Skewed, as times are: the true median of exp(normal) is 1.
        low, high = median_interval([generator.lognormvariate(0, 0.3) for _ in range(15)])
        hits += low <= 1 <= high
    assert 0.94 <= hits / 2000 <= 0.985


def test_the_tests_of_dependence_rarely_find_any_in_independent_values() -> None:
    generator = random.Random(2)
    runs = [[generator.gauss(0, 1) for _ in range(25)] for _ in range(1000)]
    assert sum(abs(mann_kendall(run)) > 2.58 for run in runs) < 20
    assert sum(von_neumann(run) > 1.88 for run in runs) < 45


def test_no_values_have_no_quartiles() -> None:
    with raises(BenchmarkError, object="values of quartiles", received="none"):
        quartiles(())
