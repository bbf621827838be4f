from __future__ import annotations

from typing import Any

import pytest

from hpml.course.sandbox.forbidden import uses
from hpml.course.sandbox.held import held
from hpml.course.sandbox.notebook import parse
from tests.course.sandbox.hidden import ALLOWED, HELD, SPELT


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


MEASURING = ("getsizeof", "__sizeof__")


@pytest.mark.parametrize("how", SPELT)
def test_what_hides_a_forbidden_name_is_found_in_the_source(how: str) -> None:
    assert uses(parse({1: SPELT[how]}).needed("f"), inside=MEASURING)


def test_a_limit_that_is_raised_anywhere_is_raised_for_every_function() -> None:
    raised = parse({1: "import sys\nsys.setrecursionlimit(9999)", 2: "def f(n): return n"})
    found = uses(raised.needed("f"), names=["setrecursionlimit"])
    assert [(use.cell, use.line, use.what) for use in found] == [(1, 2, "setrecursionlimit")]
    threads = "import torch\ntorch.set_num_threads({0})\ndef f(n): return n"
    forbidden = {"names": ["set_num_threads"]}
    assert uses(parse({1: threads.format(8)}).needed("f"), **forbidden)
    assert not uses(parse({1: threads.format(1)}).needed("f"), **forbidden)
    # Who may not import torch may set its threads in another cell.
    assert not uses(parse({1: threads.format(8)}).needed("f"), modules=["torch"])


SCOPES = {
    "a parameter of another function": "def g(sorted): pass\ndef f(x): return sorted(g(x))",
    "a name that is deleted again": "def sorted(x): pass\ndel sorted\ndef f(x): return sorted(x)",
    "a name that is bound perhaps": "if len('') > 1: sorted = 1\ndef f(x): return sorted(x)",
    "a name of its own that is the builtin": "s = sorted\nsorted = s\ndef f(x): return sorted(x)",
    "a module under another name": "import builtins as b\ndef f(x): return b.sorted(x)",
}


@pytest.mark.parametrize("how", SCOPES)
def test_a_name_is_the_builtin_unless_the_notebook_binds_it_for_certain(how: str) -> None:
    assert uses(parse({1: SCOPES[how]}).needed("f"), calls=["sorted"])


@pytest.mark.parametrize(
    "line", ["import torch.autograd as a", "from torch.autograd import grad as a"]
)
def test_a_module_whose_name_is_forbidden_is_found_under_another(line: str) -> None:
    assert uses(parse({1: f"{line}\ndef f(x): return a(x)"}).needed("f"), names=["autograd"])


def _held_by(source: str) -> tuple[str, ...]:
    namespace: dict[str, Any] = {"__name__": "of a notebook"}
    exec(compile(source, "<cell>", "exec"), namespace)
    return held(namespace["f"], namespace, (), MEASURING)


@pytest.mark.parametrize("how", HELD)
def test_what_the_source_does_not_tell_is_found_in_the_values(how: str) -> None:
    assert _held_by(HELD[how])[0].startswith("getsizeof")


def test_many_numbers_hide_nothing_and_take_no_time() -> None:
    source = "import sys\nt = [*range(10**5), sys.getsizeof]\ndef f(n): return t[-1](n)"
    assert _held_by(source) == ("getsizeof, held by t",)
    assert _held_by("t = [[] for _ in range(10**5)]\nt += [t]\ndef f(n): return t") == ()


@pytest.mark.parametrize("how", ALLOWED)
def test_measuring_beside_the_function_is_no_use(how: str) -> None:
    assert uses(parse({1: ALLOWED[how]}).needed("f"), inside=MEASURING) == ()
    assert _held_by(ALLOWED[how]) == ()
