from __future__ import annotations

import pytest

from hpml.course.labs.lab_00_start_here.drift import simulate_drift


@pytest.mark.parametrize("slowdown", [0.0, 0.1, 0.5])
def test_in_turns_the_drift_cancels_and_one_after_the_other_it_does_not(slowdown: float) -> None:
    drift = simulate_drift(slowdown=slowdown, noise=0.0, rounds=20)
    # The middle samples were taken when a quarter and three quarters of the slowdown had come.
    expected = (1 + 0.75 * slowdown) / (1 + 0.25 * slowdown)
    assert drift.ratio("blocks") == pytest.approx(expected, rel=0.02)
    assert drift.ratio("turns") == pytest.approx(1.0, abs=1e-12)
