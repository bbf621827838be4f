"""A notebook as a program: which statements define a function, found without running any.

A grader runs only what an exercise needs: imports, definitions, assignments, and what fills a table
that was assigned. Measuring cells, plots and experiments of the student stay where they are.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import dis
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import Any

from hpml.sandbox.cells import code_cells, without_magics, written_files
from hpml.sandbox.kinds import (
    Kind,
    calls_only,
    decorators,
    fills,
    is_alias,
    kind_of,
    registers,
    top_level,
)

# What no parser of a hostile text can be stopped from raising.
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
_DEFINING = ("import", "definition")
_VERSIONS = 3
_FUNCTION = 0x1  # CO_OPTIMIZED: the code of a function, not that of a class or a module
_BINDING_GLOBAL = ("STORE_GLOBAL", "DELETE_GLOBAL")
_BINDING = ("STORE_NAME", "DELETE_NAME", *_BINDING_GLOBAL)
_RUN_AT_ONCE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<generic parameters")


NOT_LITERAL: Any = object()
"""What `Program.literal` returns for a name that no literal was assigned to last."""


@dataclass(frozen=True)
class Statement:
    """One statement at the top level of a cell."""

    cell: int  # from 1
    line: int  # in the cell, from 1
    node: ast.stmt
    # "other" is run only where nothing else binds a name that is needed, or where it fills one.
    kind: Kind
    binds: frozenset[str]  # the global names that it binds
    at_once: frozenset[str]  # those that it uses when it runs
    later: frozenset[str]  # those that its functions use when they are called

    @property
    def needs(self) -> frozenset[str]:
        """The global names that it uses, at once or later."""
        return self.at_once | self.later


@dataclass(frozen=True)
class Broken:
    """A cell, or one statement of it, that is no Python."""

    cell: int
    line: int
    message: str


@dataclass(frozen=True)
class Program:
    """The statements of a notebook, in its order."""

    statements: tuple[Statement, ...]
    broken: tuple[Broken, ...]
    sources: Mapping[int, str]  # of each cell, by its number; lines count as in the notebook
    flags: int = 0  # for `compile`: the notebook's ``from __future__`` imports
    files: Mapping[str, str] = field(default_factory=dict)  # what ``%%writefile`` writes, by name
    _bound: dict[str, list[int]] = field(default_factory=dict, repr=False, compare=False)
    _computed: dict[str, list[int]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        computed: dict[str, list[int]] = {}
        for index, statement in enumerate(self.statements):
            bound = computed if statement.kind == "other" else self._bound
            for name in statement.binds:
                bound.setdefault(name, []).append(index)
        # `N = compute()` is run where it is the only one: after a literal or a definition of the
        # same name it is as a rule an experiment.
        for name, places in computed.items():
            self._bound.setdefault(name, places)
            self._computed[name] = places

    def defines(self, name: str) -> bool:
        """Return whether a function or class `name` is defined, imported or made by a call."""
        return self._root(name) is not None

    def needed(self, name: str) -> tuple[Statement, ...]:
        """Return the definition of `name` and all that it needs, in the notebook's order.

        It is the last one that is not the stub, for a copied cell may stand below. Of another name
        that is bound more than once, what runs at once sees the binding before it and the inside
        of a function sees the last. Empty where `name` is not defined.
        """
        root = self._root(name)
        if root is None:
            return ()
        chosen, waiting = {root}, [root]
        names = {name, *self.statements[root].binds}
        unknown = False
        while waiting:
            while waiting:
                index = waiting.pop()
                statement = self.statements[index]
                for wanted in statement.needs:
                    found = self._found(wanted, index, statement, root if wanted == name else None)
                    unknown |= not found and not hasattr(builtins, wanted)
                    waiting += found - chosen
                    chosen |= found
                    if any(self.statements[each].kind != "import" for each in found):
                        names.add(wanted)
            waiting = [place for place in self._filling(names) if place not in chosen]
            chosen.update(waiting)
        if unknown:  # a star import may be what binds it
            chosen |= {place for place, each in enumerate(self.statements) if _is_star(each.node)}
        return tuple(self.statements[index] for index in sorted(chosen))

    def versions(self, name: str, unwanted: Collection[str] = ()) -> list[tuple[Statement, ...]]:
        """Return ways to make the function, the likeliest first: each as `needed` gives it.

        First as the notebook stands. Then each definition, from the last to the first, as it was
        when the cells up to its own had run: a cell below may have defined a helper again, or be an
        abandoned draft.
        """
        root = self._root(name)
        if root is None:
            return []
        found = [self.needed(name)]
        cells = dict.fromkeys(
            self.statements[place].cell
            for place in reversed(self._bound.get(name, []))
            if not self._is_stub(place, name)
        )
        for cell in list(cells)[:_VERSIONS]:
            before = tuple(each for each in self.statements if each.cell <= cell)
            found.append(Program(before, (), self.sources, self.flags).needed(name))
        wanted = (
            tuple(each for each in version if not calls_only(each.node, unwanted))
            for version in found
        )
        return [version for version in dict.fromkeys(wanted) if version]

    def literal(self, name: str) -> Any:
        """Return the literal that `name` was assigned last, or `NOT_LITERAL`."""
        last = next((each for each in reversed(self.statements) if name in each.binds), None)
        if last is None or not isinstance(last.node, ast.Assign | ast.AnnAssign):
            return NOT_LITERAL
        targets = last.node.targets if isinstance(last.node, ast.Assign) else [last.node.target]
        if not all(isinstance(target, ast.Name) for target in targets) or last.node.value is None:
            return NOT_LITERAL
        try:
            return ast.literal_eval(last.node.value)
        except (*_UNREADABLE, TypeError):
            return NOT_LITERAL

    def is_stub(self, name: str) -> bool:
        """Return whether each definition of `name` is a function that does nothing yet."""
        root = self._root(name)
        return root is not None and self._is_stub(root, name)

    def _root(self, name: str) -> int | None:
        made = [*self._bound.get(name, []), *self._computed.get(name, [])]
        defined = [place for place in made if self.statements[place].kind in _DEFINING]
        done = [place for place in defined if not self._is_stub(place, name)]
        # Where only the stub is defined, another statement may give the name to a function.
        given = [
            place
            for place in sorted(set(made) - set(defined))
            if is_alias(self.statements[place].node)
        ]
        return next(iter([*done[-1:], *given[-1:], *defined[-1:]]), None)

    def _is_stub(self, place: int, name: str) -> bool:
        node = _function(self.statements[place].node, name)
        return node is not None and _does_nothing(node.body)

    def _filling(self, names: Collection[str]) -> list[int]:
        """Return the statements that put something into what `names` stand for."""
        return [
            place
            for place, each in enumerate(self.statements)
            if fills(each.node, each.kind, names) or self._registers(each, names)
        ]

    def _registers(self, statement: Statement, names: Collection[str]) -> bool:
        """Return whether a definition has a decorator that puts it into one of `names`."""
        return any(
            registers(self.statements[place].node, names)
            for decorator in decorators(statement.node)
            for place in self._bound.get(decorator, [])[-1:]
        )

    def _found(self, name: str, index: int, statement: Statement, root: int | None) -> set[int]:
        places = self._bound.get(name, [])
        if hasattr(builtins, name):  # one that a later scratch cell gave another meaning
            places = [
                place
                for place in places
                if place < index or self.statements[place].kind in _DEFINING
            ]
        if not places:
            return set()
        found = {places[-1] if root is None else root} if name in statement.later else set()
        if name in statement.at_once:
            before = [place for place in places if place < index]
            found.add(before[-1] if before else places[-1])
        return found


def read(text: str, most: int = 100_000) -> Program:
    """Return the program in a notebook's file, without running any of it."""
    cells = code_cells(text, most)
    program = parse({number: without_magics(cell) for number, cell in cells.items()})
    return replace(program, files=written_files(cells.values()))


def parse(sources: Mapping[int, str]) -> Program:
    """Return the program in Python sources, by the number of their cell."""
    statements: list[Statement] = []
    broken: list[Broken] = []
    flags = 0
    for cell, source in sources.items():
        try:
            nodes = _compiled(source, flags | ast.PyCF_ONLY_AST).body
        except _UNREADABLE as error:
            broken.append(_broken(cell, error))
            continue
        for node in top_level(nodes):
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                known = {alias.name for alias in node.names} & {"annotations"}
                flags |= __future__.annotations.compiler_flag if known else 0
            try:
                statements.append(_statement(cell, node, flags))
            except _UNREADABLE as error:
                broken.append(_broken(cell, error, node.lineno))
    return Program(tuple(statements), tuple(broken), dict(sources), flags)


def _compiled(source: Any, flags: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a submission's "\d" is its own affair
        flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        return compile(source, "<cell>", "exec", flags, dont_inherit=True)


def _broken(cell: int, error: BaseException, line: int = 0) -> Broken:
    found = error.lineno if isinstance(error, SyntaxError) and error.lineno else line
    message = error.msg if isinstance(error, SyntaxError) else type(error).__name__
    return Broken(cell, found, str(message)[:200])


def _statement(cell: int, node: ast.stmt, flags: int) -> Statement:
    code = _compiled(ast.Module([node], []), flags)
    binds: set[str] = set()
    at_once: set[str] = set()
    later: set[str] = set()
    waiting: list[tuple[CodeType, bool]] = [(code, True)]
    while waiting:
        code, now = waiting.pop()
        for instruction in dis.get_instructions(code):
            name, value = instruction.opname, instruction.argval
            bound_by = _BINDING if code.co_name == "<module>" else _BINDING_GLOBAL
            if now and name in bound_by:
                binds.add(value)
            elif "GLOBAL" in name or name == "LOAD_NAME":
                (at_once if now else later).add(value)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                waiting.append((constant, now and _runs_at_once(constant)))
    kind = kind_of(node)
    names = (frozenset(names) for names in (binds, at_once, later))
    return Statement(cell, node.lineno, node, kind, *names)


def _runs_at_once(code: CodeType) -> bool:
    return not code.co_flags & _FUNCTION or code.co_name.startswith(_RUN_AT_ONCE)


def _is_star(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def _function(node: ast.stmt, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = [each for each in ast.walk(node) if isinstance(each, functions) and each.name == name]
    return found[-1] if found else None


def _does_nothing(body: list[ast.stmt]) -> bool:
    for node in body:
        if isinstance(node, ast.Raise) and node.exc is not None:
            error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            nothing = isinstance(error, ast.Name) and error.id == "NotImplementedError"
        elif isinstance(node, ast.Return):
            value = node.value
            nothing = value is None or (
                isinstance(value, ast.Constant) and value.value in (None, ...)
            )
        else:
            nothing = isinstance(node, ast.Pass) or (
                isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            )
        if not nothing:
            return False
    return True
