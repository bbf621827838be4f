"""What lab 04's exercises hold to be right, and that only what Numba compiled counts."""

from __future__ import annotations

import ast
import inspect
import json
import random
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from hpml.course.exercises.check import run, visible_cases
from hpml.course.exercises.exercise import Case
from hpml.course.exercises.outcomes import Returned
from hpml.labs.catalogue import find
from hpml.labs.lab_04_extensions_and_numba import references
from hpml.labs.lab_04_extensions_and_numba.harness import LAYOUTS, array

NOTEBOOK = Path(__file__).parents[3] / "notebooks" / "04_extensions_and_numba.ipynb"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_holds_the_same_numbers(layout: str) -> None:
    data = {"numbers": [1, 2, 3, 4, 5, 6], "shape": [2, 3], "dtype": "int32", "layout": layout}
    a = array({**data, "name": "a"})["a"]
    assert sorted(a.flat) == [1, 2, 3, 4, 5, 6]
    assert a.dtype == "int32"
    assert a.flags.c_contiguous is (layout in ("rows", "read-only"))
    assert a.flags.writeable is (layout != "read-only")


def test_numpy_agrees_with_what_is_right() -> None:
    for name, judged in (("sum2d", numpy_sum), ("pairwise_distances", numpy_distances)):
        exercise = find(name, "04")
        for case in exercise.cases(random.Random(0), True):
            (value,) = exercise.arguments(case.data).values()
            outcome = Returned({"result": judged(value), "compiled": True}, {})
            assert exercise.judge(case, outcome) is None, case.name


def numpy_sum(a: Any) -> Any:
    return a.sum(dtype=np.float64).item() if a.dtype.kind == "f" else int(a.sum())


def numpy_distances(points: Any) -> Any:
    from hpml.sandbox.plain import decode, encode

    return decode(encode(np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))))


def test_a_right_result_that_python_interpreted_is_refused() -> None:
    exercise = find("pairwise_distances", "04")
    cases = visible_cases(exercise)[:1]
    (plain,) = run(exercise, references.plain_distances, cases)
    wrong = exercise.judge(cases[0], plain)
    assert wrong is not None
    assert wrong.got == "one that Python interprets"
    (compiled,) = run(exercise, numba.njit(references.plain_distances), cases)
    assert exercise.judge(cases[0], compiled) is None


def test_calls_are_rounded_up_and_equal_times_pay() -> None:
    judge = find("calls_to_break_even", "04").judge
    for times, right in (((10.0, 4.0, 1.0), 4), ((9.0, 4.0, 1.0), 3), ((1.0, 2.0, 2.0), np.inf)):
        data = dict(zip(("compile_time", "slow", "fast"), times, strict=True))
        assert judge(Case("one", data), Returned(right, {})) is None
        assert judge(Case("one", data), Returned(right + 1 if right < 9 else 0, {})) is not None


def test_the_reference_is_what_the_notebook_gives() -> None:
    cells = ["".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]]
    (source,) = (text for text in cells if text.startswith("def plain_distances"))
    given, mine = (
        next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
        for text in (source, inspect.getsource(references))
    )
    statements = [ast.dump(node) for node in mine.body[1:]]  # the first is its docstring
    assert [ast.dump(node) for node in given.body] == statements
