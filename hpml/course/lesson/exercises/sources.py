"""Extract a notebook's function, with everything it needs, as a program.

In a kernel that is read from the executed cells, by the functions that grading uses. Of a function
that no executed cell defines, the sources of it and of its helpers are put together.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import textwrap
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from hpml.base.page import notebook_shell
from hpml.course.lesson.cells import executed_cells
from hpml.course.lesson.exercises.exercise import Exercise
from hpml.course.sandbox.forbidden import uses
from hpml.course.sandbox.held import held
from hpml.course.sandbox.notebook import Program, Statement, parse


def program_as_graded(function: object, name: str) -> Program:
    """Return what grading will read of the exercise `name`, which `function` solves."""
    shell = notebook_shell()
    if shell is not None and shell.user_ns.get(name) is function:
        executed = _current(parse(executed_cells(shell)))
        if executed.defines(name):
            return replace(executed, statements=executed.needed(name, function=False))
    return program_of(function)


def _current(executed: Program) -> Program:
    """Return a program without the cells that were changed and executed again.

    Of such a cell, a later one binds all names again, and does not read what they were.
    """
    cells: dict[int, list[Statement]] = {}
    for statement in executed.statements:
        cells.setdefault(statement.cell, []).append(statement)
    binds, reads = (
        {
            cell: frozenset().union(*(getattr(each, which) for each in statements))
            for cell, statements in cells.items()
        }
        for which in ("binds", "reads")
    )
    changing = {
        cell
        for name, places in executed.storing.items()
        for cell in (executed.statements[place].cell for place, _ in places)
        if name not in binds[cell]
    }
    old = {
        cell
        for cell in cells
        if binds[cell] and cell not in changing
        for later in cells
        if later > cell and binds[cell] <= binds[later] - reads[later]
    }
    return replace(
        executed, statements=tuple(each for each in executed.statements if each.cell not in old)
    )


def not_in_cells(name: str) -> tuple[str, ...]:
    """Return the names that an exercise's function has from elsewhere than the executed cells."""
    shell = notebook_shell()
    if shell is None:
        return ()
    executed = parse(executed_cells(shell))
    if not executed.sources:
        return ()
    if executed.defines(name):
        return tuple(each for each in executed.unknown(name) if each in shell.user_ns)
    return () if executed.binds_unseen else (name,)


def program_of(function: object) -> Program:
    """Return `function` and what it needs as a program, which is empty if it has no source."""
    sources: dict[int, str] = {}
    start = _written(function)
    if start is None:
        return parse(sources)
    imports: dict[str, None] = {}
    values: set[str] = set()
    waiting: list[Any] = [start]
    seen = {id(start)}
    while waiting:
        found = waiting.pop(0)
        if isinstance(found, type):  # inspect finds no source for a notebook's class
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
                value = start.__globals__.get(name)
                if _is_own(value, start) and id(value) not in seen:
                    seen.add(id(value))
                    waiting.append(value)
                elif name in start.__globals__:
                    if (line := _import(name, value)) is not None:
                        imports[line] = None
                    if not isinstance(
                        value, ModuleType | type | FunctionType | BuiltinFunctionType
                    ):
                        values.add(name)
    if not sources:
        return parse(sources)
    program = parse({0: "\n".join(imports), **sources})
    return replace(program, statements=(*program.statements, *_made(values)))


def _made(values: Collection[str]) -> Iterator[Statement]:
    """Yield the statements of executed cells that made these values, as grading reads them."""
    shell = notebook_shell() if values else None
    executed = parse(dict(enumerate([] if shell is None else shell.user_ns.get("In", []))))
    for name in sorted(values):
        for statement in executed.needed(name, function=False):
            yield replace(statement, cell=0)


def _written(function: Any) -> FunctionType | None:
    """Return the student's function behind a partial, a wrapper or a callable object."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function) if callable(function) else function
    if not isinstance(function, FunctionType):
        function = vars(type(function)).get("__call__")
    return function if isinstance(function, FunctionType) else None


def forbidden_uses(program: Program, exercise: Exercise) -> tuple[str, ...]:
    """Return the program's uses of what the exercise forbids, one line each."""
    limits = exercise.forbids
    found = uses(program.statements, limits.modules, limits.names, limits.calls, limits.inside)
    inside = [str(use) for use in found if use.cell]
    before = [f"{use.what}, outside of the function" for use in found if not use.cell]
    return tuple(inside or before)


def held_uses(function: object, exercise: Exercise) -> tuple[str, ...]:
    """Return what the exercise forbids among the values that a function reaches."""
    start = _written(function)
    if start is None:
        return ()
    limits = exercise.forbids
    names = {*limits.names, *limits.calls, *limits.inside}
    return held(function, start.__globals__, limits.modules, names)


def _source(function: Any) -> str | None:
    with contextlib.suppress(OSError, TypeError, IndexError, SyntaxError):
        lines, start = inspect.getsourcelines(function)
        return "\n" * (max(start, 1) - 1) + textwrap.dedent("".join(lines))
    return None


def _is_own(value: object, start: FunctionType) -> bool:
    """Return whether a function or class was defined in the same notebook, and not imported."""
    if isinstance(value, FunctionType):
        return value.__globals__ is start.__globals__
    return isinstance(value, type) and _text(vars(value), "__module__") == start.__module__


def _import(name: str, value: object) -> str | None:
    if isinstance(value, ModuleType):
        return f"import {value.__name__} as {name}" if _dotted(value.__name__) else None
    if isinstance(value, type | FunctionType | BuiltinFunctionType):
        module, own_name = getattr(value, "__module__", None), getattr(value, "__name__", None)
        if isinstance(module, str) and isinstance(own_name, str):
            line = f"from {module} import {own_name} as {name}"
            return line if _dotted(f"{module}.{own_name}") else None
        return None
    # Grading also runs the statement that makes the value, so its package must be available.
    module = type(value).__module__.partition(".")[0]
    return None if module == "__main__" else f"import {module}"


def _text(namespace: Mapping[str, Any], key: str) -> str:
    value = namespace.get(key)
    return value if type(value) is str else ""


def _dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))
