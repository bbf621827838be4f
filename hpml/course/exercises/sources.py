"""The source of a function that lives in a notebook, with all that it needs, as a program."""

from __future__ import annotations

import contextlib
import functools
import inspect
import textwrap
from collections.abc import Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from hpml.course.exercises.exercise import Exercise
from hpml.course.exercises.packages import not_there
from hpml.sandbox.forbidden import uses
from hpml.sandbox.notebook import Program, parse


def program_of(function: object) -> Program | None:
    """Return `function` and what it needs as a program, or None where it has no source."""
    start = _written(function)
    if start is None:
        return None
    sources: dict[int, str] = {}
    imports: dict[str, None] = {}
    waiting: list[Any] = [start]
    seen = {id(start)}
    while waiting:
        found = waiting.pop(0)
        if isinstance(found, type):  # a class of a notebook has no source, its methods have
            waiting += [part for part in vars(found).values() if isinstance(part, FunctionType)]
            waiting += [base for base in found.__mro__[1:] if _is_own(base, start)]
            continue
        source = _source(found)
        if source is None:
            continue
        number = len(sources) + 1
        sources[number] = source
        for statement in parse({number: source}).statements:
            for name in sorted(statement.needs):
                thing = start.__globals__.get(name)
                if _is_own(thing, start) and id(thing) not in seen:
                    seen.add(id(thing))
                    waiting.append(thing)
                elif name in start.__globals__ and (line := _import(name, thing)) is not None:
                    imports[line] = None
    if not sources:
        return None
    return parse({0: "\n".join(imports), **sources})


def _written(function: Any) -> FunctionType | None:
    """Return the function that a student wrote, also where an object of another kind calls it."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function) if callable(function) else function
    if not isinstance(function, FunctionType):
        function = vars(type(function)).get("__call__")
    return function if isinstance(function, FunctionType) else None


def is_stub(program: Program | None, name: str) -> bool:
    """Return whether the function still does nothing."""
    return program is not None and program.is_stub(name)


def forbidden_uses(program: Program | None, exercise: Exercise) -> tuple[str, ...]:
    """Return what the program uses of what the exercise forbids, one line each."""
    if program is None:
        return ()
    limits = exercise.forbids
    found = uses(program.statements, limits.modules, limits.names, limits.calls, limits.inside)
    inside = [str(use) for use in found if use.cell]
    before = [f"{use.what}, in an earlier cell" for use in found if not use.cell]
    return tuple(inside or before)


def graded_without(program: Program | None, exercise: Exercise) -> tuple[str, ...]:
    """Return the packages that the program imports and that grading does without."""
    return () if program is None else tuple(not_there(program, exercise.packages))


def _source(thing: Any) -> str | None:
    with contextlib.suppress(OSError, TypeError, IndexError, SyntaxError):
        lines, start = inspect.getsourcelines(thing)
        return "\n" * (max(start, 1) - 1) + textwrap.dedent("".join(lines))
    return None


def _is_own(thing: object, start: FunctionType) -> bool:
    """Return whether a helper was written where the function was, and not imported."""
    if isinstance(thing, FunctionType):
        return thing.__globals__ is start.__globals__
    return isinstance(thing, type) and _text(vars(thing), "__module__") == start.__module__


def _import(name: str, thing: object) -> str | None:
    if isinstance(thing, ModuleType):
        return f"import {thing.__name__} as {name}" if _dotted(thing.__name__) else None
    if isinstance(thing, type | FunctionType | BuiltinFunctionType):
        module, own = getattr(thing, "__module__", None), getattr(thing, "__name__", None)
        if isinstance(module, str) and isinstance(own, str) and _dotted(f"{module}.{own}"):
            return f"from {module} import {own} as {name}"
        return None
    # A value is made by a statement that grading runs as well, with the packages that are there.
    module = type(thing).__module__.partition(".")[0]
    return None if module == "__main__" else f"import {module}"


def _text(namespace: Mapping[str, Any], key: str) -> str:
    value = namespace.get(key)
    return value if type(value) is str else ""


def _dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))
