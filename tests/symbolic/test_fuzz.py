"""A short run of the fuzz with a fixed seed; `fuzz` says how to run it for an hour."""

from __future__ import annotations

import pytest

from tests.symbolic import fuzz


@pytest.mark.parametrize("seed", range(0, 160, 20))
def test_random_programs_do_in_every_execution_what_they_do_by_hand(seed: int) -> None:
    assert sum(fuzz.check(seed + offset) for offset in range(2)) > 0
