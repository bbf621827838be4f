"""What kind of statement one is, as far as its syntax tells: nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Literal

Kind = Literal["import", "definition", "literal", "other"]

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
_FILLING = {
    "add", "append", "appendleft", "extend", "insert", "register", "setdefault", "update",
}  # fmt: skip


def kind_of(node: ast.stmt) -> Kind:
    """Return what a statement does."""
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
        return _of_block([*node.body, *node.orelse])
    if isinstance(node, ast.Try):
        handlers = [part for handler in node.handlers for part in handler.body]
        return _of_block([*node.body, *handlers, *node.orelse, *node.finalbody])
    return "other"


def _of_block(body: list[ast.stmt]) -> Kind:
    """Return "definition" where every branch holds only what may be run."""
    for node in body:
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not isinstance(node, ast.Pass) and not text and kind_of(node) == "other":
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


def is_alias(node: ast.stmt) -> bool:
    """Return whether it gives a name to what another expression may call a function."""
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return isinstance(node.value, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    return not isinstance(node, ast.AugAssign | ast.Expr | ast.Delete)


def top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a cell; those of ``if __name__ == "__main__":`` one by one.

    In a notebook the condition is always true, so they are statements of the cell like any other.
    """
    for node in body:
        if isinstance(node, ast.If) and not node.orelse and _is_main_guard(node.test):
            yield from top_level(node.body)
        elif isinstance(node, ast.Import):  # one that is missing spoils only itself
            yield from (ast.copy_location(ast.Import([alias]), node) for alias in node.names)
        else:
            yield node


def fills(node: ast.stmt, kind: Kind, names: Collection[str]) -> bool:
    """Return whether a statement puts something into what one of `names` stands for.

    ``table["add"] = f``, ``f.calls = 0`` and ``table.update(more)`` bind no name, and a function
    that uses `table` needs them; so does one that recurses deep need the line that allows it.
    """
    if kind != "other":
        return False
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            if part.func.attr == "setrecursionlimit" and isinstance(node, ast.Expr):
                return True
            target: ast.expr = part.func if part.func.attr in _FILLING else part
        elif isinstance(part, ast.Subscript | ast.Attribute) and isinstance(part.ctx, ast.Store):
            target = part
        else:
            continue
        if _root(target) in names:
            return True
    return False


def calls_only(node: ast.stmt, names: Collection[str]) -> bool:
    """Return whether a statement does nothing but call a function of one of these names."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    function = node.value.func
    return getattr(function, "attr", getattr(function, "id", None)) in names


def decorators(node: ast.stmt) -> list[str]:
    """Return the names that a definition's decorators use."""
    return [
        part.id
        for decorator in getattr(node, "decorator_list", ())
        for part in ast.walk(decorator)
        if isinstance(part, ast.Name)
    ]


def registers(node: ast.stmt, names: Collection[str]) -> bool:
    """Return whether a decorator puts what it decorates into what one of `names` stands for."""
    return any(
        isinstance(part, ast.Assign)
        and isinstance(part.value, ast.Name)
        and any(isinstance(to, ast.Subscript) and _root(to) in names for to in part.targets)
        for part in ast.walk(node)
    )


def _root(node: ast.expr) -> str:
    """Return the name that an expression's subscripts and attributes are of."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_main_guard(test: ast.expr) -> bool:
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = {
        getattr(side, "id", getattr(side, "value", None))
        for side in (test.left, test.comparators[0])
    }
    return len(test.ops) == 1 and sides == {"__name__", "__main__"}
