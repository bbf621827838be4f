"""Simulated samples of two programs, with known noise and a known truth."""

from __future__ import annotations

import math
import random

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
