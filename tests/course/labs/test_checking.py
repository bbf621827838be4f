"""What `check` and `explain` refuse before they judge anything."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from hpml.base.errors import describe
from hpml.course.labs import catalogue, checking
from hpml.course.labs.checking import explain, hint
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.predictions.session import lab_head
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


@pytest.mark.parametrize(
    "cell",
    [
        "answer = 2; explanation = answer",
        "explanation = int(2)",
        "explanation, other = 2, 3",
        "(explanation := 2)",
        "if True: explanation = 2",
        "for explanation in [2]: pass",
        "import explanations as explanation",
    ],
)
def test_a_choice_that_grading_cannot_read_is_refused_in_the_notebook(
    cell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab_head(0, "Start here")
    cells = ["explanation = None\nexplain(explanation)", f"{cell}\nexplain(explanation)"]
    shell = SimpleNamespace(user_ns={"In": cells, "explanation": 2}, execution_count=2)
    monkeypatch.setattr(checking, "notebook_shell", lambda: shell)
    with raises(LabError, object="choice of explain", expected="number", remedy="explanation = 2"):
        explain(2)


@pytest.mark.parametrize(
    "cell", ["explanation = 2", "explanation: int = 2", "%time\nexplanation = 2  # 1, 2 or 3"]
)
def test_a_choice_that_grading_reads_is_judged(cell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lab_head(0, "Start here")
    cells = ["explanation = None", "int(2)", f"{cell}\nexplain(explanation)", "print(2)"]
    shell = SimpleNamespace(user_ns={"In": cells, "explanation": 2}, execution_count=2)
    monkeypatch.setattr(checking, "notebook_shell", lambda: shell)
    assert "You chose 2. " in explain(2).plain
