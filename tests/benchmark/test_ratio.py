"""What a ratio says, and when it cannot tell; how often it is right, the honesty suite shows."""

from __future__ import annotations

import math

import numpy
import pytest

from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.ratio import Ratio, paired_ratio
from hpml.benchmark.stability import undecided


def pair(
    seed: int, rounds: int = 25, ratio: float = 1.0, noise: float = 0.01
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    generator = numpy.random.default_rng(seed)
    logs = generator.normal(0, noise, (2, rounds))
    a, b = numpy.exp(logs[0]) * ratio, numpy.exp(logs[1])
    return tuple(a.tolist()), tuple(b.tolist())


def test_the_quotient_of_constant_times_is_exact() -> None:
    assert paired_ratio((3.0,) * 7, (1.0,) * 7).value == 3.0


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
    one, seven = (paired_ratio(*pair(2), together=n) for n in (1, 6))
    assert seven.low < one.low < one.high < seven.high


def test_what_the_timing_itself_may_shift_is_not_believed() -> None:
    samples, baseline = (1.03e-8,) * 25, (1e-8,) * 25
    assert paired_ratio(samples, baseline).answer == "slower"
    assert paired_ratio(samples, baseline, shift=0.05).answer == "cannot tell"


def test_a_ratio_that_changes_during_the_run_cannot_tell_and_says_so() -> None:
    generator = numpy.random.default_rng(3)
    drift = numpy.linspace(0, 0.02, 25) + generator.normal(0, 1e-3, 25)
    generator.shuffle(drift[:8])
    generator.shuffle(drift[8:16])
    generator.shuffle(drift[16:])
    quotients = numpy.exp(drift + 0.004)
    found = paired_ratio(tuple(quotients.tolist()), (1.0,) * 25, resolution=0.0)
    assert found.answer == "cannot tell"
    assert found.reason.startswith(("the ratio changed during the run", "neighbouring rounds"))


def test_rounds_that_hang_together_widen_the_interval_to_all_of_them() -> None:
    steps = (1.0,) * 6 + (1.06,) * 13 + (1.0,) * 6
    found = paired_ratio(steps, (1.0,) * 25)
    assert found.answer == "cannot tell"
    assert "neighbouring rounds are alike, so that 25 count as few" in found.reason
    assert found.high / found.low >= 1.06**2


def test_a_few_wild_rounds_are_not_where_the_ratio_wandered_to() -> None:
    steps = [2.0] * 6 + [2.2] * 13 + [2.0] * 6
    steps[10] = steps[11] = 90.0
    found = paired_ratio(tuple(steps), (1.0,) * 25)
    assert found.answer == "slower"
    assert found.high / found.low < 3


def test_a_difference_beyond_all_that_changed_is_still_told() -> None:
    steps = (2.0,) * 6 + (2.2,) * 13 + (2.0,) * 6
    found = paired_ratio(steps, (1.0,) * 25)
    assert (found.answer, found.reason) == ("slower", "")
    assert found.low < 2.0 < 2.2 < found.high


def test_a_thousand_rounds_are_a_matter_of_a_moment() -> None:
    found = paired_ratio(*pair(4, rounds=1000, ratio=1.02))
    assert found.answer == "slower"
    assert found.value == pytest.approx(1.02, abs=2e-3)


def test_different_numbers_of_rounds_are_refused() -> None:
    with pytest.raises(BenchmarkError, match="got 2 and 1"):
        paired_ratio((1.0, 2.0), (1.0,))


def test_the_words_claim_no_more_than_the_answer() -> None:
    faster = Ratio(0.5, 0.48, 0.52, "faster").in_words("new", "old")
    assert faster == "**new** takes 0.50 times as long as old (95 % interval 0.48 to 0.52)"
    for undecided_ratio, why in (
        (Ratio(1.02, 0.97, 1.07, "cannot tell"), "0.97 to 1.07 times (95 % interval)"),
        (Ratio(1.02, 0.0, math.inf, "cannot tell", "3 rounds are too few"), "3 rounds are too few"),
    ):
        words = undecided_ratio.in_words("new", "old")
        assert words == f"between **new** and old this measurement **cannot tell**: {why}"


def test_the_rounds_that_are_named_decide_in_nine_of_ten_runs() -> None:
    kept, named = 0, []
    for seed in range(400):
        found = paired_ratio(*pair(seed, ratio=1.03, noise=0.05))
        advice = undecided(found, 25, 0.01)
        # One whose middle happens to be the truth: what is named is for the ratio as it looks.
        if advice is None or abs(found.value - 1.03) > 0.003 or "rounds show it" not in str(advice):
            continue
        named.append(int(advice.remedy.split("real, ")[1].split(" rounds")[0].replace(",", "")))
    assert len(named) > 30
    for seed, rounds in enumerate(named[:60]):
        kept += paired_ratio(*pair(10_000 + seed, rounds, 1.03, 0.05)).answer == "slower"
    assert kept >= 0.8 * len(named[:60])
