"""What the interpreter is asked to do: instructions shown, counted, and timed in nanoseconds."""

from __future__ import annotations

import dataclasses
import dis
import functools
import sys
from collections.abc import Mapping, Sequence
from types import FrameType, FunctionType
from typing import TYPE_CHECKING, Any

from hpml.base.errors import describe
from hpml.base.tables import Table
from hpml.benchmark import Comparison, compare
from hpml.labs.errors import LabError

if TYPE_CHECKING:
    import torch

    from hpml.symbolic import SymbolicModel

__all__ = ["count_instructions", "instructions", "measure_expressions"]

_REPEATS, _TURNS = 100, 10


def instructions(*functions: FunctionType, names: Sequence[str] | None = None) -> Table:
    """Return the bytecode of functions side by side, as the running Python compiled it.

    Args:
        *functions: one column each.
        names: of the columns, each different; by default the functions' own.

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
        [f"{step.opname} {step.argrepr}".strip() for step in dis.get_instructions(function)]
        for function in functions
    ]
    longest = max(map(len, columns))
    rows = [[col[row] if row < len(col) else "" for col in columns] for row in range(longest)]
    version = ".".join(map(str, sys.version_info[:2]))
    return Table(
        names if names is not None else [function.__name__ for function in functions],
        rows,
        caption=f"Bytecode of CPython {version}; other versions name some of these differently.",
    )


def count_instructions(model: SymbolicModel, *inputs: torch.Tensor, inside: bool = False) -> int:
    """Return how many bytecode instructions a forward executes.

    Args:
        model: what is run.
        *inputs: what it is given.
        inside: count those inside the layers too, that is all of Python. Without it, only those of
            the execution itself: of the generated function, or of the library's function that
            walks the graph.

    Counted is the second of two forwards: the first one looks at the layers more closely.
    """
    model(*inputs)
    total = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal total
        if event == "call":
            if not (inside or _is_execution(frame.f_code.co_filename)):
                return None
            frame.f_trace_opcodes = True
        elif event == "opcode":
            total += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        model(*inputs)
    finally:
        sys.settrace(before)
    return total


def _is_execution(file_name: str) -> bool:
    generated = file_name.startswith("<hpml.symbolic forward")
    return generated or "hpml/symbolic/execution/" in file_name.replace("\\", "/")


def measure_expressions(
    expressions: Mapping[str, str], names: Mapping[str, object], *, rounds: int = 25
) -> Comparison:
    """Measure expressions that take nanoseconds, such as ``"l[3]"``, in seconds per evaluation.

    A function with the expression on each of 100 lines is generated, and runs them ten times; in
    it the names are local. So a call of the function costs less than one part in a thousand.

    Args:
        expressions: from what to call it to Python source.
        names: the values of the names in the sources.
        rounds: of the comparison.

    >>> one = measure_expressions({"name": "a", "sum": "a + b"}, {"a": 1, "b": 2}, rounds=6)
    >>> one.names
    ('name', 'sum')
    """
    runs = {}
    for name, expression in expressions.items():
        lines = [f"def run({', '.join(names)}):", f"    for _ in range({_TURNS}):"]
        lines += [f"        {expression}"] * _REPEATS
        scope: dict[str, Any] = {}
        exec("\n".join(lines), scope)
        runs[name] = functools.partial(scope["run"], **names)
    found = compare(runs, rounds=rounds)
    evaluations = _REPEATS * _TURNS
    shared = [
        dataclasses.replace(
            m, samples=tuple(s / evaluations for s in m.samples), number=m.number * evaluations
        )
        for m in found
    ]
    return dataclasses.replace(found, measurements=tuple(shared))
