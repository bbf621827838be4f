"""What a statement stores in objects that names hold: ``d["g"] = x``, ``tools.append(x)``.

Such a statement binds no name, but a function that uses the name gets what was stored. Only the
source is read, so a call that is given an object counts as storing its other arguments there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

EVERYWHERE = "*"
"""Stands for every name: ``globals()[...] = x``, ``exec`` and a star import may bind any."""

SETTING = "a setting of the process"
"""Stands for what a call changes that no name holds, such as the recursion limit."""

_NAMESPACES = ("globals", "locals", "vars", "__builtins__", "builtins", "__main__")
_PARTS_OF_FUNCTIONS = ("__code__", "__defaults__", "__kwdefaults__", "__closure__", "__globals__")
# Whose methods can change them: `larger.__code__.co_code.hex()` only reads.
_DICTIONARIES_OF_FUNCTIONS = ("__kwdefaults__", "__globals__")
# Called for their effect anywhere, they are used by every function.
_SETTINGS = ("setrecursionlimit", "stack_size", "set_num_threads", "set_num_interop_threads")
_LEVELS = 50
_REPEATING = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Store:
    """Expressions whose values a statement may store in what some names hold."""

    into: frozenset[str]
    values: tuple[ast.AST, ...]
    by_call: bool = False  # which may as well only read what it is given


def stores_of(nodes: Iterable[ast.AST]) -> tuple[Store, ...]:
    """Return what the nodes of a statement, or of a function, may store in objects."""
    return tuple(found for node in nodes for found in _stores(node))


def aliases_of(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield pairs of names of which the first may hold the object of the second, or a part."""
    for node in ast.walk(statement):
        for target, value in _assigned(node):
            targets = [each.id for each in ast.walk(target) if isinstance(each, ast.Name)]
            yield from ((new, old) for new in targets for old in _held(value) if new != old)


def handed_on(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement, without functions that are called once and at once."""
    waiting: list[tuple[ast.AST, bool]] = [(statement, False)]
    while waiting:
        node, repeated = waiting.pop()
        yield node
        repeated = repeated or isinstance(node, _REPEATING)
        for part in ast.iter_child_nodes(node):
            called = isinstance(node, ast.Call) and part is node.func and not repeated
            if not called or isinstance(part, ast.Call):  # what makes the function is handed on
                waiting.append((part, repeated))
            elif isinstance(part, ast.Attribute):
                waiting.append((part.value, repeated))


def _stores(node: ast.AST) -> Iterator[Store]:
    for target, value in _assigned(node):
        for place in ast.walk(target) if not isinstance(target, ast.Name) else ():
            if isinstance(place, ast.Attribute | ast.Subscript) and isinstance(
                place.ctx, ast.Store
            ):
                key = (place.slice,) if isinstance(place, ast.Subscript) else ()
                yield Store(_reached(place), (value, *key))
    if isinstance(node, ast.Call):
        yield from _stores_of_call(node)


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield each target of a node with the expression that is assigned to it."""
    if isinstance(node, ast.expr) and not isinstance(node, ast.NamedExpr):
        return  # most nodes
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.AugAssign | ast.NamedExpr | ast.AnnAssign):
        if node.value is not None:
            yield node.target, node.value
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        yield node.target, node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr


def _stores_of_call(node: ast.Call) -> Iterator[Store]:
    arguments = [*node.args, *(each.value for each in node.keywords)]
    called = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if called in _SETTINGS and not _is_one(arguments):  # one thread is what the notebooks set
        yield Store(frozenset({SETTING}), (node,))
    elif isinstance(node.func, ast.Attribute) and arguments:
        into = _reached(node.func.value, _DICTIONARIES_OF_FUNCTIONS)
        yield Store(into, tuple(arguments), by_call=True)
    for place in node.args:
        others = tuple(each for each in arguments if each is not place)
        if others and (into := _reached(place)):
            yield Store(into, others, by_call="setattr" not in called)


def _is_one(arguments: Sequence[ast.expr]) -> bool:
    return [getattr(each, "value", None) for each in arguments] == [1]


def _reached(expression: ast.expr, parts: Sequence[str] = _PARTS_OF_FUNCTIONS) -> frozenset[str]:
    """Return the names through which an expression reaches the object that it stands for."""
    names: set[str] = set()
    attributes: set[str] = set()
    waiting = [(expression, 0)]
    while waiting:
        node, level = waiting.pop()
        if level > _LEVELS:
            continue
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            attributes.add(node.attr)
            waiting.append((node.value, level + 1))
        elif isinstance(node, ast.Subscript | ast.Starred | ast.Await | ast.NamedExpr):
            waiting.append((node.value, level + 1))
        elif isinstance(node, ast.Call):  # of vars(d), getattr(d, "x") or a function of one's own
            waiting += [(part, level + 1) for part in (node.func, *node.args)]
    wide = names.intersection(_NAMESPACES) or attributes.intersection(parts)
    if wide or ("modules" in attributes and "sys" in names) or "user_ns" in attributes:
        names.add(EVERYWHERE)
    return frozenset(names)


def _held(value: ast.expr) -> Iterator[str]:
    """Yield the names whose objects a value is, contains, or is a part of."""
    waiting: list[ast.AST] = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.NamedExpr):
            waiting.append(node.value)
        elif isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict | ast.IfExp | ast.BoolOp):
            waiting += ast.iter_child_nodes(node)
