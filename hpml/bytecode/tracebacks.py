"""Tracebacks that show the student's lines and none of the machine's.

CPython adds an entry to an exception's traceback for every frame that it passes. An exception in an
interpreted function passes the machine's own frames instead; `clean` takes their entries out, and
`add` puts in one for the interpreted frame, with its function, its line and its place in the line.

An entry needs a real frame object. `add` takes that of a generator which is created and never
started, and whose code is the interpreted function's own, cut short: its first instruction is
replaced by the one that creates a generator. So names, lines and columns are right by themselves,
and the frame has no caller, so that it keeps nothing of the machine alive.
"""

from __future__ import annotations

import dis
import inspect
from pathlib import Path
from types import FrameType, FunctionType, TracebackType

from hpml.bytecode.frame import Frame

__all__ = ["add", "clean", "is_ours", "real_frame"]

_FOLDER = str(Path(__file__).parent)
_CREATE_GENERATOR = bytes([dis.opmap["RETURN_GENERATOR"], 0])


def is_ours(frame: FrameType) -> bool:
    """Return whether `frame` belongs to the machine and not to the program that it runs."""
    return frame.f_code.co_filename.startswith(_FOLDER)


def clean(error: BaseException) -> None:
    """Take the machine's entries out of the traceback of `error`."""
    first = last = None
    entry = error.__traceback__
    while entry is not None:
        if not is_ours(entry.tb_frame):
            if last is None:
                first = entry
            elif last.tb_next is not entry:
                last.tb_next = entry
            last = entry
        entry = entry.tb_next
    if last is not None and last.tb_next is not None:
        last.tb_next = None
    error.__traceback__ = first


def add(error: BaseException, frame: Frame) -> None:
    """Put an entry for `frame`, at its current operation, on top of the traceback of `error`."""
    line = frame.current.line
    error.__traceback__ = TracebackType(
        error.__traceback__,
        real_frame(frame),
        frame.current.offset,
        -1 if line is None else line,
    )


def real_frame(frame: Frame) -> FrameType:
    """Return a frame object that looks like `frame` to `traceback` and to debuggers."""
    code = frame.code
    local, cells = frame.variables()
    variables = {name: value for name, value in (local | cells).items() if isinstance(name, str)}
    cut_short = code.replace(
        # As long as before: the line table must not describe more code than there is.
        co_code=_CREATE_GENERATOR + code.co_code[len(_CREATE_GENERATOR) :],
        co_flags=inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS | inspect.CO_GENERATOR,
        co_exceptiontable=b"",
        co_varnames=tuple(variables),
        co_nlocals=len(variables),
        co_argcount=len(variables),
        co_posonlyargcount=0,
        co_kwonlyargcount=0,
        co_cellvars=(),
        co_freevars=(),
    )
    generator = FunctionType(cut_short, frame.globals)(*variables.values())
    found: FrameType = generator.gi_frame
    return found
