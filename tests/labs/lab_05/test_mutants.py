"""Small faults in the right solutions of lab 05 are refused; those named here change nothing."""

from __future__ import annotations

import pytest

from tests.labs.mutants import survivors

EQUIVALENT: dict[str, list[str]] = {
    "topological_order": [],
    # The order in which nodes are looked at; looked at again, a node costs only time, which grading
    # measures on sixty diamonds.
    "dead_nodes": ["5: before.setdefault", "8: waiting.pop()", "9: if name not", "11: waiting."],
    # No shape is empty.
    "propagate_shapes": ["36: shape is None"],
    # Nobody sends to the start; a step is true; there are as many gradients as pairs.
    "walk_backward": ["2: 0", "2: 0", "5: after is", "18: True", "19: after is"],
}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", EQUIVALENT)
def test_every_fault_that_changes_the_result_is_refused(name: str) -> None:
    passed = list(survivors("05", name))
    assert len(passed) == len(EQUIVALENT[name]), passed
    for what, known in zip(passed, EQUIVALENT[name], strict=True):
        assert what.startswith(known)
