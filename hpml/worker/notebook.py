"""A notebook as a program: which statements define a function, found without running any.

Only imports, definitions and assignments of literals are ever run by a grader, and of them only
what an exercise needs: measuring cells, plots and experiments of the student stay where they are.

>>> program = parse({1: "STEP = 2", 2: "print(STEP)\\ndef up(n):\\n    return n + STEP"})
>>> [(statement.cell, sorted(statement.binds)) for statement in program.needed("up")]
[(1, ['STEP']), (2, ['up'])]
>>> program.literal("STEP"), program.is_stub("up")
(2, False)
"""

from __future__ import annotations
import __future__

import ast
import builtins
import dis
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Literal

from hpml.worker.cells import NotebookError, code_cells, without_magics

__all__ = ["NOT_LITERAL", "Broken", "NotebookError", "Program", "Statement", "parse", "read"]

Kind = Literal["import", "definition", "literal", "other"]

# What no parser of a hostile text can be stopped from raising.
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
_FUNCTION = 0x1  # CO_OPTIMIZED: the code of a function, not that of a class or a module
_BINDING_GLOBAL = ("STORE_GLOBAL", "DELETE_GLOBAL")
_BINDING = ("STORE_NAME", "DELETE_NAME", *_BINDING_GLOBAL)
_RUN_AT_ONCE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<generic parameters")
_LITERAL_NODES = (
    ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.BinOp, ast.BoolOp,
    ast.Compare, ast.IfExp, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred,
    ast.JoinedStr, ast.FormattedValue, ast.expr_context, ast.operator, ast.unaryop, ast.boolop,
    ast.cmpop,
)  # fmt: skip
_PLAIN_CALLS = {
    "bool", "bytes", "complex", "defaultdict", "deque", "dict", "float", "frozenset", "int",
    "list", "namedtuple", "range", "set", "str", "tuple", "Counter", "NewType", "ParamSpec",
    "TypeVar",
}  # fmt: skip


class _NotLiteral:
    def __repr__(self) -> str:
        return "NOT_LITERAL"


NOT_LITERAL: Any = _NotLiteral()
"""What `Program.literal` returns for a name that no literal was assigned to last."""


@dataclass(frozen=True)
class Statement:
    """One statement at the top level of a cell.

    Attributes:
        cell: the cell's number, from 1.
        line: the line in the cell, from 1.
        node: the statement.
        kind: what it is; ``"other"`` is never run.
        binds: the global names that it binds.
        at_once: the global names that it uses when it runs.
        later: those that its functions use when they are called.
    """

    cell: int
    line: int
    node: ast.stmt
    kind: Kind
    binds: frozenset[str]
    at_once: frozenset[str]
    later: frozenset[str]

    @property
    def needs(self) -> frozenset[str]:
        """The global names that it uses, at once or later."""
        return self.at_once | self.later


@dataclass(frozen=True)
class Broken:
    """A cell, or one statement of it, that is no Python.

    Attributes:
        cell: the cell's number, from 1.
        line: the line, 0 if unknown.
        message: what the parser says.
    """

    cell: int
    line: int
    message: str


@dataclass(frozen=True)
class Program:
    """The statements of a notebook.

    Attributes:
        statements: in the notebook's order.
        broken: what could not be read.
        sources: each cell's Python source by its number; lines count as in the notebook.
        flags: what to give to `compile` for the notebook's ``from __future__`` imports.
    """

    statements: tuple[Statement, ...]
    broken: tuple[Broken, ...]
    sources: Mapping[int, str]
    flags: int = 0
    _bound: dict[str, list[int]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        for index, statement in enumerate(self.statements):
            if statement.kind != "other":
                for name in statement.binds:
                    self._bound.setdefault(name, []).append(index)

    def defines(self, name: str) -> bool:
        """Return whether a function or class `name` is defined or imported."""
        return self._root(name) is not None

    def needed(self, name: str) -> tuple[Statement, ...]:
        """Return the last definition of `name` and all that it needs, in the notebook's order.

        Of a name that is bound more than once, what runs at once sees the binding before it and
        the inside of a function sees the last. Empty where `name` is not defined.
        """
        root = self._root(name)
        if root is None:
            return ()
        chosen, waiting = {root}, [root]
        unknown = False
        while waiting:
            index = waiting.pop()
            statement = self.statements[index]
            for wanted in statement.needs:
                found = self._found(wanted, index, statement, root if wanted == name else None)
                unknown |= not found and not hasattr(builtins, wanted)
                waiting += found - chosen
                chosen |= found
        if unknown:  # a star import may be what binds it
            chosen |= {place for place, each in enumerate(self.statements) if _is_star(each.node)}
        return tuple(self.statements[index] for index in sorted(chosen))

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
        """Return whether the last definition of `name` is a function that does nothing yet."""
        root = self._root(name)
        node = None if root is None else _function(self.statements[root].node, name)
        return node is not None and _does_nothing(node.body)

    def _root(self, name: str) -> int | None:
        places = (
            index
            for index in reversed(self._bound.get(name, []))
            if self.statements[index].kind != "literal"
        )
        return next(places, None)

    def _found(self, name: str, index: int, statement: Statement, root: int | None) -> set[int]:
        places = self._bound.get(name, [])
        if not places:
            return set()
        found = {places[-1] if root is None else root} if name in statement.later else set()
        if name in statement.at_once:
            before = [place for place in places if place < index]
            found.add(before[-1] if before else places[-1])
        return found


def read(text: str) -> Program:
    """Return the program in a notebook's file, without running any of it.

    Args:
        text: the content of the file, of format 3 or 4.

    Raises:
        NotebookError: if it is not JSON, or no notebook.
    """
    return parse({number: without_magics(cell) for number, cell in code_cells(text).items()})


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
        for node in nodes:
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
    kind = _kind(node)
    names = (frozenset(names) for names in (binds, at_once, later))
    return Statement(cell, node.lineno, node, kind, *names)


def _runs_at_once(code: CodeType) -> bool:
    return not code.co_flags & _FUNCTION or code.co_name.startswith(_RUN_AT_ONCE)


def _kind(node: ast.stmt) -> Kind:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return "import"
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return "definition"
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if node.value is None or not all(_is_names(target) for target in targets):
            return "other"
        if isinstance(node.value, ast.Lambda):
            return "definition"
        return "literal" if _is_literal(node.value) else "other"
    if type(node).__name__ == "TypeAlias":  # `type Graph = ...`, from Python 3.12 on
        return "literal"
    if isinstance(node, ast.If) and _is_literal(node.test):
        return _kind_of_block([*node.body, *node.orelse])
    if isinstance(node, ast.Try):
        handlers = [part for handler in node.handlers for part in handler.body]
        return _kind_of_block([*node.body, *handlers, *node.orelse, *node.finalbody])
    return "other"


def _kind_of_block(body: list[ast.stmt]) -> Kind:
    """Return "definition" where every branch holds only what may be run."""
    for node in body:
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not isinstance(node, ast.Pass) and not text and _kind(node) == "other":
            return "other"
    return "definition"


def _is_names(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(isinstance(part, ast.Name) for part in target.elts)
    return isinstance(target, ast.Name)


def _is_literal(value: ast.expr) -> bool:
    waiting: list[ast.AST] = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Lambda):
            continue  # it is not run
        if isinstance(node, ast.Call):
            function = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
            function = function.id if isinstance(function, ast.Name) else function
            if function not in _PLAIN_CALLS:
                return False
            waiting += [*node.args, *(keyword.value for keyword in node.keywords)]
            continue
        if not isinstance(node, _LITERAL_NODES):
            return False
        waiting += ast.iter_child_nodes(node)
    return True


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
