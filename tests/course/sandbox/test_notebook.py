"""What a notebook says of a function is read without running any of it."""

from __future__ import annotations

import ast

import pytest

from hpml.course.sandbox.notebook import NOT_LITERAL, Program, parse


def program(*cells: str) -> Program:
    return parse(dict(enumerate(cells, start=1)))


def slice_of(name: str, *cells: str) -> list[str]:
    """Return the first line of each statement that `name` needs."""
    return [ast.unparse(each.node).split("\n")[0] for each in program(*cells).needed(name)]


class TestBroken:
    def test_a_cell_with_a_syntax_error_spoils_only_itself(self) -> None:
        found = program("def f(:\n  pass", "a = 1")
        assert [each.cell for each in found.broken] == [1]
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
        assert [each.cell for each in found.broken] == [1]

    def test_doubtful_python_warns_nobody(self) -> None:
        assert program("a = '\\d'\nb = a is 1").broken == ()


NEEDED: dict[str, tuple[list[str], list[str]]] = {
    "a helper, its import and its constant, in order": (
        ["import math\nimport os\nSCALE = 2", "print(os.getcwd())",
         "def helper(x): return math.sqrt(x) * SCALE", "plot = helper(3)",
         "def f(x): return helper(x)"],
        ["import math", "SCALE = 2", "def helper(x):", "def f(x):"],
    ),
    "every binding of a name": (
        ["N = 1", "def f(a=N): return a + N", "for N in range(3): pass"],
        ["N = 1", "def f(a=N):", "for N in range(3):"],
    ),
    "nothing for local names": (
        ["import graphlib\ndef order(): return graphlib",
         "def f(x):\n  order = [x]\n  return [order for x in order]"],
        ["def f(x):"],
    ),
    "what a function binds as global": (
        ["limit: int = 3", "def g():\n  global calls\n  calls = limit", "def f(): return calls"],
        ["limit: int = 3", "def g():", "def f():"],
    ),
    "helpers in a circle": (
        ["def f(): g()", "def g(): h()", "def h(): f(), g()"], ["def f():", "def g():", "def h():"],
    ),
    "the last definition": (["def f(): return 1", "def f(a): return 2"], ["def f(a):"]),
    "a definition whose default is the one before": (
        ["def f(): return 1", "def f(a, old=f): return old()"], ["def f():", "def f(a, old=f):"],
    ),
    "no value that a function replaced": (
        ["import graphlib", "g = graphlib", "def g(x): return x", "def f(x): return g(x)"],
        ["def g(x):", "def f(x):"],
    ),
    "a function that was called before it was replaced": (
        ["import graphlib", "def g(): return graphlib", "T = g()", "def g(): return 1",
         "def f(): return T, g()"],
        ["import graphlib", "def g():", "T = g()", "def g():", "def f():"],
    ),
    **{
        f"no value that was replaced: {own}": (
            ["import graphlib", "a = graphlib", own, "def f(x): return a"], [*needed, "def f(x):"],
        )
        for own, *needed in (
            ("a = 1", "a = 1"),
            ("a: int = 1", "a: int = 1"),
            ("a, b = 1, 2", "a, b = (1, 2)"),
            ("a = lambda x: a(x)", "a = lambda x: a(x)"),
            ("from math import pi as a", "from math import pi as a"),
            ("from x import d\n@d\ndef a(x): return a(x)", "from x import d", "@d"),
        )
    },
    **{
        f"the old value, which is read: {own}": (
            ["import graphlib", "a = graphlib", own, "def f(x): return a"],
            ["import graphlib", "a = graphlib", needed, "def f(x):"],
        )
        for own, needed in (
            ("a = a.x", "a = a.x"),
            ("a = [a for _ in 'x']", "a = [a for _ in 'x']"),
            ("@a.register\ndef a(x): pass", "@a.register"),
            ("class a(a): pass", "class a(a):"),
            ("a += 1", "a += 1"),
            ("if x: a = 1", "if x:"),
        )
    },
    "each step of a constant": (
        ["a = 5", "a = 0", "for _ in range(2):\n  a += 8", "def f(): return a"],
        ["a = 0", "for _ in range(2):", "def f():"],
    ),
    "a step in a function that is called after the value is set": (
        ["def g():\n  global a\n  a = 2", "a = 0", "def f(): return a, g"],
        ["def g():", "a = 0", "def f():"],
    ),
    "the function below which its name has another value": (
        ["import graphlib", "def f(): return graphlib", "f = None"],
        ["import graphlib", "def f():", "f = None"],
    ),
    "a star import, only for a name that nothing else binds": (
        ["from a import *", "def g(): return len", "def f(): return g()"],
        ["def g():", "def f():"],
    ),
    "a star import, for a name that may be its": (
        ["from a import *", "def f(): return g()"], ["from a import *", "def f():"],
    ),
    "what is stored in its objects": (
        ["t = []\nd = {}\nother = []", "t.append(1)", "other.append(t)", "d['x'] = 2\nu = t",
         "u.extend([3])", "print(f(1), t)", "def f(x): return t, d"],
        ["t = []", "d = {}", "t.append(1)", "d['x'] = 2", "u = t", "u.extend([3])",
         "print(f(1), t)", "def f(x):"],
    ),
    "what was stored before it was made again": (
        ["t = []", "t.append(1)", "t = []", "def f(x): return t"], ["t = []", "def f(x):"],
    ),
    "a module that the notebook writes": (
        ["with open('h.py', 'w') as _file:\n  _file.write('x = 1')", "from h import x",
         "def f(): return x"],
        ["with open('h.py', 'w') as _file:", "from h import x", "def f():"],
    ),
    "both modules of two imports that bind one name": (
        ["import a.b", "import a", "def f(): return a"], ["import a.b", "import a", "def f():"],
    ),
}  # fmt: skip


class TestNeeded:
    @pytest.mark.parametrize("what", NEEDED)
    def test_a_function_needs(self, what: str) -> None:
        cells, expected = NEEDED[what]
        assert slice_of("f", *cells) == expected

    def test_a_name_that_nothing_binds_needs_nothing(self) -> None:
        found = program("f = 3")
        assert (found.defines("g"), found.needed("g"), found.is_stub("g")) == (False, (), False)

    def test_with_postponed_annotations_they_are_not_needed(self) -> None:
        found = program("from __future__ import annotations", "X = 1\ndef f(a: X): pass")
        assert [each.binds for each in found.needed("f")] == [{"f"}]

    def test_an_earlier_version_ends_with_a_definition(self) -> None:
        cells = "def f(): return N", "N = 1", "M = 2", "def f(): return N + 1"
        assert [each.until for each in program(*cells).versions("f")] == [4, 1]
        assert [each.until for each in program(*cells, "N = 3").versions("f")] == [5, 4, 1]
        assert [each.until for each in program(*cells[:3]).versions("f")] == [3, 1]
        assert [each.until for each in program("N = 1", cells[0], "M = 2").versions("f")] == [3]
        lists = program("N = []", cells[0], "N.append(2)", "f()")
        assert [each.until for each in lists.versions("f")] == [4, 2]

    def test_a_version_ends_where_the_function_was_checked_last(self) -> None:
        cells = (
            "def f(): return g()",
            "def g(): pass",
            "check(f)",
            "r = hpml.check(f).right",
            "def g(x): 1",
        )
        assert [each.until for each in program(*cells).versions("f")] == [5, 4, 1]
        others = (
            "def f(): return g()",
            "def g(): pass",
            "check(g)",
            "def h(): check(f)",
            "def g(x): 1",
        )
        assert [each.until for each in program(*others).versions("f")] == [5, 1]


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
            ("explanation = 3\nexplanation = None  # 1, 2 or 3", 3),
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


def test_a_function_under_another_name_is_passed_in_order_to_be_called_too() -> None:
    cells = {
        1: "import torch\nimport plots",
        2: "def mine(n):\n    return n",
        3: "asked = mine",
        4: "def draw():\n    return plots.draw(asked, torch)",
        5: "plots.draw(asked, torch.ones(3))",
    }
    program = parse(cells)
    assert [statement.cell for statement in program.needed("asked")] == [2, 3]
    # What is stored in something else than a function counts.
    stored = parse({**cells, 2: "mine = [1]", 5: "mine.append(torch)"})
    assert 5 in [statement.cell for statement in stored.needed("asked")]
