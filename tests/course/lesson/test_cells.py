from __future__ import annotations

import ast
import json

import pytest

from hpml.base.errors import describe
from hpml.course.lesson.cells import NotebookError, as_python, code_cells
from hpml.course.sandbox.notebook import Program, parse
from tests.parts import raises


def notebook(*cells: str | list[str]) -> str:
    found = [{"cell_type": "code", "source": source} for source in cells]
    return json.dumps({"cells": found})


def program(source: str) -> Program:
    return parse({1: as_python(source)})


def test_a_cell_may_be_a_text_or_a_list_of_lines() -> None:
    assert code_cells(notebook(["a = 1\n", "b = 2"], "c = 3")) == {1: "a = 1\nb = 2", 2: "c = 3"}


def test_markdown_and_what_is_no_cell_are_skipped_but_counted() -> None:
    cells = [
        {"cell_type": "markdown", "source": "a = 1"},
        None,
        {"cell_type": "code", "source": ["a = ", None, "2"]},
    ]
    assert code_cells(json.dumps({"cells": cells})) == {3: "a = 2"}


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_every_kind_of_line_end_and_a_mark_at_the_start_are_read(newline: str) -> None:
    assert code_cells("\ufeff" + notebook(f"a = 1{newline}b = 2")) == {1: "a = 1\nb = 2"}


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "def f(): pass"])
def test_what_is_no_json_is_no_notebook(text: str) -> None:
    with raises(NotebookError, object="notebook", expected="JSON", remedy="Jupyter") as caught:
        code_cells(text)
    assert caught.value.received


@pytest.mark.parametrize("text", ["[]", "null", "3", "{}", '{"cells": 3}'])
def test_json_without_cells_is_no_notebook(text: str) -> None:
    received = describe(json.loads(text))
    with raises(NotebookError, object="notebook", expected="cells", received=received):
        code_cells(text)


def test_a_notebook_of_too_many_cells_is_refused() -> None:
    with raises(NotebookError, object="notebook", expected="2", received="3", remedy="answers"):
        code_cells(notebook("a", "b", "c"), most=2)


@pytest.mark.parametrize(
    "source",
    [
        "%matplotlib inline\na = 1",
        "\n%%capture out\na = 1",
        "%%unknown\n%time a = 1",
        "  a = 1\n  b = 2",
        "if True:\n    %timeit f('\na = 1",
        "files = !ls\na = 1",
        "f?\na = 1",
        "%run x \\\n  more \\\n  still\na = 1",
        "text = '''\n%not a magic\n'''\n!ls\na = 1",
        "rest = (7\n  % 4)\n%time a = 1",
        "x = {'(': 1}  # it's (\n!ls\na = 1",
        ">>> a = 1\n>>> b = a",
        "In [3]: a = 1",
        "%prun a = 1",
    ],
)
def test_syntax_of_ipython_does_not_spoil_the_cell(source: str) -> None:
    found = program(source)
    assert found.broken == ()
    assert found.literal("a") == 1


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%script python"])
def test_a_cell_in_another_language_is_empty(magic: str) -> None:
    assert program(f"{magic}\na = 1").statements == ()


def test_a_file_that_a_cell_writes_is_written_by_python() -> None:
    (statement,) = program("%%writefile x.py\na = 1").statements
    assert ast.unparse(statement.node).splitlines()[0] == "with open('x.py', 'w') as _file:"


def test_python_that_looks_like_a_magic_stays() -> None:
    assert program("rest = (7\n  % 4)\ntext = '''\n!a\n?\n'''").literal("text") == "\n!a\n?\n"


def test_a_long_line_of_blanks_is_read() -> None:
    assert program("a = 1\n" + " " * 300_000 + "\n" * 300_000).broken == ()
