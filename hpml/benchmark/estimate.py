"""A measured quantity with its confidence interval, the basis of a claim."""

from __future__ import annotations

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
        """Divide by a positive number or an estimate, with the widest interval that both allow."""
        if not isinstance(other, Estimate):
            rounds = tuple(sample / other for sample in self.samples)
            return Estimate(self.value / other, self.low / other, self.high / other, rounds)
        if other.low <= 0 <= other.high:
            value = self.value / other.value if other.value else float("nan")
            return Estimate(value, -float("inf"), float("inf"))
        ends = [a / b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Estimate(self.value / other.value, min(ends), max(ends))

    def against(self, limit: float) -> Literal["above", "below", "cannot tell"]:
        """Return on which side of a limit the whole interval is."""
        if self.low > limit:
            return "above"
        return "below" if self.high < limit else "cannot tell"

    def change_to(
        self, after: Estimate, factor: float = 1.5
    ) -> Literal["grows", "shrinks", "stays", "cannot tell"]:
        """Return how a quantity changes from this estimate to another.

        Estimates with equally many rounds are compared round by round, so noise that slows both
        down in a round cancels; others are compared by their intervals. Take both from the same
        comparison: rounds of different comparisons are unrelated.

        Args:
            after: the later estimate.
            factor: the quantity stays if it certainly changes by less than this factor; otherwise
                it grows or shrinks if it certainly differs.

        >>> one = Estimate(1.0, 0.9, 1.1)
        >>> one.change_to(Estimate(1.0, 0.8, 1.2)), one.change_to(Estimate(2.0, 1.8, 2.2))
        ('stays', 'grows')
        >>> one.change_to(Estimate(1.0, 0.5, 3.0)), Estimate(1.0, -0.5, 3.0).change_to(one)
        ('cannot tell', 'cannot tell')
        """
        if self.samples and len(self.samples) == len(after.samples):
            return self._paired(after, factor)
        # Both intervals count: a poorly known quantity cannot be shown to stay.
        if self.high / factor < after.low and after.high < self.low * factor:
            return "stays"
        if after.low > self.high:
            return "grows"
        return "shrinks" if after.high < self.low else "cannot tell"

    def _paired(
        self, after: Estimate, factor: float
    ) -> Literal["grows", "shrinks", "stays", "cannot tell"]:
        pairs = list(zip(self.samples, after.samples, strict=True))

        def beyond(times: float) -> str:
            return estimate([then - times * now for now, then in pairs]).against(0)

        if (beyond(1 / factor), beyond(factor)) == ("above", "below"):
            return "stays"
        side = beyond(1)
        return "grows" if side == "above" else "shrinks" if side == "below" else "cannot tell"


def estimate(values: Sequence[float]) -> Estimate:
    """Return the median of one value per round, with its interval."""
    return Estimate(median(values), *median_interval(values), tuple(values))
