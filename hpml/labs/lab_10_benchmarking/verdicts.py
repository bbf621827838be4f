"""The common verdict of all sound rules; samples on which they disagree are not judged."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from hpml.benchmark.ratio import paired_ratio
from hpml.benchmark.robust import median_interval, signed_rank_interval

UNLIKELY = 0.999
EASILY = 0.8
"""The highest and lowest confidence: a clear difference is visible at the first, and equal programs
look equal even at the second."""


def clear_verdict(a: Sequence[float], b: Sequence[float]) -> str | None:
    """Return the verdict of every sound rule at any usual confidence, or None if they disagree."""
    logs = [math.log(x / y) for x, y in zip(a, b, strict=True)]
    library = paired_ratio(tuple(a), tuple(b)).answer
    sigmas = _t(logs)
    lows, highs = _ends(logs, UNLIKELY if len(logs) > 20 else 0.95)
    if max(highs) < 0 and sigmas < -4 and library == "faster":
        return "faster"
    if min(lows) > 0 and sigmas > 4 and library == "slower":
        return "slower"
    lows, highs = _ends(logs, EASILY)
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
