"""Measurements of several contenders from the same rounds, and the claims that they support."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, Self, TypeVar

from hpml.base.errors import describe
from hpml.base.tables import readable
from hpml.benchmark.advice import BUSY_KEY, WIDEST_SPREAD, Advice, is_new
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.estimate import Estimate, estimate
from hpml.benchmark.measurement import Measurement
from hpml.benchmark.printed import WIDEST
from hpml.benchmark.ratio import (
    FEWEST_ROUNDS,
    RESOLUTION,
    Ratio,
    paired_ratio,
    process_ratio,
)
from hpml.benchmark.robust import student_quantile

Size = TypeVar("Size", bound=float)

CLEAR = 0.001
"""The risk of a false answer at each interim analysis, see `PairedSamples.clear`."""

FAR = ((15, 1.1), (0, 1.5))
"""Smallest factor from 1 at which to stop early, by the minimum number of rounds.

Two states of one machine that last longer than the rounds differ by less.
"""

PLACEMENT = 1e-9
"""Seconds by which two copies of one function differ in one process, because of their addresses.

In 60 processes on a shared machine two copies of an empty function (25 ns) differed by 0.1 ns in
the median and by less than 0.7 ns in 95 %: negligible for a call of a microsecond, but far above
one per cent of an empty call.
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
        names = self.names
        if self.baseline not in names or len(set(names)) != len(names):
            raise BenchmarkError(
                object="contenders of a comparison",
                expected="different names, the baseline's among them",
                received=f"{', '.join(names)} and the baseline {describe(self.baseline)}",
                remedy="Give each measurement another name, and name one of them as the baseline.",
            )
        lengths = {len(measurement.samples) for measurement in self.measurements}
        if len(lengths) != 1:
            raise BenchmarkError(
                object="samples of a comparison",
                expected="one sample a round for each contender",
                received=f"{' and '.join(map(str, sorted(lengths)))} samples",
                remedy="Pass measurements from the same rounds, as `compare` takes them.",
            )
        counts = sorted({measurement.processes for measurement in self.measurements})
        if len(counts) != 1:
            raise BenchmarkError(
                object="processes of a comparison",
                expected="the same number for each contender",
                received=", ".join(map(str, counts)),
                remedy="Compare only measurements from the same rounds.",
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
    def processes(self) -> int:
        """The number of fresh processes of each contender; 1 if all ran in the calling process."""
        return self.measurements[0].processes

    @property
    def complete(self) -> bool:
        """Whether all requested rounds were taken."""
        return self.rounds >= self.asked_rounds

    @property
    def clear(self) -> bool:
        """Whether each contender's ratio to the baseline is far from 1 and its interval narrow.

        "Far" is a factor of 1.1 (before 15 rounds 1.5) at the level 0.001. After 10 rounds no
        signed-rank test has a level below 0.002, so three interim analyses add at most 0.4 % to
        the 5 % of false answers. "Narrow" is a factor of at most `WIDEST`.

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
            object="contender of this comparison",
            expected=f"one of {', '.join(self.names)}",
            received=describe(name),
            remedy="Pass one of these names.",
        )

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self.measurements)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __len__(self) -> int:
        return len(self.measurements)

    def ratio(self, name: str, baseline: str | None = None) -> Ratio:
        """Return a contender's time as a multiple of the baseline's or another contender's.

        If the rounds are independent and there are enough of them, the intervals of all contenders
        against one baseline hold together with 95 %; see `hpml.benchmark.ratio`. With several
        processes the interval covers the differences between them.
        """
        return self._ratio(name, baseline or self.baseline)

    def _ratio(self, name: str, baseline: str, risk: float = 0.05) -> Ratio:
        one, other = self[name], self[baseline]
        if one is other and self.rounds >= FEWEST_ROUNDS:
            return Ratio(1.0, 1.0, 1.0, "cannot tell", "it is compared with itself")
        risk /= max(1, len(self) - 1)
        if self.processes > 1:
            groups = list(zip(one.by_process, other.by_process, strict=True))
            ratio = process_ratio(groups, self.resolution, risk)
        else:
            shift = PLACEMENT / min(each.median * each.items for each in (one, other))
            ratio = paired_ratio(
                one.samples, other.samples, self.resolution, risk=risk, shift=shift
            )
        for each in (one, other):
            if advice := each.slow_first_call():
                reason = f"{each.name}: {advice.seen}"
                return replace(ratio, answer="cannot tell", reason=reason, remedy=advice.remedy)
        return ratio

    def in_words(self, name: str, baseline: str | None = None) -> str:
        """Return a clause that compares two contenders, with the interval.

        >>> pair = (Measurement("a", (1e-3,) * 25, 9), Measurement("b", (2e-3,) * 25, 9))
        >>> PairedSamples(pair, "a", 25).in_words("b")
        '**b** takes 2.00 times as long as a (95 % interval 1.98 to 2.02)'
        """
        return self.ratio(name, baseline).in_words(name, baseline or self.baseline)

    def difference(self, name: str, baseline: str | None = None) -> Estimate:
        """Return how much longer a contender takes than another, in seconds per item.

        >>> pair = (Measurement("a", (1e-3,) * 6, 9), Measurement("b", (3e-3,) * 6, 9))
        >>> extra = PairedSamples(pair, "a", 6).per(10).difference("b")
        >>> print(f"{extra.value:.6f} [{extra.low:.6f}, {extra.high:.6f}]")
        0.000200 [0.000200, 0.000200]
        """
        return self.sum_of({name: 1.0, baseline or self.baseline: -1.0})

    def sum_of(self, terms: Mapping[str, float]) -> Estimate:
        """Return the weighted sum of contenders' times, by name, in seconds per item.

        The sum is computed in each round; the estimate is its median over the rounds. With several
        processes it is the mean of their medians, and the interval Student's over the processes.
        """
        samples = {name: self[name].samples for name in terms}
        sums = [
            sum(factor * samples[name][k] for name, factor in terms.items())
            for k in range(self.rounds)
        ]
        if self.processes == 1:
            return estimate(sums)
        size = self.rounds // self.processes
        medians = [statistics.median(sums[k : k + size]) for k in range(0, len(sums), size)]
        value, spread = statistics.fmean(medians), statistics.stdev(medians)
        margin = student_quantile(0.975, len(medians) - 1) * spread / math.sqrt(len(medians))
        return Estimate(value, value - margin, value + margin)

    def per(self, items: int | Mapping[str, int]) -> Self:
        """Return the comparison in seconds per item, for calls that process `items` each.

        >>> pair = (Measurement("a", (1e-3,) * 6, 9), Measurement("b", (3e-3,) * 6, 9))
        >>> PairedSamples(pair, "a", 6).per(1000)["b"].median
        3e-06
        """
        counts = items if isinstance(items, Mapping) else dict.fromkeys(self.names, items)
        return replace(self, measurements=tuple(m.per(counts[m.name]) for m in self))

    def how_quiet(self) -> str:
        """Return a sentence on the noise, with advice if the machine is busy.

        The noise is the interquartile range over the median; its median over the contenders counts,
        so a single disturbed contender does not make the machine busy.

        >>> still = Measurement("one", (1.00, 1.01, 1.02, 1.01, 1.00, 1.01), number=1)
        >>> PairedSamples((still,), "one", 6).how_quiet()
        'Typically the middle half of the samples spans 1 % of the median: quiet enough.'
        """
        spread = statistics.median(m.interquartile_range / m.median for m in self)
        seen = f"Typically the middle half of the samples spans {100 * spread:.0f} % of the median"
        if spread <= WIDEST_SPREAD:
            return f"{seen}: quiet enough."
        if not is_new(BUSY_KEY, self.owner):
            return f"{seen}."
        return (
            f"**This machine is busy.** {seen}. Expect “cannot tell” where a quiet machine would "
            "answer, and pictures with wide bands. Close other programs, put a laptop on mains "
            "power, and take more rounds."
        )

    @property
    def owner(self) -> tuple[tuple[float, ...], ...]:
        """What distinguishes this comparison from others, for advice that is given once."""
        return tuple(each.samples for each in self.measurements)

    @property
    def advice(self) -> tuple[tuple[str, Advice], ...]:
        """The problems and remedies, each with the name of its contender."""
        found = [(m.name, advice) for m in self for advice in m.verdict()]
        if self.rounds < FEWEST_ROUNDS:
            return tuple(found)
        for name in self.names:
            ratio = self.ratio(name)
            pair = (self[name], self[self.baseline])
            if name == self.baseline or any(each.slow_first_call() for each in pair):
                continue  # the contender's own advice reports a slow first call
            medians = pair[0].median / pair[1].median
            if not ratio.low <= medians <= ratio.high:
                seen = f"the ratio of its median to the baseline's is {readable(medians, 3)}"
                found.append((name, Advice("medians", seen, _WITHIN_ROUNDS)))
            if ratio.reason:
                problem = "processes differ" if self.processes > 1 else "disturbed rounds"
                found.append((name, Advice(problem, ratio.reason, ratio.remedy)))
            elif ratio.answer == "cannot tell":
                reach = max(ratio.high / ratio.value, ratio.value / ratio.low) - 1
                least = f"{reach:.0%}" if reach < 1 else f"{math.ceil(reach + 1)} times"
                units = f"{self.rounds} rounds"
                if self.processes > 1:
                    units = f"{self.processes} processes"
                seen = f"{units} can show only differences of about {least} or more"
                remedy = _NARROWER if self.processes == 1 else _MORE_PROCESSES
                found.append((name, Advice(ratio.answer, seen, remedy)))
        return tuple(found)


def seconds_at(compared: Mapping[Size, PairedSamples]) -> dict[str, dict[Size, float]]:
    """Return each contender's seconds by size, for comparisons whose rounds are the same.

    Medians of two sizes may come from rounds in which the machine had different speeds. So each
    time is a ratio within the rounds, to the baseline of the first size, times its median.
    """
    base: Measurement | None = None
    found: dict[str, dict[Size, float]] = {}
    for size, comparison in compared.items():
        base = base or comparison[comparison.baseline]
        for each in comparison:
            seconds = base.median * paired_ratio(each.samples, base.samples).value
            found.setdefault(each.name, {})[size] = seconds
    return found


def is_far(ratio: Ratio, rounds: int) -> bool:
    """Return whether the whole interval of a ratio is beyond the factor in `FAR`."""
    factor = next(factor for least, factor in FAR if rounds >= least)
    return ratio.low > factor or ratio.high < 1 / factor


class AnyCase(Protocol):
    """The parts of `hpml.benchmark.Case` that tables and pictures use."""

    @property
    def parameters(self) -> Mapping[str, str | int | float | bool | None]:
        """The parameters that identify the case within its suite."""

    @property
    def comparison(self) -> PairedSamples:
        """The measurements."""


_MORE_PROCESSES = "Four times as many processes at least halve the interval."
_WITHIN_ROUNDS = (
    "A median mixes rounds in which the machine was fast and slow; the ratio is of times in the "
    "same round, so trust the ratio."
)

_NARROWER = (
    "Four times as many rounds halve the interval, down to the resolution; a quieter machine "
    "narrows it as well."
)
