"""Simulated samples of two programs, and the verdict on which all sound rules agree."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

from hpml.benchmark.ratio import paired_ratio
from hpml.benchmark.robust import median_interval, signed_rank_interval

BASE = 100.0
"""Microseconds per call of a without noise."""

Rounds = tuple[list[float], list[float]]
"""The times of a and of b; entries k are from round k."""


def draw_rounds(
    rng: random.Random,
    rounds: int,
    *,
    more: float = 0.0,
    noise: float = 0.02,
    drift: float = 0.0,
    outliers: float = 0.0,
    modes: float = 0.0,
    own_modes: float = 0.0,
    in_turns: bool = True,
) -> Rounds:
    """Return the times of a and b, in microseconds to four digits."""
    names = ("abba" * rounds)[: 2 * rounds] if in_turns else "a" * rounds + "b" * rounds
    times: dict[str, list[float]] = {"a": [], "b": []}
    slow = rng.random() < 0.5
    own = {name: bool(own_modes) and rng.random() < 0.5 for name in "ab"}
    for place, name in enumerate(names):
        slow ^= rng.random() < 0.08
        time = BASE * math.exp(rng.gauss(0, noise)) * (1 + drift * place / (2 * rounds - 1))
        own[name] ^= bool(own_modes) and rng.random() < 0.1
        time *= (1 + own_modes * own[name]) * (1 + modes * slow) * (1 + more * (name == "b"))
        if rng.random() < outliers:
            time *= 1.5 + rng.expovariate(2)
        times[name].append(float(f"{time:.4g}"))
    return times["a"], times["b"]


def clear_verdict(a: Sequence[float], b: Sequence[float]) -> str | None:
    """Return the verdict of every sound rule, or None if they disagree.

    A clear difference is visible at 99.9 % confidence; equal programs look equal even at 80 %.
    """
    logs = [math.log(x / y) for x, y in zip(a, b, strict=True)]
    sigmas = _t(logs)
    # The cheap rules first: most draws are refused.
    if abs(sigmas) > 4:
        seen = "faster" if sigmas < 0 else "slower"
        lows, highs = _ends(logs, 0.999 if len(logs) > 20 else 0.95)
        agree = max(highs) < 0 if sigmas < 0 else min(lows) > 0
    elif abs(sigmas) < 1:
        seen = "cannot tell"
        lows, highs = _ends(logs, 0.8)
        agree = max(lows) <= 0 <= min(highs)
    else:
        return None
    return seen if agree and paired_ratio(tuple(a), tuple(b)).answer == seen else None


def near_the_limit(rng: random.Random, each: int = 10) -> list[Rounds]:
    """Return samples of equal programs on which a rule with one false verdict in ten gives one.

    Of 100 rounds one program won 59, or Student's t is between 1.68 and 1.85: a sign test or a
    t-test of one side gives a verdict at 5 percent, one of both sides does not. In the first half
    the t is small, in the second the number of wins, so that no sound rule looks at all of them.
    """
    found: list[list[float]] = []
    while len(found) < 2 * each:
        logs = [rng.gauss(0, 0.05) for _ in range(100)]
        if len(found) < each:
            logs = [abs(log) if place < 59 else -abs(log) for place, log in enumerate(logs)]
            fits = abs(_t(logs)) < 1.3
        else:
            apart = rng.uniform(1.68, 1.85) * _spread(logs) / 10
            middle = statistics.fmean(logs)
            logs = [log - middle + apart for log in logs]
            fits = sum(log > 0 for log in logs) < 57
        low, high = signed_rank_interval(logs, 0.93)
        if fits and low < 0 < high:
            rng.shuffle(logs)
            found.append(logs if rng.random() < 0.5 else [-log for log in logs])
    times = []
    for logs in found:
        b = [BASE * math.exp(rng.gauss(0, 0.05)) for _ in logs]
        times.append(([y * math.exp(log) for y, log in zip(b, logs, strict=True)], b))
    return times


def _ends(logs: Sequence[float], confidence: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    tosses, ranks = median_interval(logs, confidence), signed_rank_interval(logs, confidence)
    return (tosses[0], ranks[0]), (tosses[1], ranks[1])


def _t(logs: Sequence[float]) -> float:
    """Return Student's t of paired logarithms; infinite without scatter."""
    middle, spread = statistics.fmean(logs), _spread(logs)
    if spread == 0:
        return math.copysign(math.inf, middle) if middle else 0.0
    return middle / (spread / math.sqrt(len(logs)))


def _spread(logs: Sequence[float]) -> float:
    """Return the standard deviation, faster than by `statistics.stdev`."""
    middle = statistics.fmean(logs)
    return math.sqrt(math.fsum((log - middle) ** 2 for log in logs) / (len(logs) - 1))
