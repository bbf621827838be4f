"""The pictures of lab 00: a machine that drifts."""

from __future__ import annotations

import pytest

from hpml.benchmark import Measurement
from hpml.labs.lab_00_start_here.drift import in_order, simulate_drift


@pytest.mark.parametrize("slowdown", [0.0, 0.1, 0.5])
def test_in_turns_the_drift_cancels_and_one_after_the_other_it_does_not(slowdown: float) -> None:
    drift = simulate_drift(slowdown=slowdown, noise=0.0, rounds=20)
    # The middle samples were taken when a quarter and three quarters of the slowdown had come.
    expected = (1 + 0.75 * slowdown) / (1 + 0.25 * slowdown)
    assert drift.ratio("blocks") == pytest.approx(expected, rel=0.02)
    assert drift.ratio("turns") == pytest.approx(1.0, abs=1e-12)


def test_what_the_text_says_of_the_slider_is_so() -> None:
    for slowdown in (0.0, 0.1, 0.2, 0.5, 1.0):
        assert abs(simulate_drift(slowdown=slowdown).ratio("turns") - 1) < 0.015
    assert simulate_drift(slowdown=1.0).ratio("blocks") == pytest.approx(1.4, abs=0.03)


def test_the_caption_of_a_row_of_samples_compares_its_halves() -> None:
    samples = (1e-6,) * 4 + (1.5e-6,) * 4
    text = in_order(Measurement("loop", samples, number=1)).plain
    assert text.startswith("loop: the first half took 1.00 µs, the second 1.50 µs in the median")
    assert "50.0% more" in text
