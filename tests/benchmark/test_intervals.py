"""The promises of a ratio, held by the simulation of `tests.benchmarks.intervals`; few runs."""

from __future__ import annotations

import pytest

from tests.benchmarks.intervals import LARGE, SMALL, bursts, simulate
from tests.benchmarks.noise import NOISES, Noise

RUNS = 160


@pytest.mark.parametrize("rounds", [7, 25])
@pytest.mark.parametrize("noise", [n for n in NOISES if n.seen], ids=lambda noise: noise.name)
def test_at_most_one_verdict_in_twenty_is_false(noise: Noise, rounds: int) -> None:
    found = simulate(noise, rounds, RUNS, [SMALL], "compare", seed=1)
    # The true rate is at most 5 %; so few runs may show up to 15 false verdicts by chance.
    assert found.false <= 15 / RUNS
    assert found.covered >= 0.9


@pytest.mark.parametrize("in_a_row", [True, False])
def test_effects_are_found_with_a_fifth_of_the_rounds_disturbed(in_a_row: bool) -> None:
    noise = Noise("bursts", bursts(5, in_a_row=in_a_row, both=False))
    assert simulate(noise, 25, 40, LARGE, "compare").found == (1.0, 1.0, 1.0)


def test_two_per_cent_is_found_in_noise_of_one_per_cent() -> None:
    assert simulate(NOISES[0], 25, RUNS, [SMALL], "compare").found[0] >= 0.92


def test_many_rounds_that_resemble_their_neighbours_still_find_a_large_effect() -> None:
    (alike,) = (noise for noise in NOISES if noise.name == "neighbours alike, 3 %")
    loud = Noise("neighbours alike, 8 %", lambda *size: 8 / 3 * alike.draw(*size))
    assert simulate(loud, 200, 20, [1.4], "all rounds").found[0] >= 0.9
