from __future__ import annotations

import itertools
import math

import numpy
import pytest

from hpml.benchmark.ratio import Ratio, paired_ratio


def pair(
    seed: int, rounds: int = 25, ratio: float = 1.0, noise: float = 0.01
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    generator = numpy.random.default_rng(seed)
    logs = generator.normal(0, noise, (2, rounds))
    a, b = numpy.exp(logs[0]) * ratio, numpy.exp(logs[1])
    return tuple(a.tolist()), tuple(b.tolist())


def test_a_few_rounds_believe_only_large_changes() -> None:
    for rounds, believed in ((7, 0.10), (15, 0.05), (25, 0.01)):
        for change, answer in ((0.9 * believed, "cannot tell"), (1.1 * believed, "slower")):
            assert paired_ratio((1 + change,) * rounds, (1.0,) * rounds).answer == answer


def test_the_resolution_widens_the_interval_as_squares_add() -> None:
    narrow = paired_ratio(*pair(1), resolution=0.0)
    wide = paired_ratio(*pair(1), resolution=0.02)
    noise = math.log(narrow.high / narrow.value)
    assert math.log(wide.high / wide.value) == pytest.approx(math.hypot(noise, math.log(1.02)))


def test_more_ratios_at_once_have_wider_intervals() -> None:
    one, seven = (paired_ratio(*pair(2), risk=0.05 / n) for n in (1, 6))
    assert seven.low < one.low < one.high < seven.high


def test_what_the_timing_itself_may_shift_is_not_believed() -> None:
    samples, baseline = (1.03e-8,) * 25, (1e-8,) * 25
    assert paired_ratio(samples, baseline).answer == "slower"
    assert paired_ratio(samples, baseline, shift=0.05).answer == "cannot tell"


def test_a_ratio_that_changes_during_the_run_is_no_verdict() -> None:
    drift = numpy.exp(numpy.linspace(0, 0.02, 25) + 0.004)
    found = paired_ratio(tuple(drift.tolist()), (1.0,) * 25, resolution=0.0)
    assert found.answer == "cannot tell"
    assert "in its thirds" in found.reason
    assert found.remedy


def test_rounds_that_depend_on_each_other_count_as_fewer() -> None:
    steps = (1.0,) * 6 + (1.06,) * 13 + (1.0,) * 6
    found = paired_ratio(steps, (1.0,) * 25)
    assert found.answer == "cannot tell"
    assert "25 rounds count as fewer" in found.reason
    assert found.low < 1.0 < 1.06 < found.high


@pytest.mark.parametrize("in_a_row", [True, False])
def test_each_further_disturbed_round_widens_the_interval_a_little(in_a_row: bool) -> None:
    generator = numpy.random.default_rng(5)
    base = numpy.exp(generator.normal(0, 0.01, (2, 60)))
    places = numpy.arange(20, 32) if in_a_row else generator.permutation(60)[:12]
    widths = []
    for disturbed in range(13):
        slow = base[1] * 4
        slow[places[:disturbed]] *= 10
        found = paired_ratio(tuple(slow.tolist()), tuple(base[0].tolist()))
        assert found.answer == "slower"
        assert found.low < 4 < found.high
        widths.append(found.high / found.low)
    assert max(b / a for a, b in itertools.pairwise(widths)) < 1.2
    if not in_a_row:
        assert "12 of 60 rounds" in found.reason


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (1.302, 1.281, 1.324, "1.30 [1.28, 1.32] slower"),
        (0.5, 0.48, 0.52, "0.500 [0.480, 0.520] slower"),
        (18215.2, 15011.0, 22000.0, "18,000 [15,000, 22,000] slower"),
        (4.0, 0.39, 41.0, "[0.39, 41] slower"),
        (0.00411, 0.0040, 0.0042, "0.00411 [0.00400, 0.00420] slower"),
    ],
)
def test_a_ratio_is_shown_in_the_digits_that_its_interval_supports(
    value: float, low: float, high: float, shown: str
) -> None:
    assert str(Ratio(value, low, high, "slower")) == shown
