"""The tool judges its own result: is this measurement good enough, and if not, what to do?

A number alone looks equally convincing whether it came from three samples on a laptop that was
compiling something, or from thirty on a quiet machine. `judge` looks at the raw samples for the
marks that trouble leaves, and each `Advice` says what was seen and what to do about it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from hpml.base.tables import format_multiple, format_seconds
from hpml.benchmark.ratio import ENOUGH_ROUNDS, FEWEST_ROUNDS, Ratio, coarseness
from hpml.benchmark.robust import median, quartiles, trend

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


HOPELESS = 40
"""Needing so many times the rounds that were taken, a difference is not worth looking for."""

CANNOT_TELL = "cannot tell"


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


def undecided(ratio: Ratio, rounds: int, resolution: float) -> Advice | None:
    """Say why a ratio cannot tell and what would; None where it can, or nothing is known of it.

    The rounds that are named decide in nine of ten runs if the ratio is what it looks like: the
    interval narrows with the square root of their number, and the middle varies by half of it.
    """
    if ratio.answer != "cannot tell" or rounds < FEWEST_ROUNDS:
        return None
    low, high = format_multiple(ratio.low), format_multiple(ratio.high)
    if ratio.reason:
        return Advice(CANNOT_TELL, f"{low} to {high}", f"{capital(ratio.reason)}.")
    now = math.log1p(resolution * coarseness(rounds))
    whole = max(math.log(ratio.high / ratio.value), math.log(ratio.value / ratio.low))
    # What is left of the interval without the resolution comes of the rounds.
    half = math.sqrt(max(whole**2 - now**2, 0.0))
    seen = f"the interval {low} to {high} holds 1"
    visible = f"{rounds} rounds show differences from about {math.expm1(whole):.0%}"
    needed = _rounds_needed(abs(math.log(ratio.value)), half, rounds, math.log1p(resolution))
    if needed > HOPELESS * rounds:
        return Advice(CANNOT_TELL, seen, f"{visible}; treat the two as equal up to that.")
    take = float(f"{needed:.1e}")
    return Advice(
        CANNOT_TELL,
        seen,
        f"{visible}; if this one is real, {take:,.0f} rounds show it in nine of ten runs.",
    )


def _rounds_needed(distance: float, half: float, rounds: int, least: float) -> float:
    """Return how many rounds find a difference in nine of ten runs.

    The interval of so many must be clear of 1 even where chance has moved the middle towards 1 by
    all that it does in nineteen of twenty runs; the checks for drift may cost the other one.
    """
    deviation = half / 1.96
    needed: float = ENOUGH_ROUNDS
    while needed <= HOPELESS * rounds:
        share = math.sqrt(rounds / needed)
        if distance - 1.645 * deviation * share > math.hypot(half * share, least):
            return needed
        needed *= 1.05
    return math.inf


def capital(text: str) -> str:
    """Return a sentence with its first letter large, and the others as they are."""
    return text[:1].upper() + text[1:]


def _few(samples: Sequence[float]) -> Advice | None:
    if len(samples) >= FEWEST_ROUNDS:
        return None
    return Advice(
        "few samples",
        f"{len(samples)} samples, and no 95 % interval for the median exists below {FEWEST_ROUNDS}",
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
        "Let the machine settle and repeat; a ratio holds if its other contender drifts alike."
        if change > 0
        else "Raise warm_up and repeat; a ratio holds if its other contender drifts alike.",
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
