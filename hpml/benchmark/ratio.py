"""The ratio of two contenders, and which claim it supports: faster, slower, or "cannot tell".

The k-th samples of both were taken one after the other in round k, under the same conditions, so
that their quotient is free of whatever the machine did over the minutes. From the logarithms of the
quotients:

1. Rounds far outside the others are moved to the fences of a box plot (`robust.winsorise`).
2. The ratio is the Hodges-Lehmann estimate. Its interval is the one of Wilcoxon's signed-rank test,
   which assumes that the rounds are independent.
3. Two tests look for dependence: von Neumann's for neighbours that resemble each other, Mann and
   Kendall's for a trend. If either finds it, the run is divided into eight stretches, and the
   interval is as wide as Student's prediction interval for the mean of one more stretch, at 99 %.
4. What no number of rounds averages away is added, see `RESOLUTION`: two uncertainties of different
   origin add as squares.

The answer is on which side of 1 the whole interval lies.

What the tests cannot see: a step or a trend of one contender that is no larger than the noise, and
states of the machine that outlast the run. There the interval misses more often than it says;
repeat what matters. ``python -m tests.benchmarks.intervals`` simulates how often the answers are
wrong, on which noise.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Literal

from hpml.benchmark.errors import BenchmarkError, real
from hpml.benchmark.robust import (
    batch_means,
    mann_kendall,
    prediction_margin,
    pseudomedian,
    signed_rank_interval,
    von_neumann,
    winsorise,
)

Answer = Literal["faster", "slower", "cannot tell"]

RESOLUTION = 0.01
"""Changes below one per cent are not believed, however often they are seen in one process.

Where a program happens to lie in memory alone moves its speed, enough to turn comparisons around
(T. Mytkowicz et al., "Producing wrong data without doing anything obviously wrong!", ASPLOS 2009),
and no number of rounds averages that away.
"""

FEWEST_ROUNDS = 6
"""Below this there is no 95 % interval: five tosses of a coin fall alike once in sixteen times."""

ENOUGH_ROUNDS = 25
"""From so many rounds on the tests for dependence have power, and the resolution holds."""

FEWER_ROUNDS = ((15, 5.0), (0, 10.0))
"""From so many rounds on, below `ENOUGH_ROUNDS`, the resolution is so many times as coarse.

Two contenders may be in two states of the machine for all of so short a run, and no statistic of
their samples shows it.
"""

NEIGHBOURS_ALIKE = 1.88
"""Standard deviations; independent rounds reach so much of von Neumann's statistic in 3 % of runs.

With `TREND` a false alarm in at most 4 %. It costs power only, never a false answer.
"""

TREND = 2.58
"""Standard deviations; independent rounds reach so much of Mann and Kendall's in 1 % of runs."""

STRETCHES = 8
"""So many stretches of a run tell how far the next may be from them.

Fewer give Student's distribution too few degrees of freedom, more leave noise in the means.
"""

WILD_SHARE = 0.1
"""From this share of wild rounds on they are mentioned."""


@dataclass(frozen=True)
class Ratio:
    """How long one contender takes as a multiple of another; below 1 is faster.

    It measures the time as it was, with all that the machine added to it. What adds the same time
    to both moves the ratio towards 1; that of the programs alone is nearer to the quotient of the
    two minima.

    Attributes:
        value: the centre of the quotients (its time / the baseline's time in the same round).
        low: lower end of the interval that holds the ratio with at least 95 %.
        high: upper end. With fewer than 6 rounds the interval is 0 to infinity.
        answer: "faster", "slower" or "cannot tell".
        reason: what was seen that made the interval wide, as a clause; empty if nothing was.
        remedy: what would help, as a clause; empty where there is no reason.

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
        """How many times as fast as the baseline: 2.0 is half the time."""
        return 1.0 / self.value

    def digits(self, number: float) -> str:
        """Return a number of the ratio's relative precision, in the digits that it supports.

        >>> wide, narrow = Ratio(18215.2, 15e3, 22e3, "slower"), Ratio(1.014, 1.0, 1.03, "slower")
        >>> wide.digits(wide.value), narrow.digits(narrow.value), wide.digits(wide.speed_up)
        ('18,000', '1.01', '0.000055')
        """
        if number == 0 or not math.isfinite(number):
            return f"{number:g}"
        wide = math.log(self.high / self.low) / 2 if self.low > 0 else math.inf
        significant = 2 if wide >= 0.1 else 3
        # At one width all have the decimals of the value, so that columns can be compared.
        scale = self.value if wide < 1 and 0.1 < number / self.value < 10 else number
        decimals = significant - 1 - math.floor(math.log10(scale))
        return f"{round(number, decimals):,.{max(decimals, 0)}f}"

    @property
    def interval(self) -> str:
        """The two ends as a text."""
        if math.isinf(self.high):
            return "none: too few rounds"
        return f"{self.digits(self.low)} to {self.digits(self.high)}"

    def in_words(self, name: str, other: str) -> str:
        """Return a clause on the two contenders that claims no more than the samples support.

        Args:
            name: of the contender, shown in bold.
            other: of the one that it is compared with.

        >>> print(Ratio(1.01, 0.97, 1.04, "cannot tell").in_words("ordered", "lazy"))
        **ordered** is neither clearly faster nor clearly slower than lazy (95 % interval 0.97 to \
1.04)
        """
        if self.answer != "cannot tell":
            return (
                f"**{name}** takes {self.digits(self.value)} times as long as {other} "
                f"(95 % interval {self.interval})"
            )
        seen = self.reason or f"95 % interval {self.interval}"
        return f"**{name}** is neither clearly faster nor clearly slower than {other} ({seen})"

    def __str__(self) -> str:
        value, low, high = map(self.digits, (self.value, self.low, self.high))
        return f"{value} [{low}, {high}] {self.answer}"


@functools.lru_cache(maxsize=512)
def paired_ratio(
    samples: tuple[float, ...],
    baseline: tuple[float, ...],
    resolution: float = RESOLUTION,
    *,
    risk: float = 0.05,
    shift: float = 0.0,
) -> Ratio:
    """Return the ratio of two contenders, from seconds per call in the same rounds.

    Args:
        samples: of the contender.
        baseline: of the one that it is compared with.
        resolution: the smallest change that is believed from 25 rounds on, as a fraction.
        risk: that the interval misses the ratio; of k that are to hold at once, 0.05 / k each.
        shift: a change that is the timing's own and not the program's, as a fraction.

    >>> paired_ratio((2.0, 2.2, 1.8, 2.0, 2.1, 1.9), (4.0, 4.4, 3.6, 4.0, 4.2, 3.8)).answer
    'faster'
    """
    if len(samples) != len(baseline) or not samples:
        raise BenchmarkError(
            "paired_ratio expects two equally long sets of samples from the same rounds, got "
            f"{len(samples)} and {len(baseline)}; measure them together with `compare`."
        )
    measured = [math.log(a / b) for a, b in zip(samples, baseline, strict=True)]
    logs = winsorise(measured)
    value, rounds = pseudomedian(logs), len(logs)
    if rounds < FEWEST_ROUNDS:
        reason, remedy = f"{rounds} rounds are too few", f"take {ENOUGH_ROUNDS}"
        return Ratio(_exp(value), 0.0, math.inf, "cannot tell", reason, remedy)
    low, high = signed_rank_interval(logs, 1 - risk)
    below, above = value - low, high - value
    reason, remedy = _wild(measured, logs)
    dependent = _dependence(logs)
    if dependent:
        margin = prediction_margin(batch_means(logs, STRETCHES), 0.99)
        below, above = max(below, margin), max(above, margin)
        reason, remedy = dependent, "let the machine settle, or raise warm_up, and repeat"
    least = math.hypot(math.log1p(resolution * coarseness(rounds)), shift)
    low, high = value - math.hypot(below, least), value + math.hypot(above, least)
    answer: Answer = "faster" if high < 0 else "slower" if low > 0 else "cannot tell"
    return Ratio(_exp(value), _exp(low), _exp(high), answer, reason, remedy)


def _wild(measured: list[float], winsorised: list[float]) -> tuple[str, str]:
    """Return what to say of rounds far outside the others, and what would help."""
    moved = [a - b for a, b in zip(measured, winsorised, strict=True) if a != b]
    if len(moved) < WILD_SHARE * len(measured) or max(map(abs, moved)) < 0.1:
        return "", ""
    farthest = math.exp(max(abs(log - pseudomedian(winsorised)) for log in measured))
    return (
        f"in {len(moved)} of {len(measured)} rounds one of the two took up to {farthest:.2g} times "
        "as long as usual",
        "close other programs",
    )


def _dependence(logs: list[float]) -> str:
    """Return what shows that the rounds depend on each other, as a clause, or nothing."""
    if abs(mann_kendall(logs)) > TREND:
        ends = [len(logs) * part // 3 for part in range(4)]
        thirds = [pseudomedian(logs[ends[part] : ends[part + 1]]) for part in range(3)]
        shown = ", ".join(f"{math.exp(third):.3g}" for third in thirds)
        return f"the ratio changed during the run ({shown} in its thirds)"
    if von_neumann(logs) > NEIGHBOURS_ALIKE:
        return f"successive rounds are correlated, so the {len(logs)} rounds count as fewer"
    return ""


def check_resolution(resolution: float) -> float:
    """Return a resolution; refuse one that is no fraction."""
    return real("resolution", resolution, "a fraction from 0 to below 1", below=1.0)


def coarseness(rounds: int) -> float:
    """Return how many times as coarse the resolution is after so few rounds."""
    if rounds >= ENOUGH_ROUNDS:
        return 1.0
    return next(factor for least, factor in FEWER_ROUNDS if rounds >= least)


def _exp(log: float) -> float:
    """Return the ratio without the last digit, which rounding of the logarithm has spoilt."""
    return float(f"{math.exp(log):.15g}")
