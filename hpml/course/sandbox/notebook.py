"""Parse the cells of a notebook as a program, without running it."""

from __future__ import annotations
import __future__

import ast
import builtins
import dis
import inspect
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import CodeType
from typing import Any

from hpml.course.sandbox.stores import EVERYWHERE, SETTING, Store, aliases_of, handed_on, stores_of

# The errors that a parser may raise for hostile text.
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
NOT_LITERAL: Any = object()
"""What `Program.literal` returns for a name that no literal was assigned to last."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_BINDINGS = (*_DEFINITIONS, ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom)
_EARLIER = 4
_BUILTINS = frozenset(vars(builtins))
_GIVEN = ("__name__", "__file__", "display", "get_ipython")  # by a notebook, and by grading
_FILE = "file of module "  # and its name: what binds it, writes the file


@dataclass(frozen=True)
class Statement:
    """One statement at the top level of a cell."""

    cell: int  # from 1
    line: int  # in the cell, from 1
    node: ast.stmt
    binds: frozenset[str]  # the global names that it binds
    needs: frozenset[str]  # the global names that it uses, directly or in its functions
    reads: frozenset[str]  # those of them that it uses directly: it may read their old values
    stores: tuple[Store, ...] = field(default=(), compare=False)  # in objects that names hold
    # Of a statement that is needed for what it stores, and not for a name: these expressions
    stored: tuple[ast.AST, ...] | None = field(default=None, compare=False)

    @property
    def names_file(self) -> bool:
        """Whether it names the file of a module, which it may write."""
        return any(map(_is_file, self.binds))

    @property
    def writes_file(self) -> bool:
        """Whether it calls a method that writes the file of a module."""
        attributes = (each.attr for each in ast.walk(self.node) if isinstance(each, ast.Attribute))
        return self.names_file and any(each.startswith("write") for each in attributes)


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

    @cached_property
    def _called(self) -> set[str]:
        """The names of functions and modules, which are there to be called."""
        found: set[str] = set()
        while True:
            more = {
                name
                for name, places in self._binders.items()
                if name not in found
                and all(_is_to_be_called(self.statements[place].node, found) for place in places)
            }
            if not more:
                return found
            found |= more

    @cached_property
    def storing(self) -> dict[str, list[tuple[int, Store]]]:
        """What may be stored in the object of each name, with the statement's index."""
        found: dict[str, list[tuple[int, Store]]] = defaultdict(list)
        called = self._called
        others = _BUILTINS.difference(self._binders)
        for place, statement in enumerate(self.statements):
            known = {EVERYWHERE, SETTING, *statement.needs} - others
            for store in statement.stores:
                into = store.into - called if store.by_call else store.into
                for name in into & known:
                    found[name].append((place, store))
        return found

    @cached_property
    def _aliases(self) -> dict[str, set[str]]:
        """The names that may hold the object of a name, or a part of it."""
        found: dict[str, set[str]] = defaultdict(set)
        for statement in self.statements:
            if not isinstance(statement.node, _DEFINITIONS):
                for new, old in aliases_of(statement.node):
                    found[old].add(new)
        return found

    def _stored_in(self, name: str) -> Iterator[tuple[int, Store]]:
        """Yield what may be stored in the object of a name, with the statement's index."""
        reaching, waiting = {name}, [name]
        while waiting:
            through = waiting.pop()
            yield from self.storing.get(through, ())
            more = self._aliases.get(through, set()) - reaching
            reaching |= more
            waiting += more

    def _binders_of(self, name: str) -> list[int]:
        """Return the indices of the statements that bind a name, or may bind it unseen."""
        if name == EVERYWHERE:  # of which only what is stored there is needed by everything
            return []
        found = self._binders.get(name, [])
        unseen = not found and not _is_file(name) and name not in _BUILTINS
        return self._binders.get(EVERYWHERE, []) if unseen else found

    def _binding(self, name: str) -> list[Statement]:
        return [self.statements[place] for place in self._binders.get(name, ())]

    def defines(self, name: str) -> bool:
        """Return whether a statement binds `name`."""
        return name in self._binders

    def writes(self, module: str) -> bool:
        """Return whether a statement writes the file of a module."""
        return any(each.writes_file for each in self._binding(_FILE + module))

    def unknown(self, name: str) -> tuple[str, ...]:
        """Return the names that a function needs and that neither a cell nor Python defines."""
        needed = [each for each in self.needed(name) if each.stored is None]
        if any(map(self._binds_unseen, needed)):
            return ()
        wanted = {need for each in needed for need in each.needs if not _is_file(need)}
        return tuple(sorted(wanted.difference(self._binders, _BUILTINS, _GIVEN)))

    @property
    def binds_unseen(self) -> bool:
        """Whether a statement may bind any name: a star import, ``exec``, ``globals()[...]``."""
        stored = any(EVERYWHERE in store.into for each in self.statements for store in each.stores)
        return stored or any(map(self._binds_unseen, self.statements))

    def _binds_unseen(self, statement: Statement) -> bool:
        """Return whether a statement may bind any name: a star import, %run of a written file."""
        files = [each.removeprefix(_FILE) for each in statement.binds if _is_file(each)]
        return EVERYWHERE in statement.binds and (not files or any(map(self.writes, files)))

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

        A binding that another one replaces before it is needed does not count. What stores a value
        in a needed object is needed, too.
        """
        last = max(self.sources, default=0) if until is None else until
        whole: set[int] = set()
        partly: dict[int, list[ast.AST]] = defaultdict(list)
        for place, store in self.storing.get(SETTING, ()):
            if self.statements[place].cell <= last:
                partly[place] += store.values
        waiting = [(name, len(self.statements)), (EVERYWHERE, len(self.statements))]
        seen: set[tuple[str, int]] = set()
        while waiting:
            wanted, at = waiting.pop()
            if (wanted, at) in seen:
                continue
            seen.add((wanted, at))
            binders = self._binders_of(wanted)
            known = [place for place in binders if self.statements[place].cell <= last]
            called = function and wanted == name
            nodes = ((p, self.statements[p].node) for p in reversed(known) if p <= at)
            since = next((place for place, node in nodes if _replaces(node, wanted, called)), 0)
            for place in known:
                each = self.statements[place]
                if place not in whole and (place >= since or _binds_later(each.node, wanted)):
                    whole.add(place)
                    waiting += [(need, place - (need in each.reads)) for need in each.needs]
            for place, store in self._stored_in(wanted):
                each = self.statements[place]
                later = place >= since or isinstance(each.node, _DEFINITIONS)
                # The function itself is passed in order to be called, too.
                if later and each.cell <= last and not (store.by_call and wanted == name):
                    partly[place] += store.values
                    handed = {e.id for e in handed_on(each.node) if isinstance(e, ast.Name)}
                    waiting += [(need, place) for need in handed & each.needs]
        return tuple(
            self.statements[place]
            if place in whole
            else replace(self.statements[place], stored=tuple(partly[place]))
            for place in sorted({*whole, *partly})
        )

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
    nodes = [*ast.walk(node)]
    files = set(_files(nodes))
    if _binds_anything(node, nodes):
        binds.add(EVERYWHERE)
    binds |= files
    needs |= files.union(_modules(nodes))
    own, all_needs = frozenset(binds), frozenset(needs | reads)
    return Statement(cell, node.lineno, node, own, all_needs, frozenset(reads), stores_of(nodes))


def _is_file(name: str) -> bool:
    return name.startswith(_FILE)


def _files(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the modules whose files a statement names: it may write, run or read them."""
    for part in nodes:
        value = part.value if isinstance(part, ast.Constant) else None
        if isinstance(value, str) and value.endswith(".py"):
            name = value.rpartition("/")[2].removesuffix(".py")
            if name.isidentifier():
                yield _FILE + name


def _modules(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the modules that a statement imports, as `_files` names them."""
    for part in nodes:
        if isinstance(part, ast.Import):
            yield from (_FILE + each.name.partition(".")[0] for each in part.names)
        elif isinstance(part, ast.ImportFrom) and part.module:
            yield _FILE + part.module.partition(".")[0]


def _binds_anything(node: ast.stmt, nodes: Iterable[ast.AST]) -> bool:
    """Return whether a statement may bind names that it does not tell: a star import, ``exec``."""
    if isinstance(node, ast.ImportFrom):
        return any(each.name == "*" for each in node.names)
    if isinstance(node, _DEFINITIONS):
        return False
    calls = [part for part in nodes if isinstance(part, ast.Call)]
    return any(getattr(each.func, "id", "") == "exec" or _is_run(each) for each in calls)


def _is_run(call: ast.Call) -> bool:
    """Return whether a call is what IPython makes of ``%run``."""
    words = [each.value for each in call.args if isinstance(each, ast.Constant)]
    return getattr(call.func, "attr", "") == "run_line_magic" and words[:1] == ["run"]


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
    decorated = bool(getattr(node, "decorator_list", False))
    if called and (decorated or not _is_plain_function(node)):
        return False
    # Without `import a.b`: another `import a` keeps what it did.
    certain = binds_for_certain(node, name) and not isinstance(node, ast.Import)
    return certain and not _is_stub(node, name)


def binds_for_certain(node: ast.stmt, name: str) -> bool:
    """Return whether a statement that binds a name always does, where it is executed."""
    return isinstance(node, _BINDINGS) and not _binds_later(node, name)


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


def _is_plain_function(node: ast.stmt) -> bool:
    """Return whether a statement binds a function, and not an object that calls one."""
    return isinstance(node, _FUNCTIONS) or (
        isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda)
    )


def _is_to_be_called(node: ast.stmt, known: set[str]) -> bool:
    """Return whether a statement binds a function or module, or another name of a `known` one."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
        return node.value.id in known and all(isinstance(t, ast.Name) for t in node.targets)
    return _is_plain_function(node) or isinstance(node, ast.Import | ast.ImportFrom)


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
