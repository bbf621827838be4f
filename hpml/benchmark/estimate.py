"""A measured quantity with its confidence interval, the basis of a claim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from hpml.benchmark.robust import median, median_interval


@dataclass(frozen=True)
class Estimate:
    """A measured quantity and the ends of its 95 % interval.

    Attributes:
        value: the point estimate.
        low: the lower end; minus infinity if there were too few rounds for an interval.
        high: the upper end.
        samples: the quantity in each round; empty if unknown.

    >>> extra = Estimate(2e-3, 1.9e-3, 2.2e-3)
    >>> extra / 1000                                             # for each of 1,000 nodes
    Estimate(value=2e-06, low=1.9e-06, high=2.2e-06)
    >>> extra.against(0), extra.against(2e-3)
    ('above', 'cannot tell')
    """

    value: float
    low: float
    high: float
    samples: tuple[float, ...] = field(default=(), repr=False, compare=False)

    def __truediv__(self, other: float | Estimate) -> Estimate:
        """Divide by a positive number or an estimate.

        Estimates with equally many rounds are divided round by round, so that noise that slows
        both down in a round cancels; take both from the same comparison. Of others the quotient has
        the widest interval that both allow. The interval is infinite if the divisor may be 0.

        >>> one, two = estimate([1.0, 2.0] * 4), estimate([2.0, 4.0] * 4)
        >>> (two / one).low, (two / one).high
        (2.0, 2.0)
        """
        if not isinstance(other, Estimate):
            rounds = tuple(sample / other for sample in self.samples)
            return Estimate(self.value / other, self.low / other, self.high / other, rounds)
        if self.samples and len(self.samples) == len(other.samples):
            return _quotient(self.samples, other.samples)
        if other.low <= 0 <= other.high:
            value = self.value / other.value if other.value else math.nan
            return Estimate(value, -math.inf, math.inf)
        ends = [a / b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Estimate(self.value / other.value, min(ends), max(ends))

    def against(self, limit: float) -> Literal["above", "below", "cannot tell"]:
        """Return on which side of a limit the whole interval is."""
        if self.low > limit:
            return "above"
        return "below" if self.high < limit else "cannot tell"


def estimate(values: Sequence[float]) -> Estimate:
    """Return the median of one value per round, with its interval."""
    return Estimate(median(values), *median_interval(values), tuple(values))


def _quotient(above: Sequence[float], below: Sequence[float]) -> Estimate:
    """Return the quotient of two paired quantities: by it, `above - quotient * below` is around 0.

    The sign test accepts a quotient if not too many of these differences are on one side of 0. If
    each `below` is positive, that is the interval of the median of the quotients.

    Source: E. C. Fieller, "Some problems in interval estimation", Journal of the Royal Statistical
    Society B 16, 1954; with the sign test in place of Student's.
    """
    pairs = list(zip(above, below, strict=True))
    if all(y > 0 for _, y in pairs):
        ratios = [x / y for x, y in pairs]
        return Estimate(median(ratios), *median_interval(ratios))
    ranks = median_interval(list(map(float, range(1, len(pairs) + 1))))
    value = median(above) / median(below) if median(below) else math.nan
    if math.isinf(ranks[1]):
        return Estimate(value, *ranks)
    # Each step is a quotient at which one difference changes its sign: +1 if it becomes negative.
    steps = sorted((x / y, 1 if y > 0 else -1) for x, y in pairs if y != 0)
    negative = sum((y < 0) or (y == 0 and x < 0) for x, y in pairs)  # of a quotient of -infinity
    accepted: list[float] = []
    starts = [-math.inf, *(step for step, _ in steps)]
    ends = [*(step for step, _ in steps), math.inf]
    for start, end, change in zip(starts, ends, [*(c for _, c in steps), 0], strict=True):
        if ranks[0] <= negative <= len(pairs) - ranks[0]:
            accepted += [start, end]
        negative += change
    low, high = min(accepted, default=-math.inf), max(accepted, default=math.inf)
    # The quotient of the medians may be outside, because it ignores which values are of one round.
    return Estimate(min(max(value, low), high), low, high)
