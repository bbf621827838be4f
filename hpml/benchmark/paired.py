"""Measurements of several contenders from the same rounds, and which claims they support."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, Self

from hpml.base.errors import describe
from hpml.benchmark.advice import WIDEST_SPREAD, Advice, capital, some_names, unstable
from hpml.benchmark.errors import BenchmarkError, whole_number
from hpml.benchmark.estimate import Estimate, estimate
from hpml.benchmark.measurement import Measurement
from hpml.benchmark.ratio import FEWEST_ROUNDS, RESOLUTION, Ratio, check_resolution, paired_ratio

CLEAR = 0.001
"""The risk of a false answer at each look before the last, see `PairedSamples.clear`."""

FAR = ((15, 1.1), (0, 1.5))
"""From so many rounds on, the least factor at such a look.

It is too far for two states of one machine that outlast the look.
"""

WIDEST = 1.5
"""A ratio whose interval spans more than this factor does not score a guess to within two."""

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
        whole_number("asked_rounds", self.asked_rounds, 1)
        whole_number("seed", self.seed)
        names = self.names
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

    @property
    def clear(self) -> bool:
        """Whether each contender's ratio to the baseline is far from 1 and known closely.

        Far is beyond a factor of 1.1, before 15 rounds of 1.5, at the level 0.001. After 10 rounds
        no signed-rank test has a level below 0.002. So three looks before the last add at most
        0.4 % to the 5 % of false answers at the end. A closely known ratio can score a guess, see
        `WIDEST`.

        Source: J. L. Haybittle, "Repeated assessment of results in clinical trials of cancer
        treatment", British Journal of Radiology 44, 1971; C. Jennison and B. W. Turnbull, "Group
        Sequential Methods with Applications to Clinical Trials", Chapman & Hall 2000, section 2.4.
        """
        for name in self.names:
            if name == self.baseline:
                continue
            strict = self._ratio(name, self.baseline, CLEAR)
            if strict.answer == "cannot tell" or not is_far(strict, self.rounds):
                return False
            usual = self.ratio(name)
            if usual.high > WIDEST * usual.low:
                return False
        return len(self) > 1

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

        The intervals of all contenders against one baseline hold together with 95 % if the rounds
        are independent, as far as so few rounds allow; see `hpml.benchmark.ratio`.
        """
        return self._ratio(name, baseline or self.baseline)

    def _ratio(self, name: str, baseline: str, risk: float = 0.05) -> Ratio:
        one, other = self[name], self[baseline]
        if one is other and self.rounds >= FEWEST_ROUNDS:
            return Ratio(1.0, 1.0, 1.0, "cannot tell", "it is compared with itself")
        shift = PLACEMENT / min(each.median * each.items for each in (one, other))
        found = paired_ratio(
            one.samples,
            other.samples,
            self.resolution,
            risk=risk / max(1, len(self) - 1),
            shift=shift,
        )
        for each in (one, other):
            if advice := each.slow_first_call():
                reason = f"{each.name}: {advice.seen}"
                return replace(found, answer="cannot tell", reason=reason, remedy=advice.remedy)
        return found

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
        is in the middle: a single disturbed contender says nothing about the machine.

        >>> still = Measurement("one", (1.00, 1.01, 1.02, 1.01, 1.00, 1.01), number=1)
        >>> PairedSamples((still,), "one", 6).how_quiet()
        'The middle half of the samples spans 1 % of the median: quiet enough.'
        """
        spread = statistics.median(m.interquartile_range / m.median for m in self)
        seen = f"The middle half of the samples spans {100 * spread:.0f} % of the median"
        if spread <= WIDEST_SPREAD:
            shaky = unstable(self.advice)
            but = f", except for {some_names(f'`{name}`' for name in shaky)}" if shaky else ""
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
        if self.rounds < FEWEST_ROUNDS:
            return tuple(found)
        for name in self.names:
            ratio = self.ratio(name)
            pair = (self[name], self[self.baseline])
            if name == self.baseline or any(each.slow_first_call() for each in pair):
                continue  # a slow first call is said of its contender
            if ratio.reason:
                remedy = f"{capital(ratio.remedy.rstrip('.'))}."
                found.append((name, Advice("wide interval", ratio.reason, remedy)))
            elif ratio.answer == "cannot tell":
                reach = max(ratio.high / ratio.value, ratio.value / ratio.low) - 1
                # Added in quadrature, it is the larger part up to here: more rounds do not help.
                coarse = reach < math.sqrt(2) * self.resolution
                remedy = _COARSE.format(self.resolution) if coarse else _NARROWER
                found.append((name, Advice(ratio.answer, _visible(self.rounds, reach), remedy)))
        return tuple(found)


def is_far(ratio: Ratio, rounds: int) -> bool:
    """Return whether the whole interval of a ratio is far from 1, after so many rounds."""
    factor = next(factor for least, factor in FAR if rounds >= least)
    return ratio.low > factor or ratio.high < 1 / factor


class AnyCase(Protocol):
    """What tables and pictures need to know of a case of a suite, see `hpml.benchmark.Case`."""

    @property
    def parameters(self) -> Mapping[str, str | int | float | bool | None]:
        """What tells this case from the suite's others."""

    @property
    def comparison(self) -> PairedSamples:
        """The measurements."""


_COARSE = "Differences below the resolution, {:.0%}, are not accepted, however many rounds."
_NARROWER = "Four times the rounds halve an interval; a quieter machine narrows it as well."


def _visible(rounds: int, reach: float) -> str:
    least = f"{reach:.0%}" if reach < 1 else f"{math.ceil(reach + 1)} times"
    return f"{rounds} rounds show differences from about {least}"
