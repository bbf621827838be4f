"""Find uses of what an exercise forbids: imports, names, and names in strings.

Only the source is read, so no line of it runs. `held` looks at the values afterwards, and the
sandbox hides forbidden modules.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from hpml.course.sandbox.notebook import UNREADABLE, Statement, binds_for_certain
from hpml.course.sandbox.scopes import module_names
from hpml.course.sandbox.stores import EVERYWHERE, aliases_of, handed_on

_IMPORTERS = ("__import__", "import_module")
_BY_NAME = ("getattr", "attrgetter", "methodcaller", "hasattr")
_FROM_TEXT = ("exec", "eval", "compile")
_OF_A_NAMESPACE = ("get", "pop", "setdefault", "__getitem__")
_NAMESPACES = ("vars", "globals", "locals", "__dict__", "__builtins__")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True)
class Use:
    """One use of something forbidden."""

    line: int
    what: str
    cell: int = 0

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


@dataclass(frozen=True)
class _Banned:
    """What a statement may not use, and what names mean in this notebook."""

    modules: Collection[str]
    names: set[str]
    calls: Collection[str]
    known: _Names


def uses(
    statements: Iterable[Statement],
    modules: Sequence[str] = (),
    names: Sequence[str] = (),
    calls: Sequence[str] = (),
    inside: Sequence[str] = (),
) -> tuple[Use, ...]:
    """Return every use of something forbidden, in the order of the source."""
    chosen = tuple(statements)
    known = _Names(chosen)
    if inside:
        _follow(chosen, inside, known)
    found: dict[Use, None] = {}
    for statement in chosen:
        limits = _Banned(modules, {*names}, calls, known)
        hidden = any(EVERYWHERE in names for names in _reached(statement))
        if hidden or any(isinstance(node, _FUNCTIONS) for node in ast.walk(statement.node)):
            limits = replace(limits, names={*names, *inside, *known.followed})
        for node in _looked_at(statement):
            for what in _uses_of(node, limits):
                line = getattr(node, "lineno", statement.line)
                found[Use(line, what, statement.cell)] = None
        if statement.names_file:
            limits = replace(limits, names={*names, *inside})
            for what in _uses_in_texts(statement.node, limits):
                found[Use(statement.line, what, statement.cell)] = None
    return tuple(sorted(found, key=lambda use: (use.cell, use.line)))


def _looked_at(statement: Statement) -> Iterable[ast.AST]:
    """Return the nodes of a statement, or of what it stores if nothing else of it is needed."""
    parts = (statement.node,) if statement.stored is None else statement.stored
    return dict.fromkeys(node for part in parts for node in ast.walk(part))


def _reached(statement: Statement) -> Iterator[frozenset[str]]:
    """Yield the names that a statement binds, and those in whose objects it stores something."""
    yield statement.binds
    yield from (store.into for store in statement.stores)


class _Names:
    """What the names in a program mean: the notebook's own, or something that is forbidden."""

    def __init__(self, chosen: Sequence[Statement]) -> None:
        self.followed: set[str] = set()  # they may hold what no function may use
        self.by_name = {*_BY_NAME, *_IMPORTERS, *_renamed(chosen, (*_BY_NAME, *_IMPORTERS))}
        self.builtins = {"builtins", "__builtins__", *_renamed(chosen, ("builtins",))}
        self._read: dict[ast.Name, tuple[int, bool]] = {}
        self._bound: dict[str, int] = {}
        self._deleted: set[str] = set()
        for place, statement in enumerate(chosen):
            for read in module_names(statement.node):
                self._read[read.node] = place, read.later
            for name in statement.binds:
                if binds_for_certain(statement.node, name):
                    self._bound.setdefault(name, place)
            for node in ast.walk(statement.node):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
                    self._deleted.add(node.id)

    def is_own(self, node: ast.Name) -> bool:
        """Return whether a name stands for something that the notebook made itself."""
        if node not in self._read:
            return True  # a parameter, a local name, or one that is bound here
        if node.id in self.followed or node.id in self._deleted:
            return False
        place, later = self._read[node]
        since = self._bound.get(node.id)
        # At the top level a name is the builtin until it is bound.
        return since is not None and (later or since < place)


def _renamed(chosen: Sequence[Statement], names: Collection[str]) -> Iterator[str]:
    """Yield the other names that a program gives to a function or module of a library."""
    for statement in chosen:
        for node in ast.walk(statement.node):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from (e.asname for e in node.names if e.asname and e.name in names)
            elif isinstance(node, ast.Assign) and _name_of(node.value) in names:
                yield from (each.id for each in node.targets if isinstance(each, ast.Name))


def _name_of(node: ast.AST) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _follow(chosen: Sequence[Statement], inside: Sequence[str], known: _Names) -> None:
    """Find the names through which a function could use what `inside` names.

    A name for the result of one call at the top level is none: ``EMPTY = getsizeof([])``.
    """
    functions = {each.node.name for each in chosen if isinstance(each.node, ast.FunctionDef)}
    plain = [each for each in chosen if not isinstance(each.node, _FUNCTIONS)]
    handed = [(each, [*handed_on(each.node)]) for each in plain]
    origins: dict[str, set[str]] = {}  # of a name that may hold the object of another
    for each in plain:
        for new, old in aliases_of(each.node):
            origins.setdefault(new, set()).add(old)
    while True:
        limits = _Banned((), {*inside, *known.followed}, (), known)
        more: set[str] = set()
        for each, nodes in handed:
            hidden = {node for node in nodes if any(_uses_of(node, limits))}
            if hidden and each.stored is None:
                more |= each.binds
            for store in each.stores if hidden else ():
                if any(node in hidden for value in store.values for node in ast.walk(value)):
                    into = store.into - functions if store.by_call else store.into
                    more |= into.union(*(origins.get(name, ()) for name in into))
        if more <= known.followed:
            return
        known.followed |= more


def _uses_of(node: ast.AST, banned: _Banned) -> Iterator[str]:
    """Yield what a node by itself uses of what is forbidden."""
    if isinstance(node, ast.Import):
        yield from (f"import {e.name}" for e in node.names if _imports(e.name, banned))
    elif isinstance(node, ast.ImportFrom) and not node.level:
        for each in node.names:
            # Both `import torch.fx` and `from torch import fx` name torch.fx.
            if _imports(f"{node.module}.{each.name}", banned) or each.name in banned.calls:
                yield f"from {node.module} import {each.name}"
    elif isinstance(node, ast.Name):
        named = node.id in banned.names or node.id in banned.calls
        if named and not banned.known.is_own(node):
            yield node.id
    elif isinstance(node, ast.Attribute):
        of_builtins = node.attr in banned.calls and _name_of(node.value) in banned.known.builtins
        if node.attr in banned.names or of_builtins:
            yield node.attr
    elif isinstance(node, ast.keyword) and node.arg in banned.names:
        yield f"{node.arg}="
    elif isinstance(node, ast.Subscript):
        if _is_namespace(node.value) and _is_banned(_text(node.slice), banned):
            yield f'["{_text(node.slice)}"]'
    elif isinstance(node, ast.Call):
        yield from _uses_in_call(node, banned)


def _imports(dotted: str, banned: _Banned) -> bool:
    """Return whether a name with dots is a forbidden module, or has a forbidden name as a part."""
    return _within(dotted, banned.modules) or not banned.names.isdisjoint(dotted.split("."))


def _uses_in_call(node: ast.Call, banned: _Banned) -> Iterator[str]:
    function = _name_of(node.func)
    if function in _FROM_TEXT:
        yield from _uses_in_texts(node, banned)
    of_namespace = (
        isinstance(node.func, ast.Attribute)
        and function in _OF_A_NAMESPACE
        and _is_namespace(node.func.value)
    )
    for text in filter(None, map(_text, node.args)):
        imported = function in banned.known.by_name and _within(text, banned.modules)
        named = of_namespace or function in banned.known.by_name
        if imported or (named and _is_banned(text, banned)):
            yield f'{function}("{text}")'


def _is_banned(text: str, banned: _Banned) -> bool:
    word = text.rpartition(".")[2]
    return word in banned.names or word in banned.calls


def _is_namespace(node: ast.AST) -> bool:
    """Return whether an expression is a dictionary of names: ``vars(sys)``, ``sys.__dict__``."""
    return _name_of(node.func if isinstance(node, ast.Call) else node) in _NAMESPACES


def _uses_in_texts(node: ast.AST, banned: _Banned) -> Iterator[str]:
    """Yield the uses in the texts of a node that are Python: of ``exec``, or written to a file."""
    for part in ast.walk(node):
        text = _text(part)
        if text.isidentifier():
            continue
        try:
            program = ast.parse(text)
        except UNREADABLE:
            continue
        for inner in ast.walk(program):
            if isinstance(inner, ast.Name):
                # Its names are not those of the notebook.
                if inner.id in banned.names or inner.id in banned.calls:
                    yield inner.id
            else:
                yield from _uses_of(inner, banned)


def _text(node: ast.AST) -> str:
    """Return the text that a literal, or a sum of literals, stands for; otherwise an empty one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left), _text(node.right)
        return left + right if left and right else ""
    if isinstance(node, ast.JoinedStr):
        parts = [_text(part) for part in node.values]
        return "".join(parts) if all(parts) else ""
    if isinstance(node, ast.FormattedValue):
        return _text(node.value)
    return ""


def _within(dotted: str, modules: Collection[str]) -> bool:
    return any(dotted == module or dotted.startswith(f"{module}.") for module in modules)
