from __future__ import annotations

import math

from tests.questions.answers import solution

SOURCES = {
    6: "https://onnxruntime.ai/docs/performance/tune-performance/threading.html#thread-spinning-behavior"
}


def question_1() -> None:
    def chance(wins: int, of: int = 25) -> float:
        """Of so few wins or fewer on either side, if both are equally fast."""
        return min(1.0, 2 * sum(math.comb(of, k) for k in range(wins + 1)) / 2**of)

    assert chance(10) > 0.05
    assert chance(1) < 0.001
    times = {"A": [2.0] * 25, "B": [1.9] * 10 + [2.03] * 15, "C": [1.9] + [2.4] * 24}
    assert solution("lab_14/best_setting")(times) == ("A", ["B"])


def question_2() -> object:
    integers, scale = solution("lab_14/quantise")([0.3, -1.0, 0.26], 8)
    assert round(scale, 5) == 0.00787
    assert integers[1] == -127
    return integers[0]


def question_3() -> None:
    quantise = solution("lab_14/quantise")
    outlier, ordinary = [50.0, 0.09, -0.05], [0.09, -0.05, 0.02]
    together, scale = quantise(outlier + ordinary, 8)
    assert round(scale, 2) == 0.39
    assert [each for each in together if each] == [127]
    own, _ = quantise(ordinary, 8)
    assert all(own)
    row, _ = quantise(outlier, 8)
    assert row == [127, 0, 0], "in its own row a scale per row does not help"
    without, _ = quantise(outlier[1:], 8)
    assert all(without)


def question_4() -> object:
    return 1 / (0.3 + 0.7 / 20)


def question_5() -> None:
    # extra time = per call + per pixel × pixels, from two sizes
    per_pixels = (0.95 - 0.56) / (16 - 1)
    per_call = 0.56 - per_pixels
    assert per_call > 0.9 * 0.56
    assert per_pixels > 0
    assert abs(16 * 0.56 - 8.96) < 1e-9
