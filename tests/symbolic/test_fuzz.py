"""Runs of the fuzz with fixed seeds; `fuzz` says how to run it for an hour."""

from __future__ import annotations

import pytest

from hpml.symbolic.building import recording
from tests.symbolic import fuzz


@pytest.mark.parametrize("seed", range(0, 80, 20))
def test_random_programs_do_in_every_execution_what_they_do_by_hand(seed: int) -> None:
    assert sum(fuzz.check(seed + offset) for offset in range(2)) > 0


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(1000, 3000, 100))
def test_more_random_programs(seed: int) -> None:
    assert sum(fuzz.check(seed + offset) for offset in range(20)) > 0


@pytest.mark.thorough
def test_without_the_check_of_changes_in_place_the_fuzz_finds_differences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recording, "current", lambda node, since=None: node)
    with pytest.raises(AssertionError):  # noqa: PT012 - one of many seeds
        for seed in range(200):
            fuzz.check(seed)
