"""Tokens and syntax trees short enough for a page, and which mistakes the compiler finds."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hpml.base.errors import describe
from hpml.base.page import Page, show_code
from hpml.base.tables import Table
from hpml.bytecode import stages
from hpml.course.errors import LabError


def tokens_by_line(source: str) -> Table:
    """Return the tokens of a source text, one row a line, each in brackets.

    >>> tokens_by_line("d = a + b").column("tokens")[0]
    '[d] [=] [a] [+] [b] [⏎]'
    """
    lines: dict[int, list[str]] = {}
    for line, _, kind, text in stages(source).tokens.rows:
        # Depth is a token of its own in Python; its text is nothing but spaces, or nothing at all.
        written = str(kind) if kind in ("INDENT", "DEDENT", "ENDMARKER") else str(text)
        lines.setdefault(int(str(line)), []).append(f"[{written}]")
    return Table(["line", "tokens"], [[line, " ".join(found)] for line, found in lines.items()])


def syntax_tree(source: str) -> Page:
    """Return the abstract syntax tree of a source text as a drawing of lines.

    Names and constants stand beside their node; what is stored is marked.

    Raises:
        LabError: if the text is no Python.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, TypeError, ValueError) as error:
        raise LabError(
            f"syntax_tree expects Python source text, got {describe(source)} ({error})."
        ) from None
    text = "\n".join([_label(tree), *_branches(tree, "")])
    return show_code(text)


def mistakes(sources: Sequence[str]) -> Table:
    """Say of each one-line source what the compiler makes of it, without running anything.

    >>> mistakes(["1 +", "1 + 'a'"]).column("the compiler says")
    ('SyntaxError: invalid syntax', 'nothing')
    """
    rows = []
    for source in sources:
        said, count = "nothing", "none"
        try:
            code = compile(source, "<mistake>", "exec", dont_inherit=True)
        except SyntaxError as error:
            said = f"{type(error).__name__}: {error.msg}"
        else:
            count = f"{len(code.co_code)} bytes"
        rows.append([source, said, count])
    return Table(["source", "the compiler says", "bytecode"], rows)


_CONTEXT = (ast.Load, ast.Store, ast.Del)


def _branches(node: ast.AST, before: str) -> Iterator[str]:
    children = [child for child in ast.iter_child_nodes(node) if not isinstance(child, _CONTEXT)]
    for child in children:
        last = child is children[-1]
        yield f"{before}{'└─ ' if last else '├─ '}{_label(child)}"
        yield from _branches(child, before + ("   " if last else "│  "))


def _label(node: ast.AST) -> str:
    said = type(node).__name__
    for field in ("name", "id", "arg", "attr"):
        said += f" {text}" if isinstance(text := getattr(node, field, None), str) else ""
    if isinstance(node, ast.Constant):
        said += f" {describe(node.value)}"
    return f"{said} (store)" if isinstance(getattr(node, "ctx", None), ast.Store) else said
