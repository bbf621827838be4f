from __future__ import annotations

import pytest

from hpml.course.sandbox.forbidden import uses
from hpml.course.sandbox.notebook import parse


def found(source: str, **forbidden: list[str]) -> list[str]:
    return [str(use) for use in uses(parse({1: source}).statements, **forbidden)]


FOUND = {
    "modules": [
        "import graphlib",
        "import os, graphlib",
        "from graphlib import TopologicalSorter as T",
        "try:\n  import graphlib\nexcept ImportError: pass",
        "g = __import__('graphlib')",
        "import importlib\ng = importlib.import_module('graphlib')",
    ],
    "names": [
        "import sys\nsys.getsizeof(3)",
        "from sys import getsizeof as size",
        "getattr(sys, 'getsizeof')",
        "operator.attrgetter('getsizeof')",
        "def f(make): return make(getsizeof=True)",
    ],
    "calls": [
        "sorted(x)",
        "s = sorted\ndef f(): return s(x)",
        "def f(x, key=sorted): return key(x)",
        "import builtins\nbuiltins.sorted(x)",
        "from builtins import sorted as s\ns(x)",
    ],
}
FORBIDDEN = {"modules": ["graphlib"], "names": ["getsizeof"], "calls": ["sorted"]}


@pytest.mark.parametrize(("kind", "source"), [(k, s) for k in FOUND for s in FOUND[k]])
def test_what_is_forbidden_is_found(kind: str, source: str) -> None:
    assert found(source, **{kind: FORBIDDEN[kind]})


@pytest.mark.parametrize(
    "source",
    [
        "def graphlib(): pass\ngraphlib()",
        "x = 'import graphlib'",
        "def f(graphlib): return graphlib.x",
        "def sorted(x): return x\nsorted(1)",
        "def f(sorted): return sorted(1)",
        "# sorted(x), graphlib, getsizeof",
        "d = {}\nd['getsizeof'] = 'sorted'",
        "import importlib\nimportlib.import_module('math')",
    ],
)
def test_what_only_looks_alike_is_not(source: str) -> None:
    assert not found(source, **FORBIDDEN)


def test_uses_are_named_by_line_in_the_order_of_the_source() -> None:
    source = "import graphlib\n\ndef f(x):\n  return graphlib.x(sorted(x))"
    assert found(source, modules=["graphlib"], calls=["sorted"]) == [
        "line 1: import graphlib",
        "line 4: sorted",
    ]


def test_only_what_the_function_needs_is_looked_at() -> None:
    program = parse({1: "import graphlib\nprint(graphlib)", 2: "def f(): return 1"})
    assert uses(program.needed("f"), modules=["graphlib"]) == ()
    program = parse({1: "import graphlib", 2: "def g(): return graphlib", 3: "def f(): return g()"})
    assert [use.cell for use in uses(program.needed("f"), modules=["graphlib"])] == [1]


def test_a_name_that_no_function_may_use_may_give_a_value_beforehand() -> None:
    before = "import sys\nE = sys.getsizeof([])\ndef f(n):\n    return E + n"
    assert uses(parse({1: before}).needed("f"), inside=["getsizeof"]) == ()
    hidden = [
        "import sys\ndef f(n):\n    return sys.getsizeof([0] * n)",
        "from sys import getsizeof as g\ndef f(n):\n    return g([0] * n)",
        "import sys\ng = sys.getsizeof\ndef f(n):\n    return g([0] * n)",
        "import sys\ng = lambda x: sys.getsizeof(x)\ndef f(n):\n    return g([0] * n)",
        "from sys import getsizeof\ndef f(n, getsizeof=getsizeof):\n    return getsizeof([0] * n)",
        "from sys import getsizeof\ndef f(n, *, size=getsizeof):\n    return size([0] * n)",
        "import sys\ng: object = sys.getsizeof\ndef f(n):\n    return g([0] * n)",
        "import sys\ng, _ = sys.getsizeof, len\ndef f(n):\n    return g([0] * n)",
        "import functools, sys\ng = functools.partial(sys.getsizeof)\ndef f(n):\n    return g([n])",
        "import sys\ntools = [sys.getsizeof]\ndef f(n):\n    return tools[0]([0] * n)",
        "import sys\nd = {'g': sys.getsizeof}\ne = d\ndef f(n):\n    return e['g']([0] * n)",
        "import sys\n(g := sys.getsizeof)\ndef f(n):\n    return g([0] * n)",
        "import sys\nfor g in [sys.getsizeof]: pass\ndef f(n):\n    return g([0] * n)",
        "import sys\ng = getattr(sys, 'getsizeof')\ndef f(n):\n    return g([0] * n)",
        "import sys\nh = sys.getsizeof\ng = h\ndef f(n):\n    return g([0] * n)",
        "import sys\nt = [sys.getsizeof([0] * n) for n in range(99)]\ndef f(n):\n    return t[n]",
        "import sys\nclass T:\n    g = sys.getsizeof\ndef f(n):\n    return T.g([0] * n)",
    ]
    for source in hidden:
        assert uses(parse({1: source}).needed("f"), inside=["getsizeof"]), source
