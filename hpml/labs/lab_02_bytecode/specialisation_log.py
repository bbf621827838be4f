"""When instructions change their form: the code of a function looked at after every call."""

from __future__ import annotations

import dis
from collections.abc import Iterable
from types import FunctionType
from typing import Any

from hpml.base.errors import describe
from hpml.base.tables import Table
from hpml.bytecode import disassemble
from hpml.course.errors import LabError


def fresh(function: FunctionType) -> FunctionType:
    """Return a copy of a function that has never been called: its instructions are as compiled."""
    if not isinstance(function, FunctionType):
        raise LabError(f"Expected a function written in Python, got {describe(function)}.")
    copy = FunctionType(
        function.__code__.replace(),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def specialisation_log(function: FunctionType, calls: Iterable[tuple[Any, ...]]) -> Table:
    """Call a fresh copy of `function` again and again, and write down each change of form.

    Args:
        function: written in Python.
        calls: the arguments of each call.

    Returns:
        One row a change: the number of the call after which it was found (from 1), the arguments
        of that call, where, from which form, to which.

    Raises:
        LabError: if it is no function written in Python.

    >>> def double(x):
    ...     return x + x
    >>> specialisation_log(double, [(3,)] * 20).column("is now")[-1]
    'BINARY_OP_ADD_INT'

    Source: PEP 659, https://peps.python.org/pep-0659/.
    """
    copy = fresh(function)
    sources = {step.offset: step.source for step in disassemble(function).instructions}
    before, rows = _specialised(copy), []
    for number, arguments in enumerate(calls, start=1):
        copy(*arguments)
        after = _specialised(copy)
        shown = ", ".join(map(repr, arguments))
        for offset, form in after.items():
            if form != before[offset]:
                where = f"{offset}: {sources[offset]}"
                rows.append([number, shown, where, before[offset], form])
        before = after
    return Table(
        ["after call", "called with", "instruction", "was", "is now"],
        rows,
        title=f"Changes in {function.__name__}",
    )


def _specialised(function: FunctionType) -> dict[int, str]:
    # RESUME takes a form as well once it has run; that is about tracing, not about types.
    return {
        step.offset: step.opname
        for step in dis.get_instructions(function, adaptive=True)
        if not step.opname.startswith("RESUME")
    }
