"""What one instruction costs on CPython, and on the stack machine that a student wrote."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from hpml.base.page import Page, say
from hpml.base.tables import Table, format_seconds
from hpml.benchmark import compare
from hpml.bytecode import count_instructions
from hpml.labs.lab_02_bytecode.exercises import values_after
from hpml.labs.lab_02_bytecode.lecture_listing import lecture_form


def race(execute: Callable[..., Any], function: FunctionType, *arguments: int) -> Page | Table:
    """Run a function on CPython and, in the lecture's form, on a student's machine.

    Args:
        execute: the student's: takes instructions and a values array, returns the array.
        function: one that `lecture_form` understands, of as many arguments.
        arguments: what it is called with.
    """
    program, names = lecture_form(function)
    values = [*arguments, *[None] * (len(names) - len(arguments))]
    try:
        result = execute(program, values)
    except Exception as error:  # noqa: BLE001 - whatever a student's machine raises is told
        return say(f"`execute` raises {type(error).__name__}: {error}. Is its check green?")
    if not isinstance(result, list):
        return say("`execute` returns no list yet. Finish the exercise, then run this cell again.")
    last, right = (
        dict(zip(names, each, strict=False)) for each in (result, values_after(program, values))
    )
    if last != right:
        return say(f"`execute` ends with {last}, and CPython with {right}. It is not raced.")
    runs = {
        "CPython": functools.partial(function, *arguments),
        "yours": functools.partial(execute, program, values),
    }
    found = compare(runs, rounds=25, min_sample_time=1e-3).per(
        count_instructions(function, *arguments)
    )
    rows = [[each.name, each.median, found.ratio(each.name).value] for each in found]
    return Table(
        ["machine", "one instruction", "times CPython's"],
        rows,
        formats={"one instruction": format_seconds, "times CPython's": "{:,.0f}".format},
        caption=f"Your values array at the end: {last}",
    )
