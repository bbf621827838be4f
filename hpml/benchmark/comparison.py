"""A comparison: several measurements taken in the same rounds, and what may be said about them.

The k-th samples of all contenders were taken one after the other in round k, under the same
conditions. So the quotient of two of them is free of whatever the machine did over the minutes, and
the comparison is made of these quotients: their median, and an interval for that median. A claim is
made only if the whole interval supports it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hpml.base.errors import describe
from hpml.base.tables import format_multiple
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.measurement import Measurement
from hpml.benchmark.robust import median, median_interval
from hpml.benchmark.stability import FEWEST_SAMPLES, Advice

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Answer", "Comparison", "Ratio", "paired_ratio"]

Answer = Literal["faster", "slower", "cannot tell"]

RESOLUTION = 0.01
"""Changes below one per cent are not believed, however often they are seen in one process.

Where a program happens to lie in memory alone moves its speed by about as much (T. Mytkowicz et
al., "Producing wrong data without doing anything obviously wrong!", ASPLOS 2009), and no number of
rounds averages that away.
"""

HOPELESS = 40
"""Needing so many times the rounds that were taken, a difference is not worth looking for."""


@dataclass(frozen=True)
class Ratio:
    """How long one contender takes as a multiple of another; below 1 is faster.

    Attributes:
        value: the median over the rounds of (its time / the baseline's time in the same round).
        low: lower end of the 95 % interval for that median.
        high: upper end. With fewer than 6 rounds the interval is 0 to infinity.
        answer: "faster", "slower" or "cannot tell".

    >>> print(Ratio(0.5, 0.48, 0.52, "faster"))
    0.500 [0.480, 0.520] faster
    """

    value: float
    low: float
    high: float
    answer: Answer

    @property
    def speed_up(self) -> float:
        """How many times as fast as the baseline: 2.0 is half the time."""
        return 1.0 / self.value

    def __str__(self) -> str:
        value, low, high = (format_multiple(x) for x in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}] {self.answer}"


def paired_ratio(
    samples: tuple[float, ...], baseline: tuple[float, ...], resolution: float = RESOLUTION
) -> Ratio:
    """Return the ratio of two contenders, from samples taken in the same rounds.

    Args:
        samples: seconds per call, one entry a round.
        baseline: seconds per call of the baseline in the same rounds.
        resolution: the answer is "cannot tell" unless the whole 95 % interval lies beyond this
            much above or below 1.

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
    quotients = [a / b for a, b in zip(samples, baseline, strict=True)]
    low, high = median_interval(quotients)
    answer: Answer = "cannot tell"
    if high < 1 - resolution:
        answer = "faster"
    elif low > 1 + resolution:
        answer = "slower"
    return Ratio(median(quotients), max(low, 0.0), high, answer)


@dataclass(frozen=True)
class Comparison:
    """Measurements of several contenders from the same interleaved rounds.

    Attributes:
        measurements: one a contender, in the order in which the contenders were given; sample k
            of each was taken in round k.
        baseline: the name of the contender that the others are compared with.
        asked_rounds: how many rounds were asked for; there are fewer if it was stopped.
        seed: of the order within the rounds.
        resolution: the smallest change that is believed, as a fraction.

    >>> old = Measurement("old", (4e-3, 4.1e-3, 3.9e-3, 4e-3, 4.2e-3, 4e-3), number=10)
    >>> new = Measurement("new", (2e-3, 2.1e-3, 1.9e-3, 2e-3, 2.1e-3, 2e-3), number=10)
    >>> comparison = Comparison((old, new), baseline="old", asked_rounds=6)
    >>> comparison["new"].median, comparison.ratio("new").answer
    (0.002, 'faster')
    >>> print(comparison)
    contender   median     25 %     75 %  ratio  95 % interval  answer
    ---------  -------  -------  -------  -----  -------------  --------
    old        4.00 ms  4.00 ms  4.08 ms  1.000  –              baseline
    new        2.00 ms  2.00 ms  2.08 ms  0.500  0.487 – 0.512  faster
    Ratio: time as a multiple of old, median over 6 interleaved rounds.
    """

    measurements: tuple[Measurement, ...]
    baseline: str
    asked_rounds: int
    seed: int = 0
    resolution: float = RESOLUTION

    def __post_init__(self) -> None:
        names = [measurement.name for measurement in self.measurements]
        if self.baseline not in names:
            raise BenchmarkError(
                f"baseline: expected one of {', '.join(names)}, got {describe(self.baseline)}."
            )
        if len(set(names)) != len(names):
            raise BenchmarkError(f"A comparison needs different names, got {describe(names)}.")
        lengths = {len(measurement.samples) for measurement in self.measurements}
        if len(lengths) != 1:
            raise BenchmarkError(
                f"A comparison expects one sample a round for each contender, got {lengths} "
                "samples; only measurements from the same rounds can be compared."
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The contenders' names, in order."""
        return tuple(measurement.name for measurement in self.measurements)

    @property
    def rounds(self) -> int:
        """The number of complete rounds."""
        return len(self.measurements[0].samples)

    @property
    def complete(self) -> bool:
        """Whether as many rounds were taken as were asked for."""
        return self.rounds >= self.asked_rounds

    def __getitem__(self, name: str) -> Measurement:
        for measurement in self.measurements:
            if measurement.name == name:
                return measurement
        raise BenchmarkError(
            f"No contender {describe(name)} in this comparison: expected one of "
            f"{', '.join(self.names)}."
        )

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self.measurements)

    def __len__(self) -> int:
        return len(self.measurements)

    def ratio(self, name: str, baseline: str | None = None) -> Ratio:
        """Return the time of a contender as a multiple of the baseline's, or of another's.

        Raises:
            BenchmarkError: if there is no such contender.
        """
        against = self[baseline or self.baseline]
        return paired_ratio(self[name].samples, against.samples, self.resolution)

    @property
    def advice(self) -> tuple[tuple[str, Advice], ...]:
        """What is wrong and what to do, each with the name of the contender it is about."""
        found = [(m.name, advice) for m in self for advice in m.verdict()]
        others = (name for name in self.names if name != self.baseline)
        found += [(name, advice) for name in others if (advice := self._undecided(name))]
        return tuple(found)

    def _undecided(self, name: str) -> Advice | None:
        """Say what it would take to decide, where the answer is "cannot tell"."""
        ratio = self.ratio(name)
        if ratio.answer != "cannot tell" or self.rounds < FEWEST_SAMPLES:
            return None
        seen = (
            f"the interval {format_multiple(ratio.low)} to {format_multiple(ratio.high)} is not "
            f"clear of 1 by {self.resolution:.0%}"
        )
        half = max(ratio.high - ratio.value, ratio.value - ratio.low)
        visible = f"{self.rounds} rounds show differences from about {half + self.resolution:.0%}"
        beyond = abs(ratio.value - 1) - self.resolution
        # The width of the interval shrinks with the square root of the number of rounds.
        needed = self.rounds * max(1.2, half / beyond) ** 2 if beyond > 0 else math.inf
        if needed > HOPELESS * self.rounds:
            remedy = f"{visible}; treat the two as equal up to that."
        else:
            remedy = f"{visible}; for this one, if it is real, take {float(f'{needed:.1e}'):,.0f}."
        return Advice("cannot tell", seen, remedy)

    def table(self) -> pd.DataFrame:
        """Return one row a contender; see `hpml.benchmark.table.comparison_frame`."""
        from hpml.benchmark.table import comparison_frame

        return comparison_frame(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the comparison; see `hpml.benchmark.plot.plot_comparison`."""
        from hpml.benchmark.plot import plot_comparison

        return plot_comparison(self, ax)

    def __str__(self) -> str:
        from hpml.benchmark.table import comparison_table

        return str(comparison_table(self))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        from hpml.benchmark.table import comparison_table

        return comparison_table(self)._repr_html_()
