"""What defines a function is found in any notebook, and nothing of it is run."""

from __future__ import annotations

import ast
import json

import pytest

from hpml.sandbox.cells import NotebookError
from hpml.sandbox.notebook import NOT_LITERAL, Program, parse, read


def notebook(*cells: str | list[str], **more: object) -> str:
    found = [
        {"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in cells
    ]
    return json.dumps({"cells": found, "nbformat": 4, "nbformat_minor": 5, "metadata": {}, **more})


def program(*cells: str) -> Program:
    return read(notebook(*cells))


def slice_of(name: str, *cells: str) -> list[str]:
    """Return the first line of each statement that `name` needs."""
    return [ast.unparse(each.node).split("\n")[0] for each in program(*cells).needed(name)]


class TestReading:
    def test_a_cell_may_be_a_text_or_a_list_of_lines(self) -> None:
        found = read(notebook(["a = 1\n", "b = 2"], "c = 3"))
        assert [each.cell for each in found.statements] == [1, 1, 2]
        assert [each.line for each in found.statements] == [1, 2, 1]

    def test_markdown_and_what_is_no_cell_are_passed_over_but_counted(self) -> None:
        cells = [
            {"cell_type": "markdown", "source": "a = 1"},
            None,
            {"cell_type": "code"},
            {"cell_type": "code", "source": {"a": 1}},
            {"cell_type": "code", "source": ["a = ", None, "2"]},
        ]
        found = read(json.dumps({"cells": cells}))
        assert [(each.cell, each.binds) for each in found.statements] == [(5, {"a"})]

    @pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
    def test_every_kind_of_line_end_and_a_mark_at_the_start_are_read(self, newline: str) -> None:
        text = "\ufeff" + notebook(f"a = 1{newline}b = 2")
        assert [each.line for each in read(text).statements] == [1, 2]

    @pytest.mark.parametrize(
        "text", ["", "{", "[]", "null", "3", "{}", '{"cells": 3}', "[" * 100_000, "def f(): pass"]
    )
    def test_what_is_no_notebook_is_refused_in_one_sentence(self, text: str) -> None:
        with pytest.raises(NotebookError, match=r"^This is not a notebook[^\n]*\.$"):
            read(text)


class TestBroken:
    def test_a_cell_with_a_syntax_error_spoils_only_itself(self) -> None:
        found = program("def f(:\n  pass", "a = 1")
        assert [(each.cell, each.line) for each in found.broken] == [(1, 1)]
        assert found.literal("a") == 1

    @pytest.mark.parametrize(
        "source",
        [
            "a = 1\x00",
            "(" * 5000,
            "-" * 200_000 + "1",
            "a" + ".b" * 100_000,
            "1" + "+1" * 100_000,
            "[" * 150 + "]" * 150,
            "a = '\ud800'",
            "x = " + "9" * 5000,
            "  a = 1",
            "\n".join(" " * depth + "if a:" for depth in range(150)),
            "if a: pass\n" + "elif a: pass\n" * 5000,
        ],
        ids=lambda source: ascii(source[:12]),
    )
    def test_a_hostile_cell_spoils_only_itself(self, source: str) -> None:
        found = program(source, "def f(): return 1")
        assert found.defines("f")
        assert all(each.cell == 1 for each in found.broken)

    def test_a_statement_that_cannot_be_compiled_spoils_only_itself(self) -> None:
        found = program("a = 1\nreturn 3\nb = 2")
        assert (found.literal("a"), found.literal("b")) == (1, 2)
        assert [(each.cell, each.line) for each in found.broken] == [(1, 2)]

    def test_doubtful_python_warns_nobody(self) -> None:
        assert program("a = '\\d'\nb = a is 1").broken == ()


class TestMagics:
    @pytest.mark.parametrize(
        "source",
        [
            "%matplotlib inline\na = 1",
            "!ls (\na = 1",
            "%%time\na = 1",
            "\n%%capture out\na = 1",
            "if True:\n    %timeit f('\na = 1",
            "files = !ls\na = 1",
            "t = %timeit -o f()\na = 1",
            "f?\na = 1",
            "?f\nf.g??\na = 1",
            "%run x \\\n  more \\\n  still\na = 1",
            "text = '''\n%not a magic\n'''\n!ls\na = 1",
            "rest = (7\n  % 4)\n%time f()\na = 1",
            "rest = 7 \\\n  % 4\n!ls\na = 1",
            "x = {'(': 1}  # it's (\n!ls\na = 1",
            "await f()\na = 1",
            "x, y = !ls\na = 1",
        ],
    )
    def test_lines_of_ipython_do_not_spoil_the_cell(self, source: str) -> None:
        found = program(source)
        assert found.broken == ()
        assert found.literal("a") == 1
        last = found.statements[-1]
        assert source.split("\n")[last.line - 1] == "a = 1"

    @pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%writefile x.py", "%%script python"])
    def test_a_cell_in_another_language_is_empty(self, magic: str) -> None:
        found = program(f"{magic}\na = 1")
        assert (found.broken, found.statements) == ((), ())

    def test_python_that_looks_like_a_magic_stays(self) -> None:
        found = program("rest = (7\n  % 4)\ntext = '''\n!a\n?\n'''")
        assert found.literal("text") == "\n!a\n?\n"
        assert ast.unparse(found.statements[0].node) == "rest = 7 % 4"

    def test_a_long_line_of_blanks_takes_no_time_to_speak_of(self) -> None:
        assert program("!ls" + " " * 300_000 + "\n" * 300_000).broken == ()


HELPER = "def helper(x): return math.sqrt(x) * SCALE"
STAR = "from math import *"
NEEDED: dict[str, tuple[list[str], list[str]]] = {
    "a helper, its import and its constant, in order": (
        ["import math\nimport os\nSCALE = 2", "print(os.getcwd())", HELPER, "plot = helper(3)",
         "def f(x): return helper(x)"],
        ["import math", "SCALE = 2", "def helper(x):", "def f(x):"],
    ),
    "a helper that is defined after its user": (
        ["def f(): return g()", "def g(): return 1"], ["def f():", "def g():"],
    ),
    "at once the earlier binding, inside the last": (
        ["N = 1", "def f(a=N): return a + N", "N = 2"], ["N = 1", "def f(a=N):", "N = 2"],
    ),
    "a recursive function once": (["def f(n): return f(n - 1)", "f = 3"], ["def f(n):"]),
    "decorators, defaults, bases and annotations": (
        ["from functools import lru_cache\nfrom collections.abc import Sequence",
         "class Base: pass\nclass Node(Base):\n    size = 3", "EMPTY = ()",
         "@lru_cache(maxsize=None)\ndef f(a: Sequence, b=EMPTY): return Node()"],
        ["from functools import lru_cache", "from collections.abc import Sequence",
         "class Base:", "class Node(Base):", "EMPTY = ()", "@lru_cache(maxsize=None)"],
    ),
    "nothing for local names": (
        ["import graphlib\ndef order(): return graphlib",
         "def f(x):\n  order = [x]\n  return [order for x in order]"],
        ["def f(x):"],
    ),
    "global constants and counters": (
        ["calls = 0\nlimit: int = 3", "def f():\n  global calls\n  calls += limit"],
        ["calls = 0", "limit: int = 3", "def f():"],
    ),
    "a constant that is added to": (
        ["N = 1\nN += 1", "def f(): return N"], ["N = 1", "N += 1", "def f():"],
    ),
    "a star import for an unknown name": ([STAR, "def f(): return sqrt(2)"], [STAR, "def f():"]),
    "no star import for a known one": ([STAR, "def f(): return len('')"], ["def f():"]),
    "no other name that a call gives": (["def f(): return 1", "f = timed(f)"], ["def f():"]),
    "helpers in a circle": (
        ["def f(): g()", "def g(): h()", "def h(): f(), g()"], ["def f():", "def g():", "def h():"],
    ),
    "the last of two definitions": (
        ["def f(): return 1", "def f(a): return 2"], ["def f(a):"],
    ),
}  # fmt: skip


class TestNeeded:
    @pytest.mark.parametrize("what", NEEDED)
    def test_a_function_needs(self, what: str) -> None:
        cells, expected = NEEDED[what]
        assert slice_of("f", *cells) == expected

    def test_with_postponed_annotations_they_are_not_needed(self) -> None:
        future = "from __future__ import annotations"
        found = program(future, "X = 1\ndef f(a: X): pass")
        assert [each.binds for each in found.needed("f")] == [{"f"}]
        assert compile("a: b", "", "exec", found.flags, dont_inherit=True)
        assert found.flags

    @pytest.mark.parametrize(
        "value",
        [
            "3", "-2 * 1e3", "[1, {'a': (2,)}]", "float('inf')", "dict[str, list[str]]", "{}",
            "set()", "collections.defaultdict(list)", "lambda x: print(x)", "f'{3}'",
            "1 if True else 2",
        ],
    )  # fmt: skip
    def test_literals_and_aliases_are_run(self, value: str) -> None:
        assert len(slice_of("f", f"N = {value}", "def f(): return N")) == 2

    def test_a_function_inside_of_if_or_try_is_found(self) -> None:
        source = "if sys.version_info > (3,):\n  def f(): return 1\nelse:\n  def f(): pass"
        assert slice_of("f", "import sys", source)[0] == "import sys"
        attempt = "try:\n  import numpy as np\nexcept ImportError:\n  np = None"
        assert slice_of("f", attempt, "def f(): return np") == ["try:", "def f():"]

    def test_a_lambda_an_async_function_and_a_class_count_as_definitions(self) -> None:
        cells = "f = lambda x: x", "async def g(): pass", "class C: pass", "from m import h"
        assert all(program(*cells).defines(name) for name in "fgCh")

    def test_what_is_not_there_needs_nothing(self) -> None:
        found = program("f = 3")
        assert (found.defines("f"), found.needed("f"), found.needed("g")) == (False, (), ())


class TestLiteral:
    @pytest.mark.parametrize(
        ("source", "value"),
        [
            ("explanation = 2", 2),
            ("explanation: int = 2", 2),
            ("explanation = -1", -1),
            ("explanation = '2'", "2"),
            ("explanation = None  # 1, 2 or 3", None),
            ("explanation = 1\nexplanation = 3", 3),
            ("explanation = other = 2", 2),
        ],
    )
    def test_the_value_assigned_last(self, source: str, value: object) -> None:
        assert program(source).literal("explanation") == value

    @pytest.mark.parametrize(
        "source",
        [
            "",
            "explanation = int(2)",
            "explanation = 1\nexplanation += 1",
            "explanation = x",
            "explanation, y = 1, 2",
            "explanation = 1\nfor explanation in (2,): pass",
            "explanation = 1\ndel explanation",
            "explanation: int",
            "def explanation(): return 2",
            "def f():\n  explanation = 2",
        ],
    )
    def test_anything_else_is_none(self, source: str) -> None:
        assert program(source).literal("explanation") is NOT_LITERAL


class TestStub:
    @pytest.mark.parametrize(
        "body",
        [
            "pass",
            "...",
            "'''What it does.'''",
            "'''What it does.'''\n  return ...",
            "return None",
            "return",
            "raise NotImplementedError",
            "'''Doc.'''\n  raise NotImplementedError('yours')",
            "# your lines\n  pass",
        ],
    )
    def test_a_body_that_does_nothing_is_a_stub(self, body: str) -> None:
        assert program(f"def f(a: int) -> int:\n  {body}").is_stub("f")

    @pytest.mark.parametrize("body", ["return []", "print(a)", "raise ValueError", "a = 1"])
    def test_a_body_that_does_something_is_none(self, body: str) -> None:
        assert not program(f"def f(a):\n  {body}").is_stub("f")

    def test_every_definition_must_be_one(self) -> None:
        assert program("def f(): ...", "def f(): pass").is_stub("f")
        assert not program("def f(): return 1", "def f(): pass").is_stub("f")
        assert not program("def f(): pass", "if True:\n  def f(): return 1").is_stub("f")
        assert not program("").is_stub("f")


def test_sources_can_be_parsed_without_a_notebook() -> None:
    assert parse({3: "a = 1"}).statements[0].cell == 3
