from __future__ import annotations

import math
import random

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.robust import median_interval, quantile, quartiles, trend

values = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)


@given(values, st.floats(0, 1))
def test_quantiles_are_those_of_numpy(samples: list[float], fraction: float) -> None:
    expected = float(numpy.quantile(samples, fraction))
    assert quantile(samples, fraction) == pytest.approx(expected, rel=1e-9, abs=1e-6)


@given(values)
def test_quartiles_rise(samples: list[float]) -> None:
    low, middle, high = quartiles(samples)
    assert low <= middle <= high


def test_a_quantile_of_nothing_is_an_error() -> None:
    with pytest.raises(BenchmarkError, match="at least one value"):
        quantile([], 0.5)


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


def test_two_thousand_samples_have_an_interval() -> None:
    low, high = median_interval([float(i) for i in range(2000)])
    assert 940 < low < 999 < high < 1060


def test_the_interval_holds_the_median_as_often_as_it_says() -> None:
    generator = random.Random(1)
    hits = 0
    for _ in range(2000):
        # Skewed, as times are: the true median of exp(normal) is 1.
        low, high = median_interval([generator.lognormvariate(0, 0.3) for _ in range(15)])
        hits += low <= 1 <= high
    assert 0.94 <= hits / 2000 <= 0.985


def test_a_trend_has_the_sign_of_its_direction() -> None:
    rising = [1 + 0.01 * i for i in range(20)]
    assert trend(rising) > 2.6
    assert trend(rising[::-1]) == -trend(rising)


def test_shuffled_samples_rarely_show_a_trend() -> None:
    generator = random.Random(2)
    strong = sum(abs(trend([generator.random() for _ in range(25)])) > 2.6 for _ in range(1000))
    assert strong < 25
