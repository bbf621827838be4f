from __future__ import annotations

import cProfile
import pstats
import random
import statistics
import sys

import pytest

from tests.causes.shown import DESIGN, RANGES, NoCause, Shown
from tests.questions import lab_10
from tests.questions.answers import ratio_of_times

ADVICE = NoCause("it is advice")


def noise_only_adds() -> None:
    """Runs of one program with and without disturbances that add time."""
    rng = random.Random(0)
    true = 99.0
    disturbed = [true + rng.choice([0.0, 0.0, 51.0, 51.0, 51.0]) for _ in range(20)]
    assert min(disturbed) == true
    assert statistics.median(disturbed) > true


def a_smaller_majority_is_enough_with_more_rounds() -> None:
    """The wins that the rule of the lab asks for, with more and more rounds."""
    import math

    def share(rounds: int) -> float:
        wins = next(
            k
            for k in range(rounds // 2, rounds + 1)
            if 2 * sum(math.comb(rounds, j) for j in range(k, rounds + 1)) <= 0.05 * 2**rounds
        )
        return wins / rounds

    shares = [share(n) for n in (6, 10, 25, 50, 100, 400)]
    assert shares == sorted(shares, reverse=True)
    assert share(9) < share(10) < share(11), "on the whole only"
    assert shares[-1] < 0.56


def seven_products_overflow() -> None:
    """A matrix with equal elements of a half, multiplied by itself: 1,000 terms in each sum."""
    element, products = 0.5, 0
    while element < float("inf"):
        element = 1000 * element * element
        products += 1
    assert products == 7


@pytest.mark.thorough
def a_profiler_slows_each_instruction_up_to_python_3_11() -> None:
    """One loop without calls, with a profiler switched on and off."""

    def loop() -> int:
        total = 0
        for n in range(100_000):
            total += n & 3
        return total

    def profiled() -> int:
        profiler = cProfile.Profile()
        profiler.enable()
        try:
            return loop()
        finally:
            profiler.disable()

    low, _ = ratio_of_times(profiled, loop, rounds=50)
    if sys.version_info < (3, 12):
        assert low > 1.3
    else:
        assert low < 1.2

    def types() -> None:
        for n in range(20_000):
            float(n)

    def types_profiled() -> cProfile.Profile:
        profiler = cProfile.Profile()
        profiler.enable()
        try:
            types()
        finally:
            profiler.disable()
        return profiler

    low, _ = ratio_of_times(types_profiled, types, rounds=50)
    assert low > 1.3
    assert pstats.Stats(types_profiled()).total_calls < 5, "`float` is a type: not reported"  # type: ignore[attr-defined]


def the_median_stays_among_the_undisturbed() -> None:
    """One hundred samples, of which 40 or 60 are disturbed."""
    rng = random.Random(1)
    base = [1 + k / 100 for k in range(101)]
    rng.shuffle(base)

    def median(disturbed: int) -> float:
        return statistics.median([9.0] * disturbed + base[disturbed:])

    assert min(base[50:]) <= median(50) <= max(base[50:])
    assert median(40) > 1.5 + 0.2, "it moves"
    assert median(60) == 9.0


def the_range_covers_if_rounds_are_independent() -> None:
    """How often the quotients 8 to 18 of 25 contain 1, if the programs are equal."""
    from hpml.course.labs.lab_10_benchmarking.samples import draw_rounds

    def covered(**machine: float) -> float:
        rng, inside = random.Random(1), 0
        for _ in range(600):
            a, b = draw_rounds(rng, 25, noise=0.01, **machine)
            quotients = sorted(x / y for x, y in zip(a, b, strict=True))[7:-7]
            inside += quotients[0] <= 1 <= quotients[-1]
        return inside / 600

    assert 0.93 < covered() < 0.98
    assert covered(own_modes=0.05) < 0.8, "states that last over several rounds"


def the_geometric_mean_of_all_seeds_is_098() -> None:
    """The numbers that `by hash` adds, as a ratio to 1,500."""
    ratios = [(1000 + hashed) / 1500 for hashed in range(1000)]
    assert round(statistics.geometric_mean(ratios), 2) == 0.98
    assert round(statistics.fmean(ratios), 2) == 1.0


SHOWN: dict[str, Shown] = {
    "So find the place with a profile; then benchmark before and after the change.": ADVICE,
    "The second example says 99 ms, so the minimum was right: another program can only add "
    "time.": noise_only_adds,
    "So warm up, and take samples over some time.": ADVICE,
    'Left, the programs are equal, so "faster" and "slower" are both false.': DESIGN,
    "So choose the **baseline** before you measure:": ADVICE,
    "So the contenders are text, or functions of a module.": (DESIGN),
    "A and B both predict that it stays the same, so the experiment cannot separate them.": RANGES,
}
ALSO: dict[str, Shown] = {
    "More rounds need a smaller majority.": a_smaller_majority_is_enough_with_more_rounds,
    "After seven products `x` contains only `inf`, and NumPy may have warned about it above.": (
        seven_products_overflow
    ),
    "Python's garbage collector; `finally` switches it on again even if your statement raises.": (
        lab_10.question_2
    ),
    "On Python 3.11 a profiler also slows each instruction; from 3.12 on only calls, also those "
    "that it does not report.": a_profiler_slows_each_instruction_up_to_python_3_11,
    "The **median** stays within the range of the undisturbed samples while fewer than half are "
    "disturbed.": the_median_stays_among_the_undisturbed,
    "If the rounds are independent, the range of the rest covers the true quotient with 95 percent "
    "confidence.": the_range_covers_if_rounds_are_independent,
    "Which of the two intervals contains the geometric mean of all seeds, a ratio of 0.98?": (
        the_geometric_mean_of_all_seeds_is_098
    ),
}
