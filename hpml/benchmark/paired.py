"""Measurements of several contenders from the same rounds, and what may be said about them."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Self

from hpml.base.errors import describe
from hpml.benchmark.advising import kinds, some_names, unstable
from hpml.benchmark.arguments import whole
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.estimate import Estimate, estimate
from hpml.benchmark.measurement import Measurement
from hpml.benchmark.ratio import FEWEST_ROUNDS, RESOLUTION, Ratio, check_resolution, paired_ratio
from hpml.benchmark.stability import WIDEST_SPREAD, Advice, undecided

PLACEMENT = 1e-9
"""Seconds by which two copies of one function differ, for as long as a process lives.

Each lies elsewhere in memory. In 60 processes on a shared machine two copies of an empty function
differed by 0.1 ns in the median and by less than 0.7 ns in 95 % (of 25 ns): nothing for a call of a
microsecond, and far above one per cent of an empty one.
"""


@dataclass(frozen=True)
class PairedSamples:
    """Sample k of each contender was taken in round k; see `hpml.benchmark.Comparison`."""

    measurements: tuple[Measurement, ...]
    baseline: str
    asked_rounds: int
    seed: int = 0
    resolution: float = RESOLUTION

    def __post_init__(self) -> None:
        check_resolution(self.resolution)
        whole("asked_rounds", self.asked_rounds, 1)
        whole("seed", self.seed)
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

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __len__(self) -> int:
        return len(self.measurements)

    def ratio(self, name: str, baseline: str | None = None) -> Ratio:
        """Return the time of a contender as a multiple of the baseline's, or of another's.

        The intervals of all contenders against one baseline hold together with 95 %, as far as so
        few rounds allow. That promise is for noise that is new in each round; where rounds hang
        together each ratio by itself is tested for it, and what the test cannot see is said in
        `hpml.benchmark.ratio`.
        """
        one, other = self[name], self[baseline or self.baseline]
        if one is other and self.rounds >= FEWEST_ROUNDS:
            return Ratio(1.0, 1.0, 1.0, "cannot tell", "it is compared with itself")
        # In another process nothing lies where it did, but a longer call hides it as well.
        shift = PLACEMENT / min(each.median * each.items for each in (one, other))
        return paired_ratio(
            one.samples,
            other.samples,
            self.resolution,
            together=max(1, len(self) - 1),
            shift=shift,
        )

    def in_words(self, name: str, baseline: str | None = None) -> str:
        """Return a clause on two contenders that claims no more than the samples support.

        >>> pair = (Measurement("a", (1e-3,) * 25, 9), Measurement("b", (2e-3,) * 25, 9))
        >>> PairedSamples(pair, "a", 25).in_words("b")
        '**b** takes 2.00 times as long as a (95 % interval 1.98 to 2.02)'
        """
        return self.ratio(name, baseline).in_words(name, baseline or self.baseline)

    def difference(self, name: str, baseline: str | None = None) -> Estimate:
        """Return what a contender takes longer than another, in seconds per call.

        >>> pair = (Measurement("a", (1e-3,) * 6, 9), Measurement("b", (3e-3,) * 6, 9))
        >>> extra = PairedSamples(pair, "a", 6).per(10).difference("b")
        >>> print(f"{extra.value:.6f} [{extra.low:.6f}, {extra.high:.6f}]")
        0.000200 [0.000200, 0.000200]
        """
        return self.sum_of({name: 1.0, baseline or self.baseline: -1.0})

    def sum_of(self, terms: Mapping[str, float]) -> Estimate:
        """Return a sum of contenders' times, each with its factor, in seconds per call.

        The sum is made in each round, and its median and interval are those over the rounds: a part
        of the time is what one contender does and another leaves out.
        """
        samples = {name: self[name].samples for name in terms}
        return estimate(
            [
                sum(factor * samples[name][k] for name, factor in terms.items())
                for k in range(self.rounds)
            ]
        )

    def per(self, items: int | Mapping[str, int]) -> Self:
        """Return the same comparison in seconds per item, where each call works on so many.

        >>> pair = (Measurement("a", (1e-3,) * 6, 9), Measurement("b", (3e-3,) * 6, 9))
        >>> PairedSamples(pair, "a", 6).per(1000)["b"].median
        3e-06
        """
        counts = items if isinstance(items, Mapping) else dict.fromkeys(self.names, items)
        missing = [name for name in self.names if name not in counts]
        if missing:
            raise BenchmarkError(
                f"per expects a number of items for each contender, got none for {missing[0]!r}."
            )
        return replace(self, measurements=tuple(m.per(counts[m.name]) for m in self))

    def how_quiet(self) -> str:
        """Say how far the samples spread, and what to expect where that is far.

        The spread is the width of the middle half as a share of the median, of the contender that
        is in the middle: one that was disturbed by chance says nothing about the machine.

        >>> still = Measurement("one", (1.00, 1.01, 1.02, 1.01, 1.00, 1.01), number=1)
        >>> PairedSamples((still,), "one", 6).how_quiet()
        'The middle half of the samples spans 1 % of the median: quiet enough.'
        """
        spread = statistics.median(m.interquartile_range / m.median for m in self)
        seen = f"The middle half of the samples spans {100 * spread:.0f} % of the median"
        if spread <= WIDEST_SPREAD:
            shaky = unstable(kinds(self.advice))
            but = f", if not for {some_names(f'`{name}`' for name in shaky)}" if shaky else ""
            return f"{seen}: quiet enough{but}."
        return (
            f"**This machine is busy.** {seen}. Expect “cannot tell” where a quiet machine would "
            "answer, and pictures with wide bands. Close other programs, put a laptop on mains "
            "power, and take more rounds."
        )

    @property
    def advice(self) -> tuple[tuple[str, Advice], ...]:
        """What is wrong and what to do, each with the name of the contender it is about."""
        found = [(m.name, advice) for m in self for advice in m.verdict()]
        others = (name for name in self.names if name != self.baseline)
        if self.rounds >= FEWEST_ROUNDS:
            found += [
                (name, advice)
                for name in others
                if (advice := undecided(self.ratio(name), self.rounds, self.resolution))
            ]
        return tuple(found)
