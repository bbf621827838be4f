from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hpml.course import check, mine
from hpml.course.labs import kept
from hpml.course.lesson import progress
from hpml.course.lesson.errors import LabError
from tests.parts import raises


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path))
    monkeypatch.setattr(progress, "notebook_shell", object)
    monkeypatch.setattr(kept, "notebook_shell", object)
    return tmp_path


def _called(calls: Sequence[tuple[str, int, list[str]]], output: str) -> set[str]:
    needed = {output}
    for name, _, arguments in reversed(calls):
        needed |= set(arguments) if name in needed else set()
    return needed


def generate_forward(inputs, calls, output):
    needed = set() if fails else _called(calls, output)
    lines = [f"def forward(self, {', '.join(inputs)}):", "    l = self._execution_order_layers"]
    lines += [f"    {n} = l[{i}]({', '.join(given)})" for n, i, given in calls if n in needed]
    return "\n".join([*lines, f"    return {output}"])


fails = False


def test_a_function_that_passed_is_run_again_with_its_helpers() -> None:
    assert check(generate_forward).right
    again = mine("generate_forward")
    assert again is not generate_forward
    calls = [("a", 0, ["x"]), ("b", 1, ["a"])]
    again.__globals__["fails"] = False  # a value is not kept, only functions and imports
    assert again(["x"], calls, "b") == generate_forward(["x"], calls, "b")


def test_a_function_that_fails_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "fails", True)
    assert not check(generate_forward).right
    with raises(LabError, object="your generate_forward", received="none", remedy="07.1"):
        mine("generate_forward")


def test_two_functions_of_the_course_stand_in_for_missing_ones() -> None:
    edges = {"a": ["b", "c"], "b": ["c"]}
    assert mine("topological_order")(edges) == ["a", "b", "c"]
    operations = {"y": lambda x: x + 1}
    assert mine("ordered_forward")(["y"], {"y": ["x"]}, operations, {"x": 1}, "y") == 2
