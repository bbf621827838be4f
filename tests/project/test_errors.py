"""Every error of the library says what is wrong, what was expected, and what to do, in parts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "hpml"
PARTS = {"object", "expected", "remedy"}
"""What each error has; nothing may have been received, or its sentence says it."""

WITHOUT = {
    "NotFiniteError": "it makes its parts from the step and the loss",
    "Refused": "it makes its parts from the reason",
}
"""Errors that are raised without these parts, each with its reason."""

ANOTHER_DIALECT = re.compile(r"\b(got|expects?)\b")
EXPECTED_GOT = re.compile(r"\bexpect(ed|s)?\b.*\bgot\b|\Agot\Z")
FILES = sorted(path for path in LIBRARY.rglob("*.py") if "wrong_answers" not in path.parts)


def _name(node: ast.expr) -> str:
    """Return the last name of a dotted name; pytest has errors of its own."""
    if isinstance(node, ast.Attribute):
        return "" if _name(node.value) == "pytest" else node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _families() -> set[str]:
    """Return the names of HpmlError and all of its subclasses."""
    bases: dict[str, set[str]] = {}
    for path in LIBRARY.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                bases.setdefault(node.name, set()).update(map(_name, node.bases))
    found = {"HpmlError"}
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    return found


OURS = _families()


def _errors(tree: ast.AST) -> Iterator[ast.Call]:
    """Return where an error of ours is made, by its name or in its own class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name in OURS:
            calls = (each for each in ast.walk(node) if isinstance(each, ast.Call))
            yield from (each for each in calls if _is_base_of_ours(each.func))
        if isinstance(node, ast.Call) and _name(node.func) in OURS - set(WITHOUT):
            yield node


def _is_base_of_ours(function: ast.expr) -> bool:
    """Return whether this is the __init__ of a base class, of an error of ours."""
    if not isinstance(function, ast.Attribute) or function.attr != "__init__":
        return False
    base = function.value
    return _name(base.func if isinstance(base, ast.Call) else base) in OURS | {"super"}


def _texts(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


def _texts_but_docstrings(tree: ast.AST) -> Iterator[str]:
    """Yield what may be shown, such as the differences that a check reports."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "…".join(_texts(node))
        elif isinstance(node, ast.Constant) and id(node) not in docstrings:
            yield str(node.value)


def _ends_as_a_sentence(text: ast.expr) -> bool:
    last = text.values[-1] if isinstance(text, ast.JoinedStr) else text
    return not isinstance(last, ast.Constant) or str(last.value).rstrip().endswith(".")


def _wrong(call: ast.Call) -> str:
    """Return what is wrong with the arguments of an error, or an empty text."""
    given = {each.arg: each.value for each in call.keywords}
    if None in given:  # the parts of another error
        return ""
    if missing := sorted(PARTS - set(given)):
        return f"lacks {', '.join(missing)}"
    if not _ends_as_a_sentence(given["remedy"]):
        return "has a remedy that is no sentence"
    return ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_error_has_its_parts_in_one_dialect(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    errors = list(_errors(tree))
    if path != LIBRARY / "base" / "errors.py":
        assert [(call.lineno, _wrong(call)) for call in errors if _wrong(call)] == []
    raised = [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    spoken = [text for node in (*raised, *errors) for text in _texts(node)]
    assert [text for text in spoken if ANOTHER_DIALECT.search(text)] == []
    assert [text for text in _texts_but_docstrings(tree) if EXPECTED_GOT.search(text)] == []


def test_errors_and_exceptions_to_the_rule_exist() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in FILES]
    assert sum(len(list(_errors(tree))) for tree in trees) > 150
    assert set(WITHOUT) <= OURS
