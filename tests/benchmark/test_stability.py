from __future__ import annotations

import random

import pytest

from hpml.benchmark.stability import judge


def problems(samples: list[float], number: int = 10) -> list[str]:
    return [advice.problem for advice in judge(samples, number)]


def quiet(count: int = 25, seed: int = 0, noise: float = 0.01) -> list[float]:
    generator = random.Random(seed)
    return [1e-3 * generator.gauss(1, noise) for _ in range(count)]


def test_a_quiet_measurement_gets_no_advice() -> None:
    assert problems(quiet()) == []


def test_ordinary_noise_is_rarely_called_a_problem() -> None:
    flagged = sum(bool(problems(quiet(seed=seed, noise=0.03))) for seed in range(200))
    assert flagged <= 20


def test_five_samples_are_too_few_and_six_are_not() -> None:
    assert problems(quiet(5)) == ["few samples"]
    assert problems(quiet(6)) == []


def test_a_sample_that_the_clock_disturbs_is_too_short() -> None:
    samples = quiet()
    short = judge([sample * 1e-4 for sample in samples], 10)
    assert [advice.problem for advice in short] == ["short samples"]
    assert "Raise min_sample_time" in short[0].remedy
    assert problems([sample * 1e-4 for sample in samples], 2000) == []


@pytest.mark.parametrize(("factor", "word"), [(1.004, "slower"), (0.996, "faster")])
def test_a_drift_is_reported_with_its_direction(factor: float, word: str) -> None:
    drifting = [sample * factor**i for i, sample in enumerate(quiet())]
    (advice,) = judge(drifting, 10)
    assert advice.problem == "drift"
    assert word in advice.seen


def test_a_drift_too_small_to_matter_is_not_reported() -> None:
    assert problems([1e-3 * 1.0005**i for i in range(25)]) == []


def test_two_states_of_the_machine_are_told_apart_from_noise() -> None:
    samples = [sample * (1.2 if i % 3 == 0 else 1.0) for i, sample in enumerate(quiet())]
    (advice,) = judge(samples, 10)
    assert advice.problem == "two modes"
    assert "9 around 1.20 ms" in advice.seen


def test_a_few_wild_samples_are_outliers() -> None:
    samples = quiet()
    samples[3] = samples[11] = samples[20] = 5e-3
    (advice,) = judge(samples, 10)
    assert advice.problem == "outliers"
    assert "3 of 25" in advice.seen
    assert "raise the mean by 48%" in advice.seen


def test_far_samples_that_hardly_move_the_mean_are_not_worth_a_word() -> None:
    samples = quiet()
    samples[3] = samples[11] = samples[20] = 1.15 * max(samples)
    assert problems(samples) == []


def test_one_hiccup_in_twenty_five_is_not_worth_a_word() -> None:
    samples = quiet()
    samples[3] = 5e-3
    assert problems(samples) == []


def test_a_wide_spread_is_reported() -> None:
    generator = random.Random(5)
    samples = [1e-3 * generator.uniform(0.8, 1.2) for _ in range(25)]
    assert problems(samples) == ["wide spread"]


@pytest.mark.parametrize("count", range(1, 30))
def test_equal_samples_of_any_number_are_judged(count: int) -> None:
    assert problems([1e-3] * count) == (["few samples"] if count < 6 else [])


def test_all_advice_says_what_to_do() -> None:
    for advice in judge([1e-6, 5e-6, 9e-6], 1):
        assert advice.seen
        assert advice.remedy.endswith(".")
        assert str(advice).startswith(advice.problem)
