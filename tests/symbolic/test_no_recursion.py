"""No function of the library calls itself, directly or through others of its file."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import hpml.symbolic

FOLDER = Path(hpml.symbolic.__file__).parent
FILES = sorted(FOLDER.rglob("*.py"))


def recursive_functions(source: str) -> set[str]:
    """Return the functions that can reach themselves through calls within one file.

    A call ``name(…)`` reaches the function of that name, and ``self.name(…)`` the method of that
    name in the same class; a function that is handed on counts as called. A name that is a
    parameter or a variable is none of these, and ``other.name(…)`` may be anything's method.
    """
    calls: dict[str, set[str]] = {}
    # Node, the class it stands in, the function it stands in, the variables seen from there.
    waiting: list[tuple[ast.AST, str, str, frozenset[str]]]
    waiting = [(ast.parse(source), "", "", frozenset())]
    while waiting:
        node, owner, function, variables = waiting.pop()
        if isinstance(node, ast.ClassDef):
            owner = f"{node.name}."
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function, variables = owner + node.name, variables | variables_of(node)
            calls.setdefault(function, set())
            owner = owner if function.startswith(owner) else ""
        elif function and isinstance(node, ast.Name) and node.id not in variables:
            calls[function].add(node.id)
        elif (
            function
            and isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("self", "cls")
        ):
            calls[function].add(owner + node.attr)
        waiting += [(child, owner, function, variables) for child in ast.iter_child_nodes(node)]

    reached = {name: called & set(calls) for name, called in calls.items()}
    grown = True
    while grown:
        further = {
            name: called.union(*(reached[other] for other in called))
            for name, called in reached.items()
        }
        grown, reached = further != reached, further
    return {name for name, called in reached.items() if name in called}


def variables_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    parameters = function.args
    named = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
    stored = [
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return {argument.arg for argument in named} | set(stored)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER)))
def test_no_function_calls_itself(file: Path) -> None:
    assert recursive_functions(file.read_text(encoding="utf-8")) == set()


def test_the_package_is_looked_at() -> None:
    assert {"collection.py", "symbolic_model.py", "lazy.py"} <= {file.name for file in FILES}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(n):\n    return f(n - 1)", {"f"}),
        ("def f(n):\n    return g(n)\ndef g(n):\n    return f(n)", {"f", "g"}),
        ("def f(n):\n    return list(map(f, n))", {"f"}),
        ("class A:\n    def f(self):\n        return self.f()", {"A.f"}),
        (
            "class A:\n    def f(self):\n        self.g()\n    def g(self):\n        self.f()",
            {"A.f", "A.g"},
        ),
        ("def make():\n    def run(n):\n        return run(n)\n    return run", {"run"}),
        ("def f(n):\n    return g(n)\ndef g(n):\n    return n", set()),
        ("def f(f):\n    return f(1)", set()),
        ("def f(n):\n    g = 1\n    return g\ndef g(n):\n    return f(n)", set()),
        ("class A:\n    def f(self):\n        return super().f()", set()),
        ("class A:\n    def f(self):\n        return f(self)\ndef f(a):\n    return a", set()),
    ],
)
def test_recursion_is_found_where_it_is(source: str, expected: set[str]) -> None:
    assert recursive_functions(source) == expected
