"""Small faults in the right solutions of lab 06 are refused; those named here change nothing."""

from __future__ import annotations

import pytest

from tests.labs.mutants import survivors

EQUIVALENT: dict[str, list[str]] = {
    # The first entry is an input, which needs nobody.
    "count_calls": ["7: for name in reversed(parents)"],
    "lazy_forward": [],
    "ordered_forward": [],
}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", EQUIVALENT)
def test_every_fault_that_changes_the_result_is_refused(name: str) -> None:
    passed = list(survivors("06", name))
    assert len(passed) == len(EQUIVALENT[name]), passed
    for what, known in zip(passed, EQUIVALENT[name], strict=True):
        assert what.startswith(known)
