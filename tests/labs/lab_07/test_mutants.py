"""Small faults in the right solutions of lab 07 are refused; those named here change nothing."""

from __future__ import annotations

import pytest

from tests.labs.mutants import survivors

EQUIVALENT: dict[str, list[str]] = {
    "generate_forward": [],
    # What the first call reads is no call's result, and nobody reads the last before it is made.
    "compress_runs": ["5: for _, _, arguments", "12: calls[position - 1][0]"],
    # The order of names in a message.
    "predict_time": ["3: sorted(costs)"],
}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", EQUIVALENT)
def test_every_fault_that_changes_the_result_is_refused(name: str) -> None:
    passed = list(survivors("07", name))
    assert len(passed) == len(EQUIVALENT[name]), passed
    for what, known in zip(passed, EQUIVALENT[name], strict=True):
        assert what.startswith(known)
