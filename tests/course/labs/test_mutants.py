from __future__ import annotations

from pathlib import Path

import pytest

from tests.course.labs import mutants

pytestmark = [pytest.mark.usefixtures("quick_to_collect"), pytest.mark.thorough]

RIGHT = sorted(mutants.SOLUTIONS.glob("lab_*/*/right*.py"))
# How many mutants of a solution do the same as the solution: a free order of visits, a comparison
# of what is never equal, work that is only repeated. A failing test shows them.
EQUIVALENT = {
    "max_stack_depth": 4, "fewer_instructions": 2, "find_cycle": 2, "pairwise_distances": 1,
    "dead_nodes": 3, "propagate_shapes": 1, "count_calls": 1,
    "generate_forward": 1, "compress_runs": 2, "predict_time": 1,
    "fast_swish_backward": 1, "is_faster": 5, "best_setting": 1, "loop_invariant": 2, "train": 2,
}  # fmt: skip
# The other right solutions differ in ways that no mutant tests.
ONE = ("right", "right_in_its_own", "right_with_norm", "right_by_timeline")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "path",
    [path for path in RIGHT if path.stem in ONE],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_every_mutant_that_does_something_else_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab, name = path.parents[1].name.removeprefix("lab_"), path.parent.name
    if lab in ("07", "08", "13", "15"):
        # No mutant there runs for ever, and a slow machine must not pass for a wrong answer.
        monkeypatch.setattr(mutants, "SECONDS", 30)
    passed = list(mutants.survivors(lab, name, path.stem))
    assert len(passed) == EQUIVALENT.get(name, 0), passed
