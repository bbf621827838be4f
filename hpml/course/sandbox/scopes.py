"""Tell which names of a statement are names of the module, and not of a function inside it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Read(NamedTuple):
    """A name of the module, or of the builtins, where it is read."""

    node: ast.Name
    later: bool  # in a function, so when that is called


def module_names(statement: ast.AST) -> Iterator[Read]:
    """Yield the names in a statement that no function or comprehension around them binds."""
    waiting: list[tuple[ast.AST, frozenset[str], bool]] = [(statement, frozenset(), False)]
    while waiting:
        node, own, later = waiting.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load) and node.id not in own:
                yield Read(node, later)
        elif isinstance(node, _FUNCTIONS):
            body = node.body if isinstance(node.body, list) else [node.body]
            inside = own | _names_of_function(node, body)
            waiting += [(part, inside, True) for part in body]
            waiting += [(part, own, later) for part in _read_at_definition(node)]
        elif isinstance(node, _COMPREHENSIONS):
            targets = [each.target for each in node.generators]
            inside = own | {name for target in targets for name in _stored(target)}
            parts = [*ast.iter_child_nodes(node)]
            waiting += [(part, inside, later) for part in parts if part not in node.generators]
            for number, each in enumerate(node.generators):
                waiting.append((each.iter, inside if number else own, later))
                waiting += [(part, inside, later) for part in (each.target, *each.ifs)]
        else:
            waiting += [(part, own, later) for part in ast.iter_child_nodes(node)]


def _names_of_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, body: Iterable[ast.AST]
) -> set[str]:
    """Return the parameters and local names of a function."""
    given = node.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    names = {each.arg for each in parameters if each is not None}
    others: set[str] = set()
    waiting = list(body)
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Global | ast.Nonlocal):
            others.update(part.names)
        elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(part.name)
            waiting += part.decorator_list
        elif isinstance(part, ast.Import | ast.ImportFrom):
            names.update((each.asname or each.name).partition(".")[0] for each in part.names)
        elif isinstance(part, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and part.name:
            names.add(part.name)
            waiting += ast.iter_child_nodes(part)
        elif isinstance(part, ast.comprehension):  # its target is a name of the comprehension
            waiting += [part.iter, *part.ifs]
        elif not isinstance(part, ast.Lambda):
            names |= set(_stored(part)) if isinstance(part, ast.Name) else set()
            waiting += ast.iter_child_nodes(part)
    return names - others


def _read_at_definition(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> Iterator[ast.AST]:
    """Yield the parts of a function that are evaluated where it is defined."""
    yield from node.args.defaults
    yield from (each for each in node.args.kw_defaults if each is not None)
    if not isinstance(node, ast.Lambda):
        yield from node.decorator_list
        arguments = ast.walk(node.args)
        yield from (e.annotation for e in arguments if isinstance(e, ast.arg) and e.annotation)
        if node.returns is not None:
            yield node.returns


def _stored(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
