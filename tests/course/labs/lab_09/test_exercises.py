from __future__ import annotations

import pytest

from hpml.course.labs.catalogue import find
from hpml.course.labs.lab_09_profiling.traces import events_of
from hpml.course.lesson.exercises.exercise import Case
from hpml.course.lesson.exercises.outcomes import Returned


def accepted(name: str, value: object, **data: object) -> bool:
    return find(name, "09").judge(Case("", data), Returned(value, {})) is None


@pytest.mark.parametrize(("name", "fits"), [("load", True), ("sum", True), ("main", False)])
def test_each_of_several_functions_with_the_most_time_is_accepted(name: str, fits: bool) -> None:
    events = events_of(("main", [1, ("load", [30]), ("sum", [("sorted", [30])])]))
    mine = {"main", "load", "sum"}
    assert accepted("name_the_bottleneck", name, events=events, mine=mine) is fits


@pytest.mark.parametrize(
    ("p", "error", "right"),
    [(0.2, 0.04, {100, 101}), (0.5, 0.05, {100}), (0.5, 0.25, {4}), (0.0, 0.1, {1})],
)
def test_where_floats_round_the_number_of_samples_both_are_accepted(
    p: float, error: float, right: set[int]
) -> None:
    found = {n for n in range(200) if accepted("samples_needed", n, p=p, error=error)}
    assert found == right
