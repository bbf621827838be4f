from __future__ import annotations

import random
import statistics
from collections.abc import Callable

from hpml.benchmark.ratio import paired_ratio
from hpml.bytecode import count_instructions


def question_2() -> object:
    low, high = 0.88, 1.07
    assert round(100 * (1 - low)) == 12
    assert round(100 * (high - 1)) == 7
    decided = high < 1 or low > 1
    return "B is 4 % faster than A." if decided else "The data cannot tell which one is faster."


def question_3() -> None:
    """Two equal programs on a machine that becomes slower all the time."""
    clock = [0.0]

    def run() -> float:
        clock[0] += 1
        return 1 + clock[0] / 1000

    after = statistics.fmean(run() for _ in range(100)), statistics.fmean(run() for _ in range(100))
    assert after[1] / after[0] > 1.05
    in_turns = [(run(), run()) for _ in range(100)]
    assert abs(statistics.median(b / a for a, b in in_turns) - 1) < 0.005
    samples = [1.0] * 99 + [100.0]
    assert statistics.fmean(samples) > 1.9
    assert statistics.median(samples) == 1.0


def question_4() -> object:
    """The loop executes more instructions for more numbers, one call of NumPy does not."""
    import numpy as np

    def loop(numbers: object) -> object:
        total = 0
        for number in numbers:  # type: ignore[attr-defined]
            total += number
        return total

    def once(array: np.ndarray) -> object:
        return array.sum()

    def growth(function: Callable[..., object], make: Callable[[int], object]) -> int:
        few, many = (count_instructions(function, make(n)) for n in (100, 1100))
        return many - few

    assert growth(loop, range) >= 3 * 1000
    assert growth(once, np.arange) == 0
    return 30 / 0.5


def question_5() -> None:
    samples = [10.0, 10.1, 9.9, 10.2, 9.8, 10.0, 95.0]
    assert statistics.median(samples) == 10.0
    assert statistics.fmean(samples) > 20
    assert statistics.quantiles(samples)[0] < 10 < statistics.quantiles(samples)[2]


def question_6() -> object:
    """Equal programs with noise of 5 %, judged by the course's own rule."""
    rng = random.Random(6)
    decided = 0
    for _ in range(1000):
        a, b = (tuple(rng.gauss(1, 0.05) for _ in range(25)) for _ in range(2))
        decided += paired_ratio(a, b).answer != "cannot tell"
    assert decided, "a rule that never speaks"
    return "in about 5 or fewer" if decided <= 0.055 * 1000 else "in about half"
