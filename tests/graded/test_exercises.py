"""One test an exercise: it passes when the exercise earns all of its points."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hpml.course.grading.judge import Item


def test_exercise(graded: tuple[Item, int], record_property: Callable[[str, object], None]) -> None:
    item, seed = graded
    record_property("points", item.score)
    record_property("of", item.most)
    record_property("seed", seed)
    if item.printed:
        print(item.printed)
    if not item.right:
        earned = f"{item.title}: {item.status}, {item.out_of} points"
        pytest.fail(f"{earned}\n{item.text}", pytrace=False)
