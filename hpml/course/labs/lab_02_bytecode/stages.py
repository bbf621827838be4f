"""Show the stages of compilation, and the specialisation of instructions at run time."""

from __future__ import annotations

import ast
import dis
import io
import tokenize
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

from hpml.base.errors import describe
from hpml.base.page import Page, show_code
from hpml.base.tables import Table
from hpml.bytecode import disassemble


def tokens_by_line(source: str) -> Table:
    """Return the tokens of a source text in brackets, one row per line."""
    lines: dict[int, list[str]] = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        # The text of an INDENT or DEDENT token is spaces or empty, so show its name.
        written = kind if kind in ("INDENT", "DEDENT", "ENDMARKER") else token.string.strip("\n")
        lines.setdefault(token.start[0], []).append(f"[{written or '⏎'}]")
    return Table(["line", "tokens"], [[line, " ".join(found)] for line, found in lines.items()])


def syntax_tree(source: str) -> Page:
    """Return the abstract syntax tree of a source text, drawn with lines."""
    tree = ast.parse(source)
    text = "\n".join([_label(tree), *_branches(tree, "")])
    return show_code(text)


_CONTEXT = (ast.Load, ast.Store, ast.Del)


def _branches(node: ast.AST, before: str) -> Iterator[str]:
    children = [child for child in ast.iter_child_nodes(node) if not isinstance(child, _CONTEXT)]
    for child in children:
        last = child is children[-1]
        yield f"{before}{'└─ ' if last else '├─ '}{_label(child)}"
        yield from _branches(child, before + ("   " if last else "│  "))


def _label(node: ast.AST) -> str:
    label = type(node).__name__
    for field in ("name", "id", "arg", "attr"):
        label += f" {text}" if isinstance(text := getattr(node, field, None), str) else ""
    if isinstance(node, ast.Constant):
        label += f" {describe(node.value)}"
    return f"{label} (store)" if isinstance(getattr(node, "ctx", None), ast.Store) else label


def specialisation_log(function: FunctionType, calls: Iterable[tuple[Any, ...]]) -> Table:
    """Call a copy of `function` with each tuple of arguments, and log each specialisation.

    Source: PEP 659, https://peps.python.org/pep-0659/.
    """
    code, scope, cells = function.__code__.replace(), function.__globals__, function.__closure__
    copy = FunctionType(code, scope, function.__name__, function.__defaults__, cells)
    copy.__kwdefaults__ = function.__kwdefaults__
    sources = {step.offset: step.source for step in disassemble(function).instructions}
    before, rows = _specialised(copy), []
    for number, arguments in enumerate(calls, start=1):
        copy(*arguments)
        after = _specialised(copy)
        shown = ", ".join(map(repr, arguments))
        for offset, form in after.items():
            if form != before[offset]:
                where = f"{offset}: {sources[offset]}"
                rows.append([number, shown, where, before[offset], form])
        before = after
    return Table(
        ["after call", "called with", "instruction", "was", "is now"],
        rows,
        title=f"Changes in {function.__name__}",
    )


def _specialised(function: FunctionType) -> dict[int, str]:
    # RESUME is specialised too, but for tracing and not for types.
    return {
        step.offset: step.opname
        for step in dis.get_instructions(function, adaptive=True)
        if not step.opname.startswith("RESUME")
    }
