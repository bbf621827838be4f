"""Tracebacks that show the program's lines and none of the machine's.

CPython adds an entry to an exception's traceback for each frame that it passes. An exception in an
interpreted function passes frames of the machine instead: `clean` removes their entries, and
`add_entry` adds one for the interpreted frame.

An entry needs a real frame object. It is that of a generator which is never started. Its code has
the file, the name and the table of lines of the interpreted function.
"""

from __future__ import annotations

import dis
from types import FrameType, FunctionType, TracebackType
from typing import Any

from hpml.bytecode.machine.state import COPY, NATIVE_CALL, Frame
from hpml.bytecode.own_code import is_our_code
from hpml.bytecode.plain_attributes import set_traceback, traceback_of

_NOP = bytes([dis.opmap["NOP"], 0])


def clean(error: BaseException) -> None:
    """Remove the machine's entries from the traceback of `error`."""
    first = last = None
    link = traceback_of(error)
    while link is not None:
        if not _is_our_frame(link.tb_frame):
            if last is None:
                first = link
            elif last.tb_next is not link:
                last.tb_next = link
            last = link
        link = link.tb_next
    if last is not None and last.tb_next is not None:
        last.tb_next = None
    set_traceback(error, first)


def add_entry(error: BaseException, frame: Frame, *, with_variables: bool) -> None:
    """Add an entry for `frame`, at its current instruction, to the traceback of `error`."""
    instruction = frame.current
    line = -1 if instruction.line is None else instruction.line
    copy = _copy_of(frame, frame.variables() if with_variables else ({}, {}))
    entry = TracebackType(traceback_of(error), copy, instruction.offset, line)
    set_traceback(error, entry)


def _generator() -> Any:
    yield


def _copy_of(frame: Frame, variables: tuple[dict[str, Any], dict[str, Any]]) -> FrameType:
    """Return a frame object that looks like `frame`, with these local variables and cells."""
    code, mine = frame.code, _generator.__code__
    values = variables[0] | variables[1]
    missing = (len(code.co_code) - len(mine.co_code)) // len(_NOP)
    copy = mine.replace(
        # As long as the original: the table of lines must not describe more code than there is.
        co_code=mine.co_code + _NOP * missing,
        co_consts=COPY,
        co_filename=code.co_filename,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_firstlineno=code.co_firstlineno,
        co_linetable=code.co_linetable,
        co_exceptiontable=b"",
        co_varnames=tuple(values),
        co_nlocals=len(values),
        co_argcount=len(values),
    )
    found: FrameType = FunctionType(copy, frame.globals)(*values.values()).gi_frame
    return found


def _is_our_frame(frame: FrameType) -> bool:
    code = frame.f_code
    return is_our_code(code) or code.co_consts == NATIVE_CALL
