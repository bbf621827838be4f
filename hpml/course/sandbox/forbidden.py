"""Find uses of what an exercise forbids: imports, names, and names in strings.

Only the source is read, so hidden uses are not found. The sandbox also masks forbidden modules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hpml.course.sandbox.notebook import Statement

_IMPORTERS = ("__import__", "import_module")
_BY_NAME = ("getattr", "attrgetter", "methodcaller", "hasattr")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True)
class Use:
    """One use of something forbidden."""

    line: int
    what: str
    cell: int = 0

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


def uses(
    statements: Iterable[Statement],
    modules: Sequence[str] = (),
    names: Sequence[str] = (),
    calls: Sequence[str] = (),
    inside: Sequence[str] = (),
) -> tuple[Use, ...]:
    """Return every use of something forbidden, in the order of the source."""
    chosen = tuple(statements)
    own = {name for each in chosen for node in ast.walk(each.node) for name in _bound(node)}
    followed = {name for each in chosen for name in _aliases(each.node, inside)}
    own -= followed
    found: dict[Use, None] = {}
    for statement in chosen:
        nodes = list(ast.walk(statement.node))
        banned = set(names)
        if any(isinstance(node, _FUNCTIONS) for node in nodes):
            banned |= {*inside, *followed}
        for node in nodes:
            for what in _uses_of(node, modules, banned, calls, own):
                line = getattr(node, "lineno", statement.line)
                found[Use(line, what, statement.cell)] = None
    return tuple(sorted(found, key=lambda use: (use.cell, use.line)))


def _uses_of(
    node: ast.AST, modules: Sequence[str], names: set[str], calls: Sequence[str], own: set[str]
) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (f"import {each.name}" for each in node.names if _within(each.name, modules))
    elif isinstance(node, ast.ImportFrom) and not node.level:
        for each in node.names:
            # Both `import torch.fx` and `from torch import fx` name torch.fx.
            dotted = f"{node.module}.{each.name}"
            if _within(dotted, modules) or each.name in names or each.name in calls:
                yield f"from {node.module} import {each.name}"
    elif isinstance(node, ast.Name):
        if node.id in names.union(calls) and node.id not in own:
            yield node.id
    elif isinstance(node, ast.Attribute):
        if node.attr in names or (node.attr in calls and ast.unparse(node.value) == "builtins"):
            yield node.attr
    elif isinstance(node, ast.keyword) and node.arg in names:
        yield f"{node.arg}="
    elif isinstance(node, ast.Call):
        function = getattr(node.func, "attr", getattr(node.func, "id", ""))
        for argument in node.args:
            text = argument.value if isinstance(argument, ast.Constant) else None
            if isinstance(text, str) and (
                (function in _IMPORTERS and _within(text, modules))
                or (function in _BY_NAME and text.rpartition(".")[2] in names)
            ):
                yield f'{function}("{text}")'


def _aliases(node: ast.stmt, names: Sequence[str]) -> Iterator[str]:
    """Yield the aliases that a module-level statement gives to one of `names`."""
    if isinstance(node, ast.ImportFrom):
        yield from (each.asname for each in node.names if each.asname and each.name in names)
    elif isinstance(node, ast.Assign) and (
        getattr(node.value, "attr", getattr(node.value, "id", "")) in names
    ):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _within(dotted: str, modules: Sequence[str]) -> bool:
    return any(dotted == module or dotted.startswith(f"{module}.") for module in modules)


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
