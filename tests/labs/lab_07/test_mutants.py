"""Small faults in the right solutions of lab 07 are refused; those named here change nothing."""

from __future__ import annotations

import pytest

from tests.labs import mutants

EQUIVALENT: dict[str, list[str]] = {
    # The first call reads inputs only.
    "generate_forward": ["5: for name, _, arguments in reversed(calls)"],
    # What the first call reads is no call's result, and nobody reads the last before it is made.
    "compress_runs": ["5: for _, _, arguments", "12: calls[position - 1][0]"],
    # The order of names in a message.
    "predict_time": ["3: sorted(costs)"],
}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", EQUIVALENT)
def test_every_fault_that_changes_the_result_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No mutant here goes round for ever, and a slow machine must not pass for a wrong answer.
    monkeypatch.setattr(mutants, "SECONDS", 30)
    passed = list(mutants.survivors("07", name))
    assert len(passed) == len(EQUIVALENT[name]), passed
    for what, known in zip(passed, EQUIVALENT[name], strict=True):
        assert what.startswith(known)
