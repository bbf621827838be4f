"""Where statements use what an exercise forbids: by import, by another name, by a literal string.

It reads the source and nothing else; who hides it from a reader of the source will find a way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hpml.sandbox.notebook import Statement, parse

_IMPORTERS = ("__import__", "import_module")
_BY_NAME = ("getattr", "attrgetter", "methodcaller", "__getattribute__", "hasattr")
_NAMESPACES = ("vars", "globals", "locals", "__dict__", "__builtins__")
_RUNNERS = ("exec", "eval", "compile")


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
    search = _Search(chosen, modules, names, calls, inside)
    found: dict[Use, None] = {}
    for statement in chosen:
        search.enter(statement.node)
        for node in _in_order(statement.node):
            for what in search.uses_of(node):
                line = getattr(node, "lineno", statement.line)
                found[Use(line, what, statement.cell)] = None
    return tuple(found)


class _Search:
    """What is forbidden, and what the names in a group of statements stand for."""

    def __init__(
        self,
        statements: Sequence[Statement],
        modules: Sequence[str],
        names: Sequence[str],
        calls: Sequence[str],
        inside: Sequence[str],
    ) -> None:
        self._modules = modules
        self._names = names
        self._calls = calls
        self._inside = inside
        self._in_function = False
        # What a statement outside may name is followed to where a function uses it.
        self._followed = (*_IMPORTERS, *_RUNNERS, *inside)
        self._aliases: dict[str, str] = {}
        self._own: set[str] = set()
        for statement in statements:
            for node in ast.walk(statement.node):
                self._learn(node)
        # `s = sorted`, also where it stands before the import that it needs: twice is enough.
        for _ in range(2):
            for statement in statements:
                for node in ast.walk(statement.node):
                    self._learn_assigned(node)

    def enter(self, statement: ast.AST) -> None:
        """Go on with another statement; in one with a function, more names are forbidden."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
        self._in_function = any(isinstance(node, kinds) for node in ast.walk(statement))

    def uses_of(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from self._imported(f"import {alias.name}", alias.name)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield from self._imported(f"from {node.module} import {alias.name}", full)
        elif isinstance(node, ast.Name):
            yield from self._named(node, node.id)
        elif isinstance(node, ast.Attribute):
            yield from self._named(node, node.attr)
        elif isinstance(node, ast.keyword) and node.arg and self._is_name(node.arg):
            yield f"{node.arg}="
        elif isinstance(node, ast.Call):
            yield from self._called(node)
        elif isinstance(node, ast.Subscript):
            yield from self._looked_up(node)

    def _imported(self, what: str, full: str) -> Iterator[str]:
        # Both `import torch.fx` and `from torch import fx` name torch.fx.
        last = full.rpartition(".")[2]
        if self._in_module(full) or self._is_name(last) or self._is_call(full):
            yield what

    def _named(self, node: ast.Name | ast.Attribute, last: str) -> Iterator[str]:
        full = self._resolve(node)
        if isinstance(node, ast.Name) and last in self._own and last not in self._aliases:
            return  # a variable of the submission's own
        if self._is_name(last) or (full is not None and self._is_name(full.rpartition(".")[2])):
            yield last
            return
        if full is None:
            return
        root = full.partition(".")[0]
        imported = isinstance(node, ast.Attribute) or node.id in self._aliases
        if imported and self._in_module(full) and root not in self._own:
            if isinstance(node, ast.Attribute):
                yield full
        elif self._is_call(full) and root not in self._own:
            yield full.removeprefix("builtins.")

    def _called(self, node: ast.Call) -> Iterator[str]:
        function = (self._resolve(node.func) or "").rpartition(".")[2]
        first = node.args[0] if node.args else None
        texts = [each.value for each in node.args if isinstance(each, ast.Constant)]
        if function in _IMPORTERS and self._modules:
            if not isinstance(first, ast.Constant):
                yield f"{function}(...) with a name that is computed"
            elif isinstance(first.value, str) and self._in_module(first.value):
                yield f'{function}("{first.value}")'
        elif function in _BY_NAME:
            for text in texts:
                if isinstance(text, str) and self._is_name(text.rpartition(".")[2]):
                    yield f'{function}(..., "{text}")'
            full = self._resolve(node)
            if full is not None and (self._in_module(full) or self._is_call(full)):
                yield full.removeprefix("builtins.")
        elif function in _RUNNERS and texts[:1] and isinstance(texts[0], str):
            inner = parse({0: texts[0]}).statements
            for use in uses(inner, self._modules, self._names, self._calls):
                yield f"{function}: {use.what}"

    def _looked_up(self, node: ast.Subscript) -> Iterator[str]:
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if not isinstance(key, str):
            return
        if self._resolve(node.value) == "sys.modules" and self._in_module(key):
            yield f'sys.modules["{key}"]'
        base = node.value.func if isinstance(node.value, ast.Call) else node.value
        full = self._resolve(base) or (base.attr if isinstance(base, ast.Attribute) else "")
        home = full.rpartition(".")[2]
        if home in _NAMESPACES and (self._is_name(key) or key in self._calls):
            yield f'{home}["{key}"]'

    def _in_module(self, full: str) -> bool:
        return any(full == module or full.startswith(f"{module}.") for module in self._modules)

    def _is_call(self, full: str) -> bool:
        return full.removeprefix("builtins.") in self._calls

    def _is_name(self, name: str) -> bool:
        return name in self._names or (self._in_function and name in self._inside)

    def _learn(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                self._aliases[alias.asname or root] = alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                self._aliases[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self._own.add(node.name)
        elif isinstance(node, ast.arg):
            self._own.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            self._own.add(node.id)

    def _learn_assigned(self, node: ast.AST) -> None:
        if not isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) or node.value is None:
            return
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        full = self._resolve(node.value)
        if full is None:
            return
        # An importer under another name would be one that nobody follows.
        kept = full.rpartition(".")[2] in self._followed
        if kept or self._in_module(full) or self._is_call(full):
            for target in targets:
                if isinstance(target, ast.Name):
                    self._aliases[target.id] = full
                    self._own.discard(target.id)

    def _resolve(self, node: ast.expr) -> str | None:
        """Return the dotted name that an expression stands for, or None."""
        attributes: list[str] = []
        while True:
            if isinstance(node, ast.Attribute):
                attributes.append(node.attr)
                node = node.value
            elif _is_getattr(node):
                attributes.append(node.args[1].value)  # type: ignore[attr-defined]
                node = node.args[0]  # type: ignore[attr-defined]
            else:
                break
        if isinstance(node, ast.Name):
            root = self._aliases.get(node.id, node.id)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            importer = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
            importer = importer.id if isinstance(importer, ast.Name) else importer
            if importer not in _IMPORTERS:
                return None
            root = str(node.args[0].value)
        else:
            return None
        return ".".join([root, *reversed(attributes)])


def _is_getattr(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "getattr"
        and len(node.args) >= 2
        and isinstance(node.args[1], ast.Constant)
        and isinstance(node.args[1].value, str)
    )


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes as they stand in the source; `ast.walk` goes by levels."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(list(ast.iter_child_nodes(node)))
