"""What the interpreter is asked to do: instructions shown, and timed in nanoseconds."""

from __future__ import annotations

import dis
import functools
import sys
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

from hpml.base.errors import describe
from hpml.base.tables import Table
from hpml.benchmark import Comparison
from hpml.course.errors import LabError
from hpml.course.racing import race

_REPEATS, _TURNS = 100, 10


def instructions(*functions: FunctionType) -> Table:
    """Return the bytecode of functions side by side, as the running Python compiled it.

    Args:
        *functions: one column each, under its name.

    Raises:
        LabError: if a function is not one written in Python.

    >>> def double(h):
    ...     return h + h
    >>> instructions(double).column("double")[-1]
    'RETURN_VALUE'
    """
    wrong = [f for f in functions if not isinstance(f, FunctionType)]
    if wrong or not functions:
        raise LabError(
            f"instructions expects functions written in Python, got "
            f"{describe(wrong[0]) if wrong else 'none'}."
        )
    columns = [
        [f"{step.opname} {_operand(step)}".strip() for step in dis.get_instructions(function)]
        for function in functions
    ]
    longest = max(map(len, columns))
    rows = [[col[row] if row < len(col) else "" for col in columns] for row in range(longest)]
    version = ".".join(map(str, sys.version_info[:2]))
    return Table(
        [function.__name__ for function in functions],
        rows,
        caption=f"Bytecode of CPython {version}; other versions name some of these differently.",
    )


def _operand(step: dis.Instruction) -> str:
    # LOAD_SMALL_INT 3 names nothing: the 3 stands in it.
    return str(step.arg) if step.opname == "LOAD_SMALL_INT" else step.argrepr


def measure_expressions(expressions: Sequence[str], names: Mapping[str, object]) -> Comparison:
    """Measure expressions that take nanoseconds, such as ``"l[3]"``, in seconds per evaluation.

    A function with the expression on each of 100 lines is generated, and runs them ten times; in
    it the names are local. So a call of the function costs less than one part in a thousand.

    >>> measure_expressions(["a", "a + b"], {"a": 1, "b": 2}).names
    ('a', 'a + b')
    """
    runs = {}
    for expression in expressions:
        lines = [f"def run({', '.join(names)}):", f"    for _ in range({_TURNS}):"]
        lines += [f"        {expression}"] * _REPEATS
        scope: dict[str, Any] = {}
        exec("\n".join(lines), scope)
        runs[expression] = functools.partial(scope["run"], **names)
    return race(runs).per(_REPEATS * _TURNS)
