from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from hpml.benchmark import BenchmarkError, Comparison, Estimate, Measurement
from hpml.benchmark.estimate import estimate
from tests.parts import raises


def compared(**samples: tuple[float, ...]) -> Comparison:
    measured = tuple(Measurement(name, times, 10) for name, times in samples.items())
    return Comparison(measured, measured[0].name, len(measured[0].samples))


def test_a_difference_is_made_in_each_round() -> None:
    # The machine gets slower all the time: between the medians the difference would be the same,
    # and its interval many times as wide.
    machine = tuple(1.0 + 0.1 * k for k in range(9))
    found = compared(fast=machine, slow=tuple(t + 0.5 for t in machine)).difference("slow")
    assert (found.low, found.value, found.high) == pytest.approx((0.5, 0.5, 0.5))
    assert found.against(0) == "above"


def test_times_per_item_leave_the_ratio_as_it_is() -> None:
    pair = compared(a=(1e-3,) * 25, b=(2e-3,) * 25)
    each = pair.per(1000)
    assert each["b"].median == 2e-6
    assert (each["b"].number, each["b"].items) == (10, 1000)
    assert pair.per({"a": 10, "b": 20}).ratio("b").value == pytest.approx(1.0)
    with raises(BenchmarkError, object="items of per", received="0"):
        pair.per(0)


def test_a_quotient_of_estimates_is_as_wide_as_both_allow() -> None:
    found = Estimate(4.0, 2.0, 6.0) / Estimate(2.0, 1.0, 4.0)
    assert (found.value, found.low, found.high) == (2.0, 0.5, 6.0)
    unknown = Estimate(4.0, 2.0, 6.0) / Estimate(1.0, -1.0, 2.0)
    assert (unknown.low, unknown.high) == (-math.inf, math.inf)


def test_a_busy_machine_is_called_busy() -> None:
    busy = tuple(1.0 + 0.1 * (k % 5) for k in range(25))
    assert (
        compared(a=busy)
        .how_quiet()
        .startswith("**This machine is busy.** Typically the middle half")
    )
    calm = compared(a=(1.0, 1.01, 1.01, 1.0, 1.0) * 5, b=busy, c=(1.0, 1.02, 1.01, 1.0, 1.0) * 5)
    assert calm.how_quiet().endswith("quiet enough.")


def test_a_quotient_by_what_may_be_nothing_is_unknown() -> None:
    assert Estimate(3.90, 1.58, 7.59) / Estimate(4.29, -2.19, 8.43) == Estimate(
        3.90 / 4.29, -math.inf, math.inf
    )
    rounds = [1.0, -1.0, 2.0, -2.0, 0.0, 1.5, -1.5, 0.5, -0.5, 3.0]
    unknown = estimate([5.0] * 10) / estimate(rounds)
    assert (unknown.low, unknown.high) == (-math.inf, math.inf)


def test_what_slows_both_down_in_a_round_cancels_in_the_quotient() -> None:
    slower = [1 + k % 2 for k in range(25)]  # every other round takes twice as long
    before, after = estimate(slower), estimate([1.7 * each for each in slower])
    assert (after / before).low == (after / before).high == pytest.approx(1.7)
    unpaired = replace(after, samples=()) / before
    assert unpaired.high > 1.5 * unpaired.low


def test_a_few_rounds_below_zero_widen_a_quotient_only_a_little() -> None:
    before = [1 + 0.01 * (k % 5) for k in range(40)]
    disturbed = before.copy()
    disturbed[3] = disturbed[17] = -4.0
    after = estimate([2 * each for each in before])
    found = after / estimate(disturbed)
    assert found.low <= 2 <= found.high < 1.05 * found.low


def test_the_interval_of_a_quotient_misses_it_in_at_most_five_percent() -> None:
    rng = random.Random(1)
    missed = 0
    for _ in range(1000):
        # The divisor is a difference that noise makes negative in some rounds.
        before = [1.0 + rng.gauss(0, 0.6) for _ in range(40)]
        after = [3.0 + rng.gauss(0, 0.6) for _ in range(40)]
        found = estimate(after) / estimate(before)
        missed += not found.low <= 3.0 <= found.high
        assert found.low <= found.value <= found.high
    assert missed <= 60  # 50 expected at most, and a margin of chance
