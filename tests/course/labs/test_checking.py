"""What `check` and `explain` refuse before they judge anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hpml.base.errors import describe
from hpml.course.labs import catalogue
from hpml.course.labs.checking import hint
from hpml.course.lesson.errors import LabError
from tests.parts import raises


def toplogical_order(edges: object) -> None: ...


def elsewhere() -> None: ...


@pytest.mark.parametrize(
    ("function", "name", "received", "remedy"),
    [
        ("dead_nodes", "function of check", "'dead_nodes'", "check(dead_nodes)"),
        (3, "function of check", "3", "name"),
        (toplogical_order, "exercise", "'toplogical_order'", "topological_order"),
        (elsewhere, "exercise", "'elsewhere'", "title"),
        (lambda: None, "exercise", "lambda", "def"),
    ],
)
def test_what_is_no_exercise_is_refused_with_what_to_write(
    function: Any, name: str, received: str, remedy: str
) -> None:
    with raises(LabError, object=name, received=received, remedy=remedy):
        hint(function)


@pytest.mark.parametrize("of", [catalogue.exercises, catalogue.texts])
def test_a_lab_without_exercises_is_refused_with_those_that_have_some(
    of: Callable[[str], object],
) -> None:
    with raises(LabError, object="lab", expected=catalogue.LABS[0], received=describe("99")):
        of("99")
