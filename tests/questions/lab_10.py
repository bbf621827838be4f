from __future__ import annotations

import gc
import math
import random
import statistics
import timeit

from hpml.benchmark.ratio import paired_ratio

SOURCES = {
    1: "https://docs.python.org/3/library/profile.html, the note on profilers and benchmarking; "
    "that short calls are slowed most is executed for question 09.3"
}


def question_2() -> None:
    seen: list[bool] = []
    assert gc.isenabled()
    timeit.timeit(lambda: seen.append(gc.isenabled()), number=2)
    assert seen == [False, False]
    assert gc.isenabled()
    ticks = 0.001  # a clock that only counts milliseconds, and a call of 30 µs

    def measured(calls: int) -> float:
        return math.floor(calls * 30e-6 / ticks) * ticks / calls

    assert measured(1) == 0
    assert abs(measured(10_000) / 30e-6 - 1) < 0.01


def question_3() -> object:
    ratios = [0.91, 0.93, 0.90, 0.94, 0.92, 0.93, 1.40, 0.92, 0.91, 0.93, 0.92, 0.94, 0.91, 0.92]
    ratios += [0.93]
    assert statistics.median(ratios) == 0.92
    assert round(statistics.fmean(ratios), 3) == 0.954
    assert sum(ratio < 1 for ratio in ratios) == 14
    found = paired_ratio(tuple(ratios), (1.0,) * len(ratios))
    told = found.answer != "cannot tell" and round(found.value, 2) in (0.92, 0.93)
    return "A takes about 92 % of B's time." if told else "The data cannot tell."


def question_4() -> None:
    """One run of each of k equal variants, with noise of 3 %: how fast does the fastest look?"""
    rng = random.Random(4)

    def fastest(variants: int) -> float:
        runs = [min(rng.gauss(1, 0.03) for _ in range(variants)) for _ in range(400)]
        return statistics.fmean(runs)

    looks = [fastest(k) for k in (1, 10, 100)]
    assert looks[0] > looks[1] > looks[2]
    assert looks[1] < 0.97


def question_5() -> object:
    def chance(wins: int) -> float:
        return 2 * sum(math.comb(25, k) for k in range(wins, 26)) / 2**25

    assert round(100 * chance(18), 1) == 4.3
    assert round(100 * chance(17), 1) == 10.8
    return str(next(wins for wins in range(13, 26) if chance(wins) <= 0.05))


def question_6() -> None:
    """Two equal programs; whoever runs first in a round takes longer, and the machine drifts."""

    def ratio(shuffled: bool) -> float:
        rng, ratios = random.Random(6), []
        for number in range(200):
            order = rng.sample("ab", 2) if shuffled else ["a", "b"]
            slow = 1 + number / 100
            took = {name: slow * (1.1 if place == 0 else 1.0) for place, name in enumerate(order)}
            ratios.append(took["a"] / took["b"])
        return statistics.geometric_mean(ratios)

    assert abs(ratio(shuffled=False) - 1.1) < 1e-9, "the drift is gone, the first place is not"
    assert abs(ratio(shuffled=True) - 1) < 0.02

    def steady(lasts: int) -> float:
        """The worst ratio within a round, if a slow period lasts for so many measurements."""
        slow = [2.0 if place // lasts % 2 else 1.0 for place in range(4000)]
        ratios = [slow[k] / slow[k + 1] for k in range(0, 4000, 2)]
        return max(max(each, 1 / each) for each in ratios)

    assert steady(lasts=100) == 1
    assert steady(lasts=1) == 2, "shorter than a round"
