from __future__ import annotations

import math
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


def test_what_was_hardly_known_before_does_not_stay() -> None:
    before, after = Estimate(4.29, -2.19, 8.43), Estimate(3.90, 1.58, 7.59)
    assert before.change_to(after, factor=3) == "cannot tell"
    assert Estimate(4.0, 3.9, 4.1).change_to(Estimate(4.0, 3.8, 4.2), factor=3) == "stays"


def test_what_slows_both_down_in_a_round_changes_nothing() -> None:
    slower = [1 + k % 2 for k in range(25)]  # every other round takes twice as long
    before, equal, larger, twice = (
        estimate([factor * each for each in slower]) for factor in (1.0, 1.1, 1.7, 2.0)
    )
    assert before.change_to(equal) == "stays"
    assert before.change_to(larger, factor=2) == "stays"
    assert before.change_to(twice) == "grows"
    assert twice.change_to(before) == "shrinks"
    assert (twice / 2).change_to(before) == "stays"
    unpaired = replace(larger, samples=())
    assert before.change_to(unpaired, factor=2) == "cannot tell"
