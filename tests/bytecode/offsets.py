"""Which instructions run, in which order: CPython's report beside the machine's.

CPython reports instructions to `sys.monitoring` from 3.12 on, and to a trace function with
``f_trace_opcodes`` on 3.11. Neither reports all of them; `silent` says which not, and why.
"""

from __future__ import annotations

import contextlib
import dis
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

from hpml.bytecode.machine.decode import decode
from hpml.bytecode.machine.machine import call
from hpml.bytecode.machine.state import Frame, MachineState
from hpml.bytecode.watching import watch_instructions

Offsets = list[tuple[CodeType, int]]

SPECIAL = {
    "lines.lines_through_code_of_a_library": "`sorted` and `map` call a function that is called "
    "by the program as well",
    "naming.recursion_without_end_is_caught": "the last of a thousand calls is refused one frame "
    "earlier or later",
    "naming.recursion_in_a_handler_without_end": "as above",
}
"""Cases in which one function is executed both by the machine and by CPython."""


class _Spy:
    """Stands where the recorder of steps stands, and keeps offsets only."""

    def __init__(self) -> None:
        self.seen: list[tuple[CodeType, str, int]] = []

    def new_stack(self) -> list[Any]:
        return []

    def before(self, frame: Frame) -> None:
        self.seen.append((frame.code, frame.current.opname, frame.current.offset))

    def after(self, frame: Frame, signal: Any) -> None: ...

    def raised(self, frame: Frame, error: BaseException) -> None: ...

    def stop(self) -> None: ...


def codes_of(code: CodeType) -> set[CodeType]:
    """Return a code object and all that are inside it."""
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return {code}.union(*(codes_of(const) for const in inner))


def by_machine(function: Any, codes: set[CodeType]) -> Offsets:
    """Return code object and offset of each instruction of `codes` that the machine executes.

    Those that CPython never reports are left out.
    """
    spy: Any = _Spy()
    call(MachineState(10_000_000, function.__globals__, decode, spy), function, [], {})
    listings = {code: silent(code) for code in codes}
    return [
        (code, offset)
        for code, opname, offset in spy.seen
        if code in codes and offset not in listings[code]
    ]


def opcodes_by_machine(function: Any) -> set[str]:
    """Return the opcodes that the machine executes for `function`."""
    spy: Any = _Spy()
    call(MachineState(10_000_000, function.__globals__, decode, spy), function, [], {})
    return {opname for _, opname, _ in spy.seen}


def silent(code: CodeType) -> set[int]:
    """Return the offsets of the instructions of `code` that CPython executes and never reports.

    They precede the first RESUME and prepare the frame; `count_instructions` documents it.
    """
    found = set()
    creates = 4 if sys.version_info >= (3, 15) else -1  # a generator expression
    for item in dis.get_instructions(code):
        if item.opname == "RESUME" and item.arg != creates:
            break
        found.add(item.offset)
    return found


def by_cpython(function: Callable[[], Any], codes: set[CodeType]) -> Offsets:
    """Return code object and offset of each instruction of `codes` that CPython reports."""
    seen: Offsets = []
    listings = {code: silent(code) for code in codes}

    def report(code: CodeType, offset: int) -> None:
        if offset not in listings[code]:
            seen.append((code, offset))

    with contextlib.suppress(BaseException):
        watch_instructions(function, report, codes.__contains__)
    return seen
