"""What lab 04's exercises hold to be right, and that only what Numba compiled counts."""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path

import numba

from hpml.course.exercises.check import run, visible_cases
from hpml.labs.catalogue import find
from hpml.labs.lab_04_extensions_and_numba import references

NOTEBOOK = Path(__file__).parents[3] / "notebooks" / "04_extensions_and_numba.ipynb"


def test_a_right_result_that_python_interpreted_is_refused() -> None:
    exercise = find("pairwise_distances", "04")
    cases = visible_cases(exercise)[:1]
    (plain,) = run(exercise, references.plain_distances, cases)
    wrong = exercise.judge(cases[0], plain)
    assert wrong is not None
    assert wrong.got == "one that Python interprets"
    (compiled,) = run(exercise, numba.njit(references.plain_distances), cases)
    assert exercise.judge(cases[0], compiled) is None


def test_the_reference_is_what_the_notebook_gives() -> None:
    cells = ["".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]]
    (source,) = (text for text in cells if text.startswith("def plain_distances"))
    given, mine = (
        next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
        for text in (source, inspect.getsource(references))
    )
    statements = [ast.dump(node) for node in mine.body[1:]]  # the first is its docstring
    assert [ast.dump(node) for node in given.body] == statements
