"""What a function looks like when names are taken away, so that copies under new names are seen."""

from __future__ import annotations

import ast
import builtins
import zlib
from collections.abc import Iterable

from hpml.sandbox.notebook import Statement

_SHORTEST = 3


def shape(statements: Iterable[Statement]) -> str:
    """Return a text that is equal for definitions that are equal after renaming."""
    names: dict[str, str] = {}
    texts, count = [], 0
    for statement in statements:
        if not isinstance(statement.node, ast.FunctionDef | ast.ClassDef):
            continue
        tree = ast.parse(ast.unparse(statement.node))
        for node in ast.walk(tree):
            count += isinstance(node, ast.stmt)
            for name in ("id", "name", "arg"):
                text = getattr(node, name, None)
                if isinstance(text, str) and not hasattr(builtins, text):
                    setattr(node, name, names.setdefault(text, f"n{len(names)}"))
            body = getattr(node, "body", None)
            first = body[0] if isinstance(body, list) else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                first.value.value = ""  # a docstring
            for annotation in ("annotation", "returns"):
                if hasattr(node, annotation):
                    setattr(node, annotation, None)
        texts.append(ast.dump(tree))
    if count <= _SHORTEST:
        return ""
    return f"{zlib.crc32(''.join(texts).encode()):08x}"
