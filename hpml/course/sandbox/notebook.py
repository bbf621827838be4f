"""Parse the cells of a notebook as a program, without running it."""

from __future__ import annotations
import __future__

import ast
import dis
import inspect
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import CodeType
from typing import Any

# The errors that a parser may raise for hostile text.
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
NOT_LITERAL: Any = object()
"""What `Program.literal` returns for a name that no literal was assigned to last."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
# Without `import a.b`: another `import a` keeps what it did.
_BINDINGS = (*_DEFINITIONS, ast.Assign, ast.AnnAssign, ast.ImportFrom)
_EARLIER = 4


@dataclass(frozen=True)
class Statement:
    """One statement at the top level of a cell."""

    cell: int  # from 1
    line: int  # in the cell, from 1
    node: ast.stmt
    binds: frozenset[str]  # the global names that it binds
    needs: frozenset[str]  # the global names that it uses, directly or in its functions
    reads: frozenset[str]  # those of them that it uses directly: it may read their old values


@dataclass(frozen=True)
class Broken:
    """A cell or statement that this Python cannot compile."""

    cell: int
    message: str


@dataclass(frozen=True)
class Version:
    """One definition of a function: the cells up to `until`, and the statements it needs."""

    until: int
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class Program:
    """The statements of a notebook, in order."""

    statements: tuple[Statement, ...]
    broken: tuple[Broken, ...]
    sources: Mapping[int, str]  # of each cell, by its number
    flags: int = 0  # compiler flags of the notebook's ``from __future__`` imports

    @cached_property
    def _binders(self) -> dict[str, list[int]]:
        """The indices of the statements that bind each name."""
        found: dict[str, list[int]] = {}
        for place, statement in enumerate(self.statements):
            for name in statement.binds:
                found.setdefault(name, []).append(place)
        return found

    def _binding(self, name: str) -> list[Statement]:
        return [self.statements[place] for place in self._binders.get(name, ())]

    def defines(self, name: str) -> bool:
        """Return whether a statement binds `name`."""
        return name in self._binders

    def is_stub(self, name: str) -> bool:
        """Return whether `name` is defined only by functions that do nothing yet."""
        return self.defines(name) and not self.definitions(name)

    def definitions(self, name: str) -> list[Statement]:
        """Return the statements that bind `name`, without stubs."""
        return [each for each in self._binding(name) if not _is_stub(each.node, name)]

    def needed(
        self, name: str, until: int | None = None, *, function: bool = True
    ) -> tuple[Statement, ...]:
        """Return the statements that bind `name` and, recursively, the names these need.

        A binding that another one replaces before it is needed does not count.
        """
        found: set[int] = set()
        waiting = [(name, len(self.statements))]
        while waiting:
            wanted, at = waiting.pop()
            known = [
                place
                for place in self._binders.get(wanted, ())
                if until is None or self.statements[place].cell <= until
            ]
            called = function and wanted == name
            nodes = ((p, self.statements[p].node) for p in reversed(known) if p <= at)
            since = next((place for place, node in nodes if _replaces(node, wanted, called)), 0)
            for place in known:
                each = self.statements[place]
                if place not in found and (place >= since or _binds_later(each.node, wanted)):
                    found.add(place)
                    waiting += [(need, place - (need in each.reads)) for need in each.needs]
        return tuple(self.statements[place] for place in sorted(found))

    def versions(self, name: str) -> list[Version]:
        """Return the definitions of the function, the likeliest first.

        After the whole notebook comes what it was when it was checked last: a later cell may define
        a helper again for another exercise.
        """
        found = [Version(max(self.sources, default=0), self.needed(name))]
        checked = [each.cell for each in self.statements if _checks(each.node, name)]
        defined = (each.cell for each in reversed(self.definitions(name)))
        for cell in dict.fromkeys((*checked[-1:], *defined)):
            version = Version(cell, self.needed(name, cell))
            # Of the same statements, too, if a later cell uses a value of theirs: it may change it.
            values = frozenset().union(*(each.binds for each in version.statements)) - {name}
            later = (each for each in self.statements if each.cell > cell)
            used = any(values & each.needs for each in later)
            same = any(version.statements == each.statements for each in found)
            if not same or used:
                found.append(version)
        return found[: 1 + _EARLIER]

    def literals(self, name: str) -> list[Any]:
        """Return the values assigned to `name`, in order; `NOT_LITERAL` for other expressions."""
        return [_literal(each.node) for each in self._binding(name)]

    def literal(self, name: str) -> Any:
        """Return the literal assigned to `name` last, or `NOT_LITERAL`."""
        found = self.literals(name)
        # As with functions, a copy of the stub below the choice does not replace it.
        chosen = [each for each in found if each is not None] or found or [NOT_LITERAL]
        return chosen[-1]


def parse(sources: Mapping[int, str]) -> Program:
    """Parse the Python sources of cells, given by number."""
    statements: list[Statement] = []
    broken: list[Broken] = []
    flags = 0
    for cell, source in sources.items():
        try:
            nodes = compiled(source, flags | ast.PyCF_ONLY_AST).body
        except UNREADABLE as error:
            broken.append(_broken(cell, error))
            continue
        for node in _flat(nodes):
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                flags |= __future__.annotations.compiler_flag
            try:
                statements.append(_statement(cell, node, flags))
            except UNREADABLE as error:
                broken.append(_broken(cell, error))
    return Program(tuple(statements), tuple(broken), dict(sources), flags)


def compiled(source: Any, flags: int, file: str = "<cell>") -> Any:
    """Compile a cell, in which ``await`` is allowed at the top level."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "\d" in a submission is not a problem of the grader
        flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        return compile(source, file, "exec", flags, dont_inherit=True)


def _broken(cell: int, error: BaseException) -> Broken:
    message = error.msg if isinstance(error, SyntaxError) else type(error).__name__
    return Broken(cell, str(message)[:200])


def _flat(nodes: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    """Yield statements, with imports split so that a missing module affects only itself."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (ast.copy_location(ast.Import([alias]), node) for alias in node.names)
        else:
            yield node


def _statement(cell: int, node: ast.stmt, flags: int) -> Statement:
    binds: set[str] = set()
    needs: set[str] = set()
    reads: set[str] = set()
    waiting = [(compiled(ast.Module([node], []), flags), reads)]
    while waiting:
        code, used = waiting.pop()
        for instruction in dis.get_instructions(code):
            name, value = instruction.opname, instruction.argval
            if name in ("STORE_GLOBAL", "DELETE_GLOBAL") or (
                code.co_name == "<module>" and name in ("STORE_NAME", "DELETE_NAME")
            ):
                binds.add(value)
            elif "GLOBAL" in name or name == "LOAD_NAME":
                used.add(value)
        parts = [each for each in code.co_consts if isinstance(each, CodeType)]
        waiting += [(each, needs if _is_function(each) else used) for each in parts]
    names = map(frozenset, (binds, needs | reads, reads))
    return Statement(cell, node.lineno, node, *names)


def _is_function(code: CodeType) -> bool:
    """Return whether code is that of a function, not of a class or comprehension."""
    return bool(code.co_flags & inspect.CO_NEWLOCALS) and ".0" not in code.co_varnames


def _literal(node: ast.stmt) -> Any:
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return NOT_LITERAL
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    try:
        plain = all(isinstance(target, ast.Name) for target in targets)
        return ast.literal_eval(node.value) if plain else NOT_LITERAL
    except (*UNREADABLE, TypeError):
        return NOT_LITERAL


def _replaces(node: ast.stmt, name: str, called: bool) -> bool:
    """Return whether a statement that binds a name replaces its value for certain.

    For the function that is `called`, only functions do: the worker ignores values of other types.
    """
    if called and (not isinstance(node, _FUNCTIONS) or node.decorator_list):
        return False
    certain = isinstance(node, _BINDINGS) and not _binds_later(node, name)
    return certain and not _is_stub(node, name)


def _binds_later(node: ast.stmt, name: str) -> bool:
    """Return whether a call of the defined function binds a global name, not its definition."""
    return isinstance(node, _DEFINITIONS) and node.name != name


def _checks(node: ast.stmt, name: str) -> bool:
    """Return whether a statement of the top level calls ``check(name)``."""
    return not isinstance(node, _DEFINITIONS) and any(
        isinstance(part, ast.Call)
        and getattr(part.func, "attr", getattr(part.func, "id", "")) == "check"
        and any(isinstance(each, ast.Name) and each.id == name for each in part.args)
        for part in ast.walk(node)
    )


def _is_stub(node: ast.stmt, name: str) -> bool:
    functions = [
        each for each in ast.walk(node) if isinstance(each, _FUNCTIONS) and each.name == name
    ]
    return bool(functions) and all(map(_does_nothing, functions[-1].body))


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Raise) and node.exc is not None:
        error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return isinstance(error, ast.Name) and error.id == "NotImplementedError"
    if isinstance(node, ast.Return):
        value = node.value
        return value is None or (isinstance(value, ast.Constant) and value.value in (None, ...))
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )
