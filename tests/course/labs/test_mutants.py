from __future__ import annotations

import pytest

from hpml.course.labs.catalogue import find
from tests.course.labs import mutants
from tests.course.labs.sentences import read

pytestmark = [pytest.mark.usefixtures("quick_to_collect"), pytest.mark.thorough]

# The other right solutions differ in ways that no mutant tests.
ONE = ("right", "right_in_its_own", "right_with_norm", "right_by_timeline")
RIGHT = [p for p in sorted(mutants.SOLUTIONS.glob("lab_*/*/right*.py")) if p.stem in ONE]
BY_EXERCISE: dict[tuple[str, str], list[str]] = {}
for path in RIGHT:
    key = path.parents[1].name.removeprefix("lab_"), path.parent.name
    BY_EXERCISE.setdefault(key, []).append(path.stem)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("lab", "name", "solutions"),
    [(*key, stems) for key, stems in BY_EXERCISE.items()],
    ids=[name for _, name in BY_EXERCISE],
)
def test_every_mutant_is_refused_or_explained(
    lab: str, name: str, solutions: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if lab in ("07", "08", "13", "15"):
        # No mutant there runs for ever, and a slow machine must not pass for a wrong answer.
        monkeypatch.setattr(mutants, "SECONDS", 30)
    passed = {what for stem in solutions for what in mutants.survivors(lab, name, stem)}
    explained = read(find(name, lab)).equivalent
    assert passed == set(explained)
    assert all(reason.strip() for reason in explained.values())
