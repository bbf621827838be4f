"""The tool judges its own result: is this measurement good enough, and if not, what to do?

A number alone looks equally convincing whether it came from three samples on a laptop that was
compiling something, or from thirty on a quiet machine. `judge` looks at the raw samples for the
marks that trouble leaves, and each `Advice` says what was seen and what to do about it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from hpml.base.tables import format_seconds
from hpml.benchmark.robust import median, quartiles, trend

__all__ = ["FEWEST_SAMPLES", "Advice", "judge"]

FEWEST_SAMPLES = 6
"""Below this no 95 % interval for a median exists, see `hpml.benchmark.robust.median_interval`."""

WIDEST_SPREAD = 0.10
"""Interquartile range over median above which torch.utils.benchmark warns, and so do we."""

SMALLEST_PULL = 0.03
"""How much far samples raise the mean before they are worth a word."""

SMALLEST_DRIFT = 0.03
"""Change from the first to the last third of the samples that is worth a word."""

TREND_SIGMAS = 2.6
"""A trend this strong comes about by chance less than once in a hundred measurements."""

SHORTEST_SAMPLE = 100e-6
"""Seconds. Reading the clock twice costs 0.1 to 1 µs: at most one per cent of such a sample."""

CLOCK_TICKS = 1000
"""A sample lasts at least so many ticks of the clock, so that one tick is a thousandth of it."""


@dataclass(frozen=True)
class Advice:
    """One thing that is wrong with a measurement.

    Attributes:
        problem: one or two words: "few samples", "short samples", "drift", "two modes",
            "outliers", "wide spread", "cannot tell".
        seen: what the samples show, with numbers.
        remedy: what to do.

    >>> print(Advice("few samples", "3 samples", "Take at least 6."))
    few samples: 3 samples. Take at least 6.
    """

    problem: str
    seen: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.problem}: {self.seen}. {self.remedy}"


def judge(samples: Sequence[float], number: int) -> tuple[Advice, ...]:
    """Return what is wrong with a measurement, the gravest first; empty if nothing is.

    Args:
        samples: seconds per call, in the order in which they were taken.
        number: calls per sample.

    Returns:
        At most one `Advice` a problem. A spread that drift or two modes already explain is not
        reported a second time.

    >>> judge([1.00e-3, 1.01e-3, 1.00e-3, 0.99e-3, 1.00e-3, 1.01e-3], number=10)
    ()
    >>> for advice in judge([1e-3, 2e-3, 3e-3], number=10):
    ...     print(advice.problem)
    few samples
    wide spread
    """
    found = [_few(samples), _short(samples, number)]
    shape = [_drift(samples), _two_modes(samples)]
    found += shape
    if not any(shape):
        found += [_outliers(samples), _wide(samples)]
    return tuple(advice for advice in found if advice is not None)


def _few(samples: Sequence[float]) -> Advice | None:
    if len(samples) >= FEWEST_SAMPLES:
        return None
    return Advice(
        "few samples",
        f"{len(samples)} samples, and no 95 % interval for the median exists "
        f"below {FEWEST_SAMPLES}",
        "Take at least 15 samples; 25 or more for differences of a few per cent.",
    )


def _short(samples: Sequence[float], number: int) -> Advice | None:
    lasted = median(samples) * number
    tick = time.get_clock_info("perf_counter").resolution
    needed = max(SHORTEST_SAMPLE, CLOCK_TICKS * tick)
    if lasted >= needed:
        return None
    return Advice(
        "short samples",
        f"a sample of {number} calls lasted {format_seconds(lasted)}, so that reading the clock "
        "is part of what was measured",
        f"Raise min_sample_time to {format_seconds(needed)} or more: more calls a sample.",
    )


def _drift(samples: Sequence[float]) -> Advice | None:
    third = len(samples) // 3
    if third < 3 or abs(trend(samples)) < TREND_SIGMAS:
        return None
    change = median(samples[-third:]) / median(samples[:third]) - 1
    if abs(change) < SMALLEST_DRIFT:
        return None
    if change > 0:
        cause = "the machine grew hot, memory grew fuller, or another program started"
    else:
        cause = "something was still warming up: caches, a compiler, the processor's frequency"
    return Advice(
        "drift",
        f"the last third of the samples is {abs(change):.0%} {'slower' if change > 0 else 'faster'}"
        f" than the first; probably {cause}",
        "Ratios from interleaved rounds still hold; for the times themselves, "
        + ("let the machine settle and repeat." if change > 0 else "raise warm_up and repeat."),
    )


def _two_modes(samples: Sequence[float]) -> Advice | None:
    """Two groups with nothing between them, each with a fifth of the samples or more."""
    ordered = sorted(samples)
    count = len(ordered)
    smallest_group = max(3, -(-count // 5))
    if count < 2 * smallest_group:
        return None
    gap, split = max(
        (ordered[i] - ordered[i - 1], i) for i in range(smallest_group, count - smallest_group + 1)
    )
    low, high = ordered[:split], ordered[split:]
    # Ordinary noise also has a largest gap; two modes are apart by more than they are wide.
    low_quarters, high_quarters = quartiles(low), quartiles(high)
    width = max(low_quarters[2] - low_quarters[0], high_quarters[2] - high_quarters[0])
    if gap < SMALLEST_DRIFT * low_quarters[1] or gap < 3 * width:
        return None
    return Advice(
        "two modes",
        f"{len(low)} samples lie around {format_seconds(low_quarters[1])}, {len(high)} around "
        f"{format_seconds(high_quarters[1])}, and none between; the machine has two states",
        "Look for a changing clock frequency, a second program, more threads than cores, or a "
        "cache that sometimes holds the data; a single number cannot describe both.",
    )


def _outliers(samples: Sequence[float]) -> Advice | None:
    """Tukey's "far out" samples: more than three interquartile ranges above the third quartile."""
    low, middle, high = quartiles(samples)
    far = max(high + 3 * (high - low), 1.1 * middle)
    near = [sample for sample in samples if sample <= far]
    count = len(samples) - len(near)
    if count * 10 < len(samples) or count == 0:
        return None
    # Far out by Tukey's rule may be near: in a very narrow band nobody has to be warned.
    raised = sum(samples) * len(near) / (len(samples) * sum(near)) - 1
    if raised < SMALLEST_PULL:
        return None
    return Advice(
        "outliers",
        f"{count} of {len(samples)} samples lie far above the rest, the slowest "
        f"{max(samples) / middle:.1f} times the median; they raise the mean by "
        f"{raised:.0%}",
        "The median still stands, the mean does not; close other programs, or take more samples.",
    )


def _wide(samples: Sequence[float]) -> Advice | None:
    low, middle, high = quartiles(samples)
    if high - low <= WIDEST_SPREAD * middle:
        return None
    return Advice(
        "wide spread",
        f"the middle half of the samples spans {(high - low) / middle:.0%} of the median",
        "Close other programs, keep the laptop on mains power, use fewer threads than cores, "
        "and raise min_sample_time or the number of samples.",
    )
