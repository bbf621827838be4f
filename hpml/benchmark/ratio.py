"""The ratio of two contenders and the answer that it supports: faster, slower or "cannot tell".

The k-th samples of both were taken in succession in round k, so slow changes of the machine cancel
in their quotient. The logarithms of the quotients are processed in four steps:

1. Outliers are moved to the fences of a box plot (`robust.winsorise`).
2. The ratio is the Hodges-Lehmann estimate, and its interval that of Wilcoxon's signed-rank test,
   which assumes that the rounds are independent.
3. Two tests detect dependence: von Neumann's detects serial correlation, Mann and Kendall's a
   trend. If either does, the run is divided into eight batches, and the interval is at least as
   wide as Student's 99 % prediction interval for the mean of one more batch.
4. The uncertainty that no number of rounds averages away is added in quadrature (`RESOLUTION`).

The answer is the side of 1 on which the whole interval is.

If each contender ran in several fresh processes, the process is the unit instead (`process_ratio`):
samples of one process share what differs only between processes, so more of them do not count as
more.

The tests cannot detect a step or trend of one contender within the noise, nor states of the machine
that last longer than the run. Then the interval misses the ratio more often than 5 %: repeat
important measurements. ``python -m tests.benchmarks.intervals`` simulates the rate of wrong answers
for several kinds of noise.
"""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hpml.base.tables import readable
from hpml.benchmark import printed
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.robust import (
    batch_means,
    mann_kendall,
    prediction_margin,
    pseudomedian,
    signed_rank_interval,
    student_quantile,
    von_neumann,
    winsorise,
)

Answer = Literal["faster", "slower", "cannot tell"]

RESOLUTION = 0.01
"""Smallest change that counts as real, however often one process shows it.

The addresses of a program alone can change its speed enough to reverse a comparison
(T. Mytkowicz et al., "Producing wrong data without doing anything obviously wrong!", ASPLOS 2009),
and no number of rounds averages that away.
"""

FEWEST_ROUNDS = 6
"""Below this there is no 95 % interval: five tosses of a coin are all equal once in 16 times."""

ENOUGH_ROUNDS = 25
"""From here on the tests for dependence have power, and `RESOLUTION` applies unchanged."""

FEWER_ROUNDS = ((15, 5.0), (0, 10.0))
"""Factors on the resolution below `ENOUGH_ROUNDS`, by the minimum number of rounds.

During so short a run the machine may be in a different state for each contender, and no statistic
of the samples shows it.
"""

SERIAL_CORRELATION = 1.88
"""Limit of von Neumann's statistic in standard deviations: 3 % of independent runs exceed it.

Together with `TREND` false alarms are at most 4 %. They cost power and cause no wrong answer.
"""

TREND = 2.58
"""Limit of Mann and Kendall's statistic in standard deviations: 1 % of independent runs exceed it.
"""

BATCHES = 8
"""Fewer give Student's distribution too few degrees of freedom, more leave noise in the means."""

NOT_NORMAL = 0.6
"""Factor on the risk of Student's interval over processes, whose values are not normal.

At the plain 5 %, five processes with uniform values gave 6.5 % of false answers in ``python -m
tests.benchmarks.processes``; with this factor 4.2 %, and with normal values 2.5 %. Two cases remain
above 5 %, if only one of two contenders varies: five processes that are all in the same of two
states cannot show the other one (6 %), and an exponential spread gives 9 %.
"""

PROCESSES_DIFFER = 3.0
"""Spread between processes, as a multiple of the noise within them, from which to report it.

Without any difference the values of five processes spread more than this in less than 0.1 % of the
comparisons (a chi-square of 4 degrees of freedom above 36).
"""

OUTLIER_SHARE = 0.1
"""Smallest share of outliers to report."""


@dataclass(frozen=True)
class Ratio:
    """How long one contender takes as a multiple of another; below 1 is faster.

    The times include noise of the machine. Noise that adds the same time to both contenders moves
    the ratio towards 1; the quotient of the two minima is closer to the programs alone.

    Attributes:
        value: the centre of the quotients (its time / the baseline's time in the same round).
        low: lower end of the interval that contains the ratio with at least 95 %.
        high: upper end. With fewer than 6 rounds the interval is 0 to infinity.
        answer: "faster", "slower" or "cannot tell".
        reason: the cause of a wide interval, as a clause; empty if none was found.
        remedy: what would help, as a sentence; empty without a reason.

    >>> print(Ratio(0.5, 0.48, 0.52, "faster"))
    0.500 [0.480, 0.520] faster
    >>> Ratio(1.3, 1.25, 1.35, "slower").in_words("lazy", "ordered")
    '**lazy** takes 1.30 times as long as ordered (95 % interval 1.25 to 1.35)'
    """

    value: float
    low: float
    high: float
    answer: Answer
    reason: str = ""
    remedy: str = ""

    @property
    def speed_up(self) -> float:
        """The baseline's time over the contender's: 2.0 is half the time."""
        return 1.0 / self.value

    def digits(self, number: float) -> str:
        """Return a number with as many digits as the ratio's interval supports.

        >>> wide, narrow = Ratio(18215.2, 15e3, 22e3, "slower"), Ratio(1.1, 1.004, 1.3, "slower")
        >>> wide.digits(wide.value), narrow.digits(narrow.low), wide.digits(wide.speed_up)
        ('18,000', '1.004', '0.000055')
        """
        decided = self.answer != "cannot tell"
        return printed.digits(number, self.value, self.low, self.high, decided=decided)

    @property
    def interval(self) -> str:
        """The two ends as text."""
        if math.isinf(self.high):
            return "none: too few rounds"
        return f"{self.digits(self.low)} to {self.digits(self.high)}"

    @property
    def shown(self) -> str:
        """The value as text, or the interval alone if it is too wide.

        >>> Ratio(1.6, 0.7, 5.1, "cannot tell").shown, Ratio(0.5, 0.48, 0.52, "faster").shown
        ('0.70 to 5.1', '0.500')
        """
        if math.isinf(self.high):
            return "unknown"
        decided = self.answer != "cannot tell"
        return printed.value_or_interval(self.value, self.low, self.high, decided=decided)

    @property
    def with_interval(self) -> str:
        """The value with its interval, or the interval alone if it is too wide.

        >>> Ratio(0.5, 0.48, 0.52, "faster").with_interval
        '0.500 (0.480 to 0.520)'
        """
        if math.isinf(self.high) or printed.too_wide(self.low, self.high):
            return self.shown
        return f"{self.shown} ({self.interval})"

    @property
    def inverse(self) -> Ratio:
        """The ratio of the baseline to the contender: how many times as fast it is.

        >>> print(Ratio(0.5, 0.4, 0.625, "faster").inverse)
        [1.6, 2.5] slower
        """
        swapped: dict[Answer, Answer] = {"faster": "slower", "slower": "faster"}
        ends = (1 / self.high if self.high else math.inf, 1 / self.low if self.low else math.inf)
        answer = swapped.get(self.answer, self.answer)
        return Ratio(1 / self.value, *ends, answer, self.reason, self.remedy)

    def in_words(self, name: str, other: str) -> str:
        """Return a clause that compares `name`, in bold, with `other`.

        >>> print(Ratio(1.01, 0.97, 1.04, "cannot tell").in_words("ordered", "lazy"))
        **ordered** is neither clearly faster nor clearly slower than lazy (95 % interval 0.97 to \
1.04)
        """
        if self.answer != "cannot tell":
            if printed.too_wide(self.low, self.high):
                return f"**{name}** takes {self.shown} times as long as {other} (95 % interval)"
            return (
                f"**{name}** takes {self.shown} times as long as {other} "
                f"(95 % interval {self.interval})"
            )
        seen = self.reason or f"95 % interval {self.interval}"
        return f"**{name}** is neither clearly faster nor clearly slower than {other} ({seen})"

    def __str__(self) -> str:
        low, high = map(self.digits, (self.low, self.high))
        value = "" if printed.too_wide(self.low, self.high) else f"{self.shown} "
        return f"{value}[{low}, {high}] {self.answer}"


@functools.lru_cache(maxsize=512)
def paired_ratio(
    samples: tuple[float, ...],
    baseline: tuple[float, ...],
    resolution: float = RESOLUTION,
    *,
    risk: float = 0.05,
    shift: float = 0.0,
) -> Ratio:
    """Return the ratio of two contenders from seconds per call in the same rounds.

    `risk` is the probability that the interval misses the ratio: 0.05 / k for each of k intervals.
    `shift` is a possible bias of the timing itself, as a fraction.
    """
    if len(samples) != len(baseline) or not samples:
        raise BenchmarkError(
            object="samples of paired_ratio",
            expected="two equally long sets from the same rounds",
            received=f"{len(samples)} and {len(baseline)}",
            remedy="Measure them together with `compare`.",
        )
    measured = [math.log(a / b) for a, b in zip(samples, baseline, strict=True)]
    logs = winsorise(measured)
    value, rounds = pseudomedian(logs), len(logs)
    if rounds < FEWEST_ROUNDS:
        reason, remedy = f"{rounds} rounds are too few", f"Take {ENOUGH_ROUNDS}."
        return Ratio(_exp(value), 0.0, math.inf, "cannot tell", reason, remedy)
    low, high = signed_rank_interval(logs, 1 - risk)
    below, above = value - low, high - value
    reason, remedy = _outliers(measured, logs)
    dependence = _dependence(logs)
    if dependence:
        margin = prediction_margin(batch_means(logs, BATCHES), 0.99)
        below, above = max(below, margin), max(above, margin)
        reason, remedy = dependence, "Let the machine settle, or raise warm_up, and repeat."
    least = math.hypot(math.log1p(resolution * coarseness(rounds)), shift)
    low, high = value - math.hypot(below, least), value + math.hypot(above, least)
    answer: Answer = "faster" if high < 0 else "slower" if low > 0 else "cannot tell"
    return Ratio(_exp(value), _exp(low), _exp(high), answer, reason, remedy)


def process_ratio(
    groups: Sequence[tuple[Sequence[float], Sequence[float]]],
    resolution: float = RESOLUTION,
    risk: float = 0.05,
) -> Ratio:
    """Return the ratio of two contenders that were measured in groups of fresh processes.

    Each group has one value, the Hodges-Lehmann estimate of its rounds. The ratio is the mean of
    their logarithms, its interval Student's over the groups. So it covers what varies between the
    processes, and the noise within them as far as the values show it.

    Source: T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013.

    Args:
        groups: for each group the samples of the contender and of the baseline, in rounds.
        resolution: the smallest change that counts as real.
        risk: the largest probability of a false answer.

    >>> groups = [([2.0, 2.1], [1.0, 1.0]), ([1.8, 1.8], [1.0, 1.0]), ([2.1, 2.1], [1.0, 1.1])]
    >>> process_ratio(groups).answer
    'slower'
    """
    quotients = [[math.log(a / b) for a, b in zip(*pair, strict=True)] for pair in groups]
    values = [pseudomedian(winsorise(logs)) for logs in quotients]
    value, count = statistics.fmean(values), len(values)
    spread = statistics.stdev(values)
    margin = student_quantile(1 - NOT_NORMAL * risk / 2, count - 1) * spread / math.sqrt(count)
    rounds = sum(map(len, quotients))
    margin = math.hypot(margin, math.log1p(resolution * coarseness(rounds)))
    low, high = value - margin, value + margin
    answer: Answer = "faster" if high < 0 else "slower" if low > 0 else "cannot tell"
    within = statistics.fmean(_error_of_mean(logs) for logs in quotients)
    reason = remedy = ""
    if spread > PROCESSES_DIFFER * within and max(values) - min(values) > math.log1p(0.05):
        ends = " to ".join(readable(math.exp(pick(values)), 3) for pick in (min, max))
        reason = f"the ratio differs between processes: it is {ends}"
        remedy = "Take more processes: more rounds in each do not narrow the interval."
    return Ratio(_exp(value), _exp(low), _exp(high), answer, reason, remedy)


def _error_of_mean(values: Sequence[float]) -> float:
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def _outliers(measured: list[float], winsorised: list[float]) -> tuple[str, str]:
    """Return a clause on the outliers and a remedy, or empty strings if they are few or small."""
    moved = [a - b for a, b in zip(measured, winsorised, strict=True) if a != b]
    if len(moved) < OUTLIER_SHARE * len(measured) or max(map(abs, moved)) < 0.1:
        return "", ""
    usual = pseudomedian(winsorised)  # once: it takes a while for hundreds of rounds
    farthest = math.exp(max(abs(log - usual) for log in measured))
    return (
        f"in {len(moved)} of {len(measured)} rounds it or the baseline took up to "
        f"{readable(farthest)} times as long as usual",
        "Close other programs.",
    )


def _dependence(logs: list[float]) -> str:
    """Return a clause on the dependence between rounds, or an empty string."""
    if abs(mann_kendall(logs)) > TREND:
        ends = [len(logs) * part // 3 for part in range(4)]
        thirds = [pseudomedian(logs[ends[part] : ends[part + 1]]) for part in range(3)]
        shown = ", ".join(readable(math.exp(third), 3) for third in thirds)
        return f"the ratio changed during the run; it was {shown} in its thirds"
    if von_neumann(logs) > SERIAL_CORRELATION:
        return f"successive rounds are correlated, so the {len(logs)} rounds count as fewer"
    return ""


def coarseness(rounds: int) -> float:
    """Return the factor on the resolution for this number of rounds."""
    if rounds >= ENOUGH_ROUNDS:
        return 1.0
    return next(factor for least, factor in FEWER_ROUNDS if rounds >= least)


def _exp(log: float) -> float:
    """Return exp(log) to 15 digits, because rounding of the logarithm spoils the last one."""
    return float(f"{math.exp(log):.15g}")
