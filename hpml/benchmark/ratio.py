"""The ratio of two contenders, and what may be said about it: faster, slower, or "cannot tell".

The k-th samples of both were taken one after the other in round k, under the same conditions, so
that their quotient is free of whatever the machine did over the minutes. What is said rests on
three things that a reader can check by eye in the quotients:

1. The interval. If the rounds are independent, chance gives each quotient's distance from the truth
   either sign. The test of Wilcoxon turns this into an interval around the middle of all pairs of
   quotients, the estimator of Hodges and Lehmann, and needs no other assumption.
2. The thirds. A contender that drifts has a ratio that changes: the interval reaches as far as the
   first, the second and the last third of the run differ, back to where a straight drift began.
3. The neighbours. Where neighbouring rounds are more alike than distant ones, many rounds count as
   few: what wandered so far within the run may have been as far away before, so that the interval
   reaches to both sides by all that the quotients span, single wild ones aside.

What they cannot see: a step of one contender that is no larger than the noise, one that wanders or
warms up within it, states of the machine that outlast the run or differ by more than the thirds
show in a few rounds. There the interval misses more often than it says; repeat what matters.

To the interval comes what no number of rounds averages away, see `RESOLUTION`: two uncertainties of
different origin add as squares. The answer is on which side of 1 the whole interval lies.

Sources: J. L. Hodges and E. L. Lehmann, "Estimates of location based on rank tests", Annals of
Mathematical Statistics 34, 1963; J. von Neumann, "Distribution of the ratio of the mean square
successive difference to the variance", the same 12, 1941. How often the answers are wrong, on
which noise, is simulated by ``hpml bench honesty``.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Literal

from hpml.base.tables import format_multiple
from hpml.benchmark.arguments import real
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.estimate import Estimate
from hpml.benchmark.robust import (
    likeness_of_neighbours,
    pseudomedian,
    quantile,
    signed_rank_interval,
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
"""From so many rounds on the resolution holds; fewer see the machine in one of its states only."""

COARSER = ((15, 5.0), (0, 10.0))
"""From so many rounds on, below `ENOUGH_ROUNDS`, the resolution is so many times as coarse."""

ALIKE = 2.05
"""Neighbours as alike as this, in sigmas, come about by chance in 2 % of independent runs."""

BACK = 0.75
"""A straight drift parts the thirds by 2/3 of its length, and begins 1/2 away from the middle."""


@dataclass(frozen=True)
class Ratio:
    """How long one contender takes as a multiple of another; below 1 is faster.

    It measures the time as it was, with all that the machine added to it. What adds the same time
    to both moves the ratio towards 1; that of the programs alone is nearer to the quotient of the
    two minima.

    Attributes:
        value: the middle of the quotients (its time / the baseline's time in the same round).
        low: lower end of the interval that holds the ratio with at least 95 %.
        high: upper end. With fewer than 6 rounds the interval is 0 to infinity.
        answer: "faster", "slower" or "cannot tell".
        reason: why it cannot tell, as a clause; empty where it can.

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

    @property
    def speed_up(self) -> float:
        """How many times as fast as the baseline: 2.0 is half the time."""
        return 1.0 / self.value

    @property
    def extra(self) -> Estimate:
        """What it takes more than the baseline, as a fraction of the baseline's time."""
        return Estimate(self.value - 1, self.low - 1, self.high - 1)

    def in_words(self, name: str, other: str) -> str:
        """Return a clause on the two contenders that claims no more than the samples support.

        Args:
            name: of the contender, shown in bold.
            other: of the one that it is compared with.

        >>> print(Ratio(1.01, 0.97, 1.04, "cannot tell").in_words("ordered", "lazy"))
        between **ordered** and lazy this measurement **cannot tell**: 0.97 to 1.04 times (95 % \
interval)
        """
        low, value, high = (_times(x) for x in (self.low, self.value, self.high))
        if self.answer != "cannot tell":
            return (
                f"**{name}** takes {value} times as long as {other} (95 % interval {low} to {high})"
            )
        seen = self.reason or f"{low} to {high} times (95 % interval)"
        return f"between **{name}** and {other} this measurement **cannot tell**: {seen}"

    def __str__(self) -> str:
        value, low, high = (format_multiple(x) for x in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}] {self.answer}"


def paired_ratio(
    samples: tuple[float, ...],
    baseline: tuple[float, ...],
    resolution: float = RESOLUTION,
    *,
    together: int = 1,
    shift: float = 0.0,
) -> Ratio:
    """Return the ratio of two contenders, from samples taken in the same rounds.

    Args:
        samples: seconds per call, one entry a round.
        baseline: seconds per call of the baseline in the same rounds.
        resolution: the smallest change that is believed from 25 rounds on, as a fraction.
        together: how many ratios are looked at: all of their intervals hold at once with 95 %
            (Bonferroni), as far as the number of rounds allows.
        shift: a change that is the timing's own and not the program's, as a fraction.

    Raises:
        BenchmarkError: if the two have different numbers of rounds, or none.

    >>> paired_ratio((2.0, 2.2, 1.8, 2.0, 2.1, 1.9), (4.0, 4.4, 3.6, 4.0, 4.2, 3.8)).answer
    'faster'
    >>> print(paired_ratio((2.0, 2.2, 1.8), (4.0, 4.4, 3.6)))
    0.500 [0.000, inf] cannot tell
    """
    if len(samples) != len(baseline) or not samples:
        raise BenchmarkError(
            "paired_ratio expects two equally long sets of samples from the same rounds, got "
            f"{len(samples)} and {len(baseline)}; measure them together with `compare`."
        )
    return _paired_ratio(samples, baseline, resolution, together, shift)


@functools.lru_cache(maxsize=512)
def _paired_ratio(
    samples: tuple[float, ...],
    baseline: tuple[float, ...],
    resolution: float,
    together: int,
    shift: float,
) -> Ratio:
    logs = [math.log(a / b) for a, b in zip(samples, baseline, strict=True)]
    value = pseudomedian(logs)
    if len(logs) < FEWEST_ROUNDS:
        reason = f"{len(logs)} rounds are too few; take {ENOUGH_ROUNDS}"
        return Ratio(_exp(value), 0.0, math.inf, "cannot tell", reason)
    low, high = signed_rank_interval(logs, 1 - 0.05 / together)
    thirds = [pseudomedian(third) for third in _thirds(logs)]
    alike = likeness_of_neighbours(logs) > ALIKE
    reach = _span(logs) if alike else BACK * (max(thirds) - min(thirds))
    least = math.hypot(math.log1p(resolution * coarseness(len(logs))), shift)
    found = _beyond(value, value - low, high - value, least)
    below, above = max(value - low, reach), max(high - value, reach)
    answer = _beyond(value, below, above, least)
    reason = ""
    if answer != found:
        shown = ", ".join(_times(math.exp(third)) for third in thirds)
        reason = (
            f"neighbouring rounds are alike, so that {len(logs)} count as few"
            if alike
            else f"the ratio changed during the run ({shown} in its thirds)"
        ) + "; let the machine settle, or raise warm_up, and repeat"
    low, high = value - math.hypot(below, least), value + math.hypot(above, least)
    return Ratio(_exp(value), _exp(low), _exp(high), answer, reason)


def _span(logs: list[float]) -> float:
    """Return how far the quotients spread, where one in ten may lie far out and count as nearer.

    Those are rounds in which another program ran, no place that the ratio wandered to.
    """
    low, high = quantile(logs, 0.1), quantile(logs, 0.9)
    return min(max(logs), 2 * high - low) - max(min(logs), 2 * low - high)


def _beyond(value: float, below: float, above: float, least: float) -> Answer:
    """Return on which side of 0 the whole interval lies."""
    if value + math.hypot(above, least) < 0:
        return "faster"
    return "slower" if value - math.hypot(below, least) > 0 else "cannot tell"


def check_resolution(resolution: float) -> float:
    """Return a resolution; refuse one that is no fraction."""
    return real("resolution", resolution, "a fraction from 0 to below 1", below=1.0)


def coarseness(rounds: int) -> float:
    """Return how many times as coarse the resolution is after so few rounds.

    >>> coarseness(7), coarseness(15), coarseness(25)
    (10.0, 5.0, 1.0)
    """
    if rounds >= ENOUGH_ROUNDS:
        return 1.0
    return next(factor for least, factor in COARSER if rounds >= least)


def _exp(log: float) -> float:
    """Return the ratio without the last digit, which the logarithm has spoilt."""
    return float(f"{math.exp(log):.15g}")


def _thirds(values: list[float]) -> list[list[float]]:
    ends = [len(values) * part // 3 for part in range(4)]
    return [values[ends[part] : ends[part + 1]] for part in range(3)]


def _times(ratio: float) -> str:
    return f"{ratio:.2f}" if 0.1 <= ratio < 10 else format_multiple(ratio)
