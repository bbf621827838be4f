"""What a function needs beyond its definition: a notebook may be written in any style."""

from __future__ import annotations

import ast

import pytest

from tests.sandbox.test_notebook import program, slice_of


@pytest.mark.parametrize(
    "statement",
    [
        "N = object()",
        "N = [math.sqrt(x) for x in range(3)]",
        "(N := 3)",
        "with quiet(): import numpy as N",
        "for N in range(3): pass",
        "if x():\n  N = 1",
    ],
)
def test_what_is_computed_is_run_where_the_function_needs_it(statement: str) -> None:
    assert slice_of("f", statement, "print(N)", "def f(): return N")[1:] == ["def f():"]
    assert slice_of("f", statement, "def f(): return 3") == ["def f():"]


@pytest.mark.parametrize("before", ["N = 1", "def N(): pass"])
def test_what_is_computed_is_not_run_beside_a_literal_or_a_definition(before: str) -> None:
    found = slice_of("f", before, "N = measure()", "def f(): return N")
    assert found == [before.replace(" pass", ""), "def f():"]


@pytest.mark.parametrize(
    "statement",
    [
        "TABLE['a'] = 3",
        "TABLE['a']['b'] += load()",
        "TABLE.update(a=3)",
        "for k in range(3):\n  TABLE[k] = k",
        "f.calls = 0",
        "sys.setrecursionlimit(10 ** 6)",
    ],
)
def test_what_fills_a_table_or_allows_to_recurse_comes_along(statement: str) -> None:
    cells = "TABLE = {}", statement, "def f(): return TABLE"
    assert slice_of("f", *cells)[1] == statement.split("\n")[0]


@pytest.mark.parametrize(
    "statement", ["OTHER['a'] = 3", "print(TABLE)", "show(TABLE.update)", "os.x = TABLE"]
)
def test_what_only_looks_at_a_table_does_not(statement: str) -> None:
    cells = "import os\nTABLE = OTHER = {}", statement, "def f(): return TABLE, os"
    assert len(slice_of("f", *cells)) == 3


def test_what_a_decorator_registers_comes_along_what_it_wraps_does_not() -> None:
    register = "def register(f):\n  TABLE[f.__name__] = f\n  return f"
    count = "def count(f):\n  TABLE[f.__name__] += 1\n  return f"
    cells = "TABLE = {}", "@register\ndef g(): return 1", "def f(): return TABLE['g']()"
    assert slice_of("f", register, *cells) == [
        "def register(f):", "TABLE = {}", "@register", "def f():",
    ]  # fmt: skip
    assert len(slice_of("f", count, cells[0], "@count\ndef g(): pass", cells[2])) == 2


def test_the_block_of_the_main_program_is_part_of_the_cell() -> None:
    guard = "if __name__ == '__main__':\n  def f(): return 1\n  check(f)"
    assert slice_of("f", guard) == ["def f():"]
    assert slice_of("f", guard.replace("==", "!=")) == ["if __name__ != '__main__':"]


@pytest.mark.parametrize(
    "statement",
    ["f = partial(g, 1)", "f = g", "f: object = Solver()", "f = Tools.g", "f = TABLE['g']"],
)
def test_a_function_may_be_made_by_an_expression(statement: str) -> None:
    stub = "def f(): ..."
    assert slice_of("f", "def g(x): return x", stub, statement)[-1] == ast.unparse(
        ast.parse(statement)
    )
    assert not program(stub, statement).is_stub("f")
    assert not program("f = 3", "f = 'g'", "f += 1", "print(f)").defines("f")


def test_a_stub_below_the_answer_does_not_take_its_place() -> None:
    cells = "def f(): return 1", "def f(): ..."
    assert slice_of("f", *cells) == ["def f():"]
    assert [each.cell for each in program(*cells).needed("f")] == [1]
