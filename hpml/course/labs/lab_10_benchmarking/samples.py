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
    library = paired_ratio(tuple(a), tuple(b)).answer
    sigmas = _t(logs)
    lows, highs = _ends(logs, 0.999 if len(logs) > 20 else 0.95)
    if max(highs) < 0 and sigmas < -4 and library == "faster":
        return "faster"
    if min(lows) > 0 and sigmas > 4 and library == "slower":
        return "slower"
    lows, highs = _ends(logs, 0.8)
    equal = max(lows) <= 0 <= min(highs) and abs(sigmas) < 1 and library == "cannot tell"
    return "cannot tell" if equal else None


def _ends(logs: Sequence[float], confidence: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    tosses, ranks = median_interval(logs, confidence), signed_rank_interval(logs, confidence)
    return (tosses[0], ranks[0]), (tosses[1], ranks[1])


def _t(logs: Sequence[float]) -> float:
    """Return Student's t of paired logarithms; infinite without scatter."""
    middle, spread = statistics.mean(logs), statistics.stdev(logs)
    if spread == 0:
        return math.copysign(math.inf, middle) if middle else 0.0
    return middle / (spread / math.sqrt(len(logs)))
