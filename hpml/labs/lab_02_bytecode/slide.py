"""The lecture's listing of bytecode, beside what the running Python makes of the same function."""

from __future__ import annotations

import difflib
import re
from types import FunctionType

from hpml.base.errors import describe
from hpml.base.tables import Table
from hpml.bytecode import disassemble
from hpml.course.errors import LabError

__all__ = ["SLIDE", "slide_beside", "slide_form"]

SLIDE: tuple[tuple[int, str, str], ...] = (
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
    "RESUME": "3.11: a call begins; does another thread or a debugger want something?",
    "PUSH_NULL": "3.11: an empty place beside the function, where self would stand.",
    "PRECALL": "Only in 3.11: makes ready for the call.",
    "CALL": "3.11: one instruction for all calls, with self or without.",
    "LOAD_METHOD": "3.7: finds the method; makes no object that binds it to its self.",
    "LOAD_ATTR": "3.12 (LOAD_METHOD since 3.7): finds the method; makes no object that binds it to "
    "its self.",
}


def slide_beside(function: FunctionType) -> Table:
    """Return the slide's instructions beside those of `function`, matched by what they work on.

    Args:
        function: the slide's ``f``, or another one, which then differs more.

    >>> def f():
    ...     x = torch.randn(2, 2)
    ...     return x.mm(x)
    >>> slide_beside(f).column("on the slide")[-1]
    '20 RETURN_VALUE'
    """
    code = disassemble(function)
    left = [f"{offset} {name} {operand}".rstrip() for offset, name, operand in SLIDE]
    right = [f"{step.offset} {step}" for step in code.instructions]
    keys = (
        [_key(name, operand) for _, name, operand in SLIDE],
        [_key(step.opname, step.argrepr) for step in code.instructions],
    )
    rows = []
    names = [step.opname for step in code.instructions]
    matcher = difflib.SequenceMatcher(a=keys[0], b=keys[1], autojunk=False)
    for kind, a, a_end, b, b_end in matcher.get_opcodes():
        for place in range(max(a_end - a, b_end - b)):
            one = left[a + place] if a + place < a_end else ""
            other = right[b + place] if b + place < b_end else ""
            name = names[b + place] if other else ""
            same = kind == "equal" and _plain(one) == _plain(other)
            rows.append([one, other, "" if same else _CHANGES.get(name, "")])
    return Table(["on the slide", f"Python {code.version}", "what has changed"], rows)


def slide_form(function: FunctionType) -> tuple[list[tuple[str, int | None]], list[str]]:
    """Return a function's instructions in the form of the slide's example, and its values array.

    What today's compiler writes is put back into the slide's few instructions: ``BINARY_OP +``
    becomes ``BINARY_ADD``, an instruction that loads two values becomes two.

    Args:
        function: of local variables, ``+``, ``-``, ``*`` and assignments, returning nothing.

    Returns:
        The instructions, and the names of the local variables in the order of the array.

    Raises:
        LabError: if there is anything else in it.

    >>> def lecture(a, b, c):
    ...     d = a + b * c
    >>> slide_form(lecture)[0][-2:], slide_form(lecture)[1]
    ([('BINARY_ADD', None), ('STORE_FAST', 3)], ['a', 'b', 'c', 'd'])
    """
    names = list(function.__code__.co_varnames)
    found: list[tuple[str, int | None]] = []
    for step in disassemble(function).instructions:
        if step.opname == "BINARY_OP" and step.argrepr.rstrip("=") in _SIGNS:
            found.append((_SIGNS[step.argrepr.rstrip("=")], None))
        elif re.fullmatch("(_?(LOAD|STORE)_FAST(_BORROW|_CHECK)?)+", step.opname):
            kinds = re.findall("LOAD_FAST|STORE_FAST", step.opname)
            places = [names.index(name) for name in step.argrepr.split(", ")]
            found += zip(kinds, places, strict=True)
        elif step.opname not in ("RESUME", "RETURN_VALUE") and step.argrepr != "None":
            raise LabError(
                f"slide_form expects local variables, +, -, * and assignments only, but "
                f"{describe(function.__name__)} contains {step} (line {step.line}: {step.source})."
            )
    return found, names


_SIGNS = {"+": "BINARY_ADD", "-": "BINARY_SUBTRACT", "*": "BINARY_MULTIPLY"}


def _key(name: str, operand: str) -> str:
    if name in ("CALL", "CALL_FUNCTION"):
        return "call"
    return re.sub(r"NULL(\|self)?|[ +]", "", operand) or name


def _plain(text: str) -> str:
    """Return an instruction without its offset."""
    return text.partition(" ")[2]
