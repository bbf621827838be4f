"""Compare the lecture's bytecode with today's, and a student's stack machine with CPython."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from types import FunctionType
from typing import Any

from hpml.base.errors import describe
from hpml.base.page import Page, say
from hpml.base.tables import Table, format_seconds
from hpml.benchmark import compare
from hpml.bytecode import count_instructions, disassemble
from hpml.bytecode.disassembly import Instruction
from hpml.course.labs.lab_02_bytecode.exercises import program, values_after
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.racing import answering

LISTING: tuple[tuple[int, str, str], ...] = (
    (0, "LOAD_GLOBAL", "torch"),
    (2, "LOAD_ATTR", "randn"),
    (4, "LOAD_CONST", "2"),
    (6, "LOAD_CONST", "2"),
    (8, "CALL_FUNCTION", "2"),
    (10, "STORE_FAST", "x"),
    (12, "LOAD_FAST", "x"),
    (14, "LOAD_ATTR", "mm"),
    (16, "LOAD_FAST", "x"),
    (18, "CALL_FUNCTION", "1"),
    (20, "RETURN_VALUE", ""),
)
"""Offset, instruction and operand of the slide "Python Bytecode"."""

_CHANGES = {
    "RESUME": "3.11: begins a call; checks for requests of other threads and of a debugger.",
    "LOAD_SMALL_INT": "3.14: pushes a small int, which is the operand itself.",
    "LOAD_FAST_BORROW": "3.14: pushes a local variable without counting the reference.",
    "PUSH_NULL": "3.11: pushes NULL beside the function, where self would be.",
    "PRECALL": "Only in 3.11: prepares the call.",
    "CALL": "3.11: one instruction for most calls, with self or without.",
    "LOAD_METHOD": "3.7: finds the method without making an object that binds it to self.",
    "LOAD_ATTR": "3.12 (LOAD_METHOD since 3.7): finds the method without making an object that "
    "binds it to self.",
}


def lecture_beside(function: FunctionType) -> Table:
    """Return the slide's instructions next to those of `function`, matched by operand."""
    code = disassemble(function)
    left = [f"{offset} {name} {operand}".rstrip() for offset, name, operand in LISTING]
    right = [f"{step.offset} {step}" for step in code.instructions]
    keys = (
        [_key(name, operand) for _, name, operand in LISTING],
        [_key(step.opname, _operand(step)) for step in code.instructions],
    )
    rows = []
    names = [step.opname for step in code.instructions]
    matcher = difflib.SequenceMatcher(a=keys[0], b=keys[1], autojunk=False)
    for kind, a, a_end, b, b_end in matcher.get_opcodes():
        for place in range(max(a_end - a, b_end - b)):
            one = left[a + place] if a + place < a_end else ""
            other = right[b + place] if b + place < b_end else ""
            name = names[b + place] if other else ""
            same = kind == "equal" and one.partition(" ")[2] == other.partition(" ")[2]
            rows.append([one, other, "" if same else _CHANGES.get(name, "")])
    return Table(["on the slide", f"Python {code.version}", "what has changed"], rows)


ODD_SUM = program("c0 s1 c1 s2 l2 l0 < f17 l1 l2 + s1 l2 c2 + s2 j4")
"""The lab's function `odd_sum` in the slide's instructions; the values are n, total and i."""


def _operand(step: Instruction) -> str:
    # LOAD_SMALL_INT 2 contains the 2 itself, not the index of a constant.
    return str(step.arg) if step.opname == "LOAD_SMALL_INT" else step.argrepr


def _key(name: str, operand: str) -> str:
    if name in ("CALL", "CALL_FUNCTION"):
        return "call"
    return re.sub(r"NULL(\|self)?|[ +]", "", operand) or name


def effects(function: FunctionType) -> list[tuple[int, int | None, bool]]:
    """Return each instruction as (stack effect, index of its jump target, falls through)."""
    listing = disassemble(function).listings[0]
    place = {step.offset: index for index, step in enumerate(listing.instructions)}
    found = []
    for step in listing.instructions:
        target = None if step.jump_target is None else place[step.jump_target]
        changes = set() if target is None else {step.stack_effect_jump or 0}
        if step.falls_through or target is None:
            changes.add(step.stack_effect or 0)
        if listing.exception_table or len(changes) > 1:
            raise LabError(
                object="function of effects",
                expected="a function without `for`, `try` and `with`",
                received=describe(function.__name__),
                remedy="Choose a function whose stack does not depend on a jump.",
            )
        found.append((changes.pop(), target, step.falls_through))
    return found


def race(execute: Callable[..., Any], odd_sum: FunctionType, n: int) -> Page | Table:
    """Time `odd_sum` on CPython and, in the slide's instructions, on the student's machine."""
    values = [n, None, None]
    expected = values_after(ODD_SUM, values)
    ready = answering({"yours": lambda: execute(ODD_SUM, values)}, expected)
    if not ready:
        return say("Finish the exercise, then run this cell again.")
    runs = {"CPython": lambda: odd_sum(n), **ready}
    times = compare(runs, rounds=25, min_sample_time=1e-3)
    found = times.per(count_instructions(odd_sum, n))
    rows = [[each.name, each.median, found.ratio(each.name).value] for each in found]
    return Table(
        ["machine", "one instruction", "multiple of CPython's"],
        rows,
        formats={"one instruction": format_seconds, "multiple of CPython's": "{:,.0f}".format},
        caption=f"Your values array at the end: {expected}",
    )
