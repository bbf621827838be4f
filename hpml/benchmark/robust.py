"""Statistics that are robust to outliers: quartiles, intervals, tests of dependence."""

from __future__ import annotations

import functools
import itertools
import math
import statistics
from collections.abc import Sequence
from statistics import NormalDist

from hpml.benchmark.errors import BenchmarkError

Quartiles = tuple[float, float, float]
"""The 25th, 50th and 75th percentile, in the unit of the samples."""

MOST_VALUES = 200
"""More values than this are reduced to medians of neighbours: pairs grow quadratically."""


def median(values: Sequence[float]) -> float:
    """Return the 50th percentile."""
    return quartiles(values)[1]


def quartiles(values: Sequence[float]) -> Quartiles:
    """Return the 25th, 50th and 75th percentile by the rule of ``numpy.quantile``.

    Source: type 7 of Hyndman and Fan, The American Statistician 50, 1996.
    """
    if not values:
        raise BenchmarkError(
            object="values of quartiles",
            expected="at least one value",
            received="none",
            remedy="Pass one or more numbers.",
        )
    if len(values) == 1:
        return (values[0],) * 3
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def median_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Return a confidence interval for the median of any distribution.

    The number of samples below the true median is binomial. So the k-th smallest and k-th largest
    enclose it unless fewer than k are on one side; for 95 % no k suffices below 6 samples.

    Source: J.-Y. Le Boudec, "Performance Evaluation of Computer and Communication Systems",
    EPFL Press 2010, theorem 2.1 and appendix A.

    >>> median_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), median_interval([1.0, 2.0, 3.0])
    ((1.0, 6.0), (-inf, inf))
    """
    ordered = sorted(values)
    count = len(ordered)
    # Integers, because 2**count overflows a float at 1,024 samples.
    tail, cut = 0, 0
    while cut < count // 2:
        tail += math.comb(count, cut)
        if tail / 2**count > (1 - confidence) / 2:
            break
        cut += 1
    if cut == 0:
        return -math.inf, math.inf
    return ordered[cut - 1], ordered[count - cut]


def winsorise(values: Sequence[float]) -> list[float]:
    """Return the values, with outliers moved to the fences of a box plot.

    The fences are 1.5 interquartile ranges below the first and above the third quartile. Up to a
    quarter of the values may be outliers without moving the fences far.

    Source: J. W. Tukey, "Exploratory Data Analysis", Addison-Wesley 1977.
    """
    low, _, high = quartiles(values)
    reach = 1.5 * (high - low)
    return [min(max(value, low - reach), high + reach) for value in values]


def pseudomedian(values: Sequence[float]) -> float:
    """Return the Hodges-Lehmann estimate: the median of the means of all pairs.

    >>> pseudomedian([1.0, 2.0, 3.0, 4.0, 100.0])
    3.0
    """
    return median(_pair_means(values))


def signed_rank_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilcoxon's signed-rank interval for the centre of a symmetric distribution.

    The k-th smallest and the k-th largest mean of a pair enclose the centre unless the rank sum on
    one side is below k. With too few values the interval is the smallest and the largest value.

    Source: J. L. Hodges and E. L. Lehmann, "Estimates of location based on rank tests", Annals of
    Mathematical Statistics 34, 1963.

    >>> signed_rank_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    (1.0, 6.0)
    """
    means = _pair_means(values)
    cut = _signed_rank_cut(min(len(values), MOST_VALUES), (1 - confidence) / 2)
    return means[cut], means[-1 - cut]


def batch_means(values: Sequence[float], batches: int) -> list[float]:
    """Return the means of `batches` equally long parts, which are nearly independent.

    Source: A. M. Law, "Simulation Modeling and Analysis", McGraw-Hill, section 9.5.3.

    >>> batch_means([1.0, 3.0, 2.0, 4.0], batches=2)
    [2.0, 3.0]
    """
    count = min(batches, len(values))
    ends = [len(values) * part // count for part in range(count + 1)]
    return [statistics.fmean(values[a:b]) for a, b in itertools.pairwise(ends)]


def prediction_margin(values: Sequence[float], confidence: float) -> float:
    """Return half the width of Student's prediction interval for one further value.

    Source: G. J. Hahn and W. Q. Meeker, "Statistical Intervals", Wiley 1991, section 4.8.

    >>> f"{prediction_margin([1.0, 2.0, 3.0, 4.0, 5.0], 0.95):.2f}"
    '4.81'
    """
    count = len(values)
    point = student_quantile(0.5 + confidence / 2, count - 1)
    return point * statistics.stdev(values) * math.sqrt(1 + 1 / count)


def student_quantile(share: float, freedom: int) -> float:
    """Return a quantile of Student's distribution with `freedom` degrees of freedom, from 0.5 on.

    Source: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4.

    >>> [round(student_quantile(0.975, freedom), 3) for freedom in (1, 4, 30)]
    [12.706, 2.776, 2.042]
    """
    low, high = 0.0, 1.0
    while _student_share(high, freedom) < share and high < 1e9:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _student_share(middle, freedom) < share else (low, middle)
    return high


def _student_share(point: float, freedom: int) -> float:
    """Return the probability below a positive point."""
    angle = math.atan(point / math.sqrt(freedom))
    term = math.cos(angle) if freedom % 2 else 1.0
    total = 0.0 if freedom == 1 else term
    for k in range(3 if freedom % 2 else 2, freedom - 1, 2):
        term *= (k - 1) / k * math.cos(angle) ** 2
        total += term
    inside = math.sin(angle) * total
    if freedom % 2:
        inside = 2 / math.pi * (angle + inside)
    return 0.5 + inside / 2


def von_neumann(values: Sequence[float]) -> float:
    """Return von Neumann's statistic of serial correlation, in standard deviations.

    Source: J. von Neumann, "Distribution of the ratio of the mean square successive difference to
    the variance", Annals of Mathematical Statistics 12, 1941.

    >>> von_neumann([1.0, 1.1, 1.2, 1.3, 2.0, 2.1, 2.2, 2.3]) > 2
    True
    """
    count = len(values)
    middle = sum(values) / count
    spread = sum((value - middle) ** 2 for value in values)
    if count < 3 or spread == 0:
        return 0.0
    steps = sum((b - a) ** 2 for a, b in itertools.pairwise(values))
    return (2 - steps / spread) / math.sqrt(4 * (count - 2) / (count**2 - 1))


def mann_kendall(values: Sequence[float]) -> float:
    """Return the Mann-Kendall statistic of a trend in standard deviations, positive for a rise.

    Source: H. B. Mann, "Nonparametric tests against trend", Econometrica 13, 1945.

    >>> mann_kendall([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]) > 2.6
    True
    """
    count = len(values)
    rises = sum((b > a) - (b < a) for a, b in itertools.combinations(values, 2))
    if rises == 0:
        return 0.0
    spread = math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    # Continuity correction: the sum changes in steps of two.
    return (rises - math.copysign(1, rises)) / spread


def _pair_means(values: Sequence[float]) -> list[float]:
    if len(values) > MOST_VALUES:
        ends = [len(values) * part // MOST_VALUES for part in range(MOST_VALUES + 1)]
        values = [median(values[a:b]) for a, b in itertools.pairwise(ends)]
    return sorted((a + b) / 2 for a, b in itertools.combinations_with_replacement(values, 2))


@functools.lru_cache(maxsize=1024)
def _signed_rank_cut(count: int, risk: float) -> int:
    """Return how many means to leave out at each end, each with at most this risk."""
    if count > 50:
        spread = math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
        return math.floor(count * (count + 1) / 4 + NormalDist().inv_cdf(risk) * spread)
    # How many of the 2**count assignments of signs to the ranks give each sum of positive ranks.
    frequencies = [1]
    for rank in range(1, count + 1):
        shifted = [0] * rank + frequencies
        frequencies = [a + b for a, b in zip(frequencies + [0] * rank, shifted, strict=True)]
    tail, cut = 0, 0
    while tail + frequencies[cut] <= risk * 2**count:
        tail += frequencies[cut]
        cut += 1
    return max(cut - 1, 0)
