"""A measurement: all samples of one contender and how they were taken, as an immutable value."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hpml.base.errors import describe
from hpml.base.tables import format_seconds
from hpml.benchmark import robust
from hpml.benchmark.advice import Advice, judge
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.saved.pyperf import save_pyperf

Environment = Mapping[str, str | int | float | None]
"""The machine and versions, see `hpml.base.environment.environment_record`."""

SLOW_FIRST_CALL = 20
"""Multiple of the median from which a first call probably does work that later calls do not."""

COLLECTING = 0.05
"""Share of the time from which collections are worth a warning."""

COLD_CALL = 1e-3
"""Seconds that a first call may take because caches are cold."""


@dataclass(frozen=True)
class Measurement:
    """The samples of one contender.

    Attributes:
        samples: seconds per item, one entry per sample, in the order in which they were taken.
        number: calls per sample.
        items: items per call; 1, so that an item is a call, unless `per` was used.
        warm_up: calls before the first sample.
        device: where the work ran, such as "cpu" or "cuda:0".
        threads: size of torch's thread pool during the samples.
        first: seconds of work in the very first call; 0 if it was not timed.
        changed: whether later calls returned another number or length than the first.
        collector: whether Python's garbage collector was enabled during the samples.
        collecting: the share of the time that the collector would take if it were enabled.
        processes: the number of fresh processes, each of which took equally many successive
            samples; 1 if all were taken in the calling process.

    >>> m = Measurement("sum", samples=(2e-6, 1.9e-6, 2.1e-6, 2e-6, 2e-6, 2e-6), number=1000)
    >>> m.median, m.minimum, m.quartiles
    (2e-06, 1.9e-06, (2e-06, 2e-06, 2e-06))
    >>> print(m)
    sum: 2.00 µs (25 to 75 %: 2.00 µs to 2.00 µs, 6 samples of 1000 calls)
    """

    name: str
    samples: tuple[float, ...]
    number: int
    items: int = 1
    warm_up: int = 0
    device: str = "cpu"
    threads: int = 1
    first: float = 0.0
    changed: bool = False
    collector: bool = False
    collecting: float = 0.0
    processes: int = 1
    environment: Environment = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        # A list could change, and has no hash.
        object.__setattr__(self, "samples", tuple(map(float, self.samples)))
        valid = bool(self.samples) and all(0 < sample < math.inf for sample in self.samples)
        if self.processes < 1 or len(self.samples) % self.processes:
            raise BenchmarkError(
                object=f"processes of measurement {self.name!r}",
                expected="a number of processes that took equally many samples each",
                received=f"{self.processes} processes and {len(self.samples)} samples",
                remedy="Keep only the samples of complete processes.",
            )
        if not valid or self.number < 1 or self.items < 1:
            raise BenchmarkError(
                object=f"measurement {self.name!r}",
                expected="samples that are positive, finite seconds, of at least one call and item",
                received=f"{describe(self.samples)}, {self.number} calls and {self.items} items",
                remedy="Take them with a clock that only advances, such as time.perf_counter.",
            )

    @property
    def median(self) -> float:
        """The median of the samples, in seconds per item."""
        return robust.median(self.samples)

    @property
    def minimum(self) -> float:
        """The fastest sample, in seconds per item; it has the least noise, but is not typical."""
        return min(self.samples)

    @property
    def quartiles(self) -> robust.Quartiles:
        """The 25th, 50th and 75th percentile, in seconds per item."""
        return robust.quartiles(self.samples)

    @property
    def interquartile_range(self) -> float:
        """The width of the middle half of the samples, in seconds per item."""
        low, _, high = self.quartiles
        return high - low

    @property
    def by_process(self) -> tuple[tuple[float, ...], ...]:
        """The samples of each process.

        >>> Measurement("sum", (1.0, 1.1, 2.0, 2.1), number=1, processes=2).by_process
        ((1.0, 1.1), (2.0, 2.1))
        """
        size = len(self.samples) // self.processes
        return tuple(self.samples[k : k + size] for k in range(0, len(self.samples), size))

    def save(self, path: str | os.PathLike[str], *, name: str | None = None) -> Path:
        """Write a file that pyperf opens, with this measurement as its only benchmark.

        ``python -m pyperf compare_to before.json after.json`` compares benchmarks of the same name,
        so save two contenders under one `name`. pyperf's t-test does not use the rounds.

        Args:
            path: the file, whose name ends in ``.json``.
            name: the benchmark's name; by default the contender's.

        Raises:
            BenchmarkError: if the file's name ends in something else, or `name` is blank.
            OSError: if it cannot be written; a missing folder is created.

        >>> import os, tempfile
        >>> one = Measurement("sum", samples=(2e-6, 1.9e-6, 2.1e-6), number=1000)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     one.save(os.path.join(folder, "sum.json")).name
        'sum.json'
        """
        return save_pyperf(path, [self], [self.name if name is None else name])

    def per(self, items: int) -> Measurement:
        """Return the measurement in seconds per item, for calls that process `items` each.

        >>> Measurement("sum", samples=(2e-3,) * 6, number=10).per(1000).median
        2e-06
        """
        if items < 1:
            raise BenchmarkError(
                object="items of per",
                expected="at least one item",
                received=describe(items),
                remedy="Pass the number of items that one call processes.",
            )
        samples = tuple(sample / items for sample in self.samples)
        return replace(self, samples=samples, items=self.items * items)

    def verdict(self) -> tuple[Advice, ...]:
        """Return the problems of this measurement with their remedies.

        >>> [advice.problem for advice in Measurement("one", (1.0,), number=1).verdict()]
        ['few samples']
        """
        own = [each for each in (self.slow_first_call(), self._needs_collector()) if each]
        return (*own, *judge(self._at_one_level(), self.number * self.items))

    def _at_one_level(self) -> tuple[float, ...]:
        """Return the samples with the same median in each process: processes may differ."""
        if self.processes == 1:
            return self.samples
        levels = [(robust.median(group), group) for group in self.by_process]
        return tuple(self.median / level * each for level, group in levels for each in group)

    def _needs_collector(self) -> Advice | None:
        """Return advice if the time with the garbage collector enabled is another one."""
        if self.collector or self.collecting < COLLECTING:
            return None
        return Advice(
            "garbage collector",
            f"as programs run, with the collector on, {self.collecting:.0%} of its time would be "
            "collections, which these samples leave out",
            "Compare with collector=True, and say under which condition a claim holds.",
        )

    def slow_first_call(self) -> Advice | None:
        """Return advice if the first call was so slow that later calls may do different work."""
        times = self.first / (self.median * self.items)
        if times < SLOW_FIRST_CALL or (self.first < COLD_CALL and not self.changed):
            return None
        changed = "later calls returned something else, and " if self.changed else ""
        return Advice(
            "first call",
            f"{changed}the first call took {float(f'{times:.1e}'):,.0f} times as long as the later "
            "ones, so there is no answer",
            "Does it use up its input (a generator, a list sorted in place) or cache its "
            "result? Then create the input in each call. If it compiles, call it once before the "
            "measurement or raise warm_up.",
        )

    def __str__(self) -> str:
        low, middle, high = self.quartiles
        calls = f"{self.number} call{'s' if self.number > 1 else ''}"
        head = (
            f"{self.name}: {format_seconds(middle)} (25 to 75 %: {format_seconds(low)} to "
            f"{format_seconds(high)}, {len(self.samples)} samples of {calls})"
        )
        return "\n".join([head, *(f"  {advice}" for advice in self.verdict())])

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))
