"""The pictures of lab 00: the stack of factors, and a machine that drifts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hpml.labs import LabError
from hpml.labs.lab_00_start_here.drift import Drift, in_order, simulate_drift
from hpml.labs.lab_00_start_here.factors import FACTORS, performance_factors


def test_the_stack_of_factors_is_that_of_the_lecture_with_this_course_marked() -> None:
    assert [name for name, _ in FACTORS] == [
        "algorithm",
        "hyperparameters",
        "implementation",
        "framework",
        "libraries",
        "hardware",
    ]
    lines = performance_factors().plain.splitlines()
    assert [line.split()[0] for line in lines if "this course" in line] == ["framework"]


@pytest.mark.parametrize("slowdown", [0.0, 0.1, 0.5])
def test_in_turns_the_drift_cancels_and_one_after_the_other_it_does_not(slowdown: float) -> None:
    drift = simulate_drift(slowdown=slowdown, noise=0.0, rounds=20)
    # Half of the slowdown lies between the middles of the two halves.
    expected = (1 + 0.75 * slowdown) / (1 + 0.25 * slowdown)
    assert drift.ratio("blocks") == pytest.approx(expected, rel=0.02)
    assert drift.ratio("turns") == pytest.approx(1.0, abs=1e-12)


def test_a_simulation_repeats_with_its_seed() -> None:
    assert simulate_drift(seed=3) == simulate_drift(seed=3)
    assert simulate_drift(seed=3) != simulate_drift(seed=4)


def test_both_orders_take_as_many_samples_of_each() -> None:
    drift = simulate_drift(rounds=7)
    for taken in (drift.blocks, drift.turns):
        assert sorted(name for name, _ in taken) == ["A"] * 7 + ["B"] * 7


@pytest.mark.parametrize("wrong", [{"rounds": 1}, {"slowdown": -0.1}, {"noise": -1}])
def test_a_machine_that_cannot_be_simulated_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(LabError, match="simulate_drift expects"):
        simulate_drift(**wrong)
    with pytest.raises(LabError, match="'blocks' or 'turns'"):
        Drift((), (), 0.0).ratio("sideways")


def test_the_caption_of_a_row_of_samples_compares_its_halves(samples: SimpleNamespace) -> None:
    text = in_order(samples).plain
    assert text.startswith("loop: the first half took 1.00 µs, the second 1.50 µs in the median")
    assert "50.0% more" in text
    samples.samples = (1e-6,) * 3
    with pytest.raises(LabError, match="at least 4 samples, got 3"):
        in_order(samples)


@pytest.fixture
def samples() -> SimpleNamespace:
    from types import SimpleNamespace

    return SimpleNamespace(name="loop", samples=(1e-6,) * 4 + (1.5e-6,) * 4)
