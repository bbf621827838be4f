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
_REPEATING = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
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
    followed = _followed(chosen, inside, own)
    own -= followed
    # A default value is read where the function is defined, before its parameters exist.
    at_module = {name for each in chosen for name in each.binds} - followed
    found: dict[Use, None] = {}
    for statement in chosen:
        nodes = list(ast.walk(statement.node))
        early = {part for node in nodes for part in _read_at_definition(node)}
        banned = set(names)
        if any(isinstance(node, _FUNCTIONS) for node in nodes):
            banned |= {*inside, *followed}
        for node in nodes:
            for what in _uses_of(node, modules, banned, calls, at_module if node in early else own):
                line = getattr(node, "lineno", statement.line)
                found[Use(line, what, statement.cell)] = None
    return tuple(sorted(found, key=lambda use: (use.cell, use.line)))


def _followed(chosen: Sequence[Statement], inside: Sequence[str], own: set[str]) -> set[str]:
    """Return the names through which a function could use what `inside` names.

    A name for the result of one call at the top level is none: ``EMPTY = getsizeof([])``.
    """
    followed = {name for each in chosen for name in _aliases(each.node, inside)}
    plain = [each for each in chosen if not isinstance(each.node, _FUNCTIONS)]
    while True:
        wanted = {*inside, *followed}
        more = {
            name
            for each in plain
            if any(
                what
                for node in _handed_on(each.node)
                for what in _uses_of(node, (), wanted, (), own - wanted)
            )
            for name in each.binds
        }
        if more <= followed:
            return followed
        followed |= more


def _handed_on(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement, without functions that are called once and at once."""
    waiting: list[tuple[ast.AST, bool]] = [(statement, False)]
    while waiting:
        node, repeated = waiting.pop()
        yield node
        repeated = repeated or isinstance(node, _REPEATING)
        for part in ast.iter_child_nodes(node):
            called = isinstance(node, ast.Call) and part is node.func and not repeated
            if not called:
                waiting.append((part, repeated))
            elif isinstance(part, ast.Attribute):
                waiting.append((part.value, repeated))


def _read_at_definition(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a function that are evaluated when it is defined."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        values = [*node.args.defaults, *node.args.kw_defaults]
        values += getattr(node, "decorator_list", [])
        yield from (part for value in values if value is not None for part in ast.walk(value))


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
    """Yield the names under which a statement imports one of `names`."""
    if isinstance(node, ast.ImportFrom):
        yield from (each.asname for each in node.names if each.asname and each.name in names)


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
