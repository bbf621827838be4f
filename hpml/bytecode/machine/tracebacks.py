"""Tracebacks that show the student's lines and none of the machine's.

CPython adds an entry to an exception's traceback for every frame that it passes. An exception in an
interpreted function passes the machine's own frames instead; `clean` takes their entries out, and
`entry` adds one for the interpreted frame, with its function, its line and its place in the line.

An entry needs a real frame object. `entry` takes that of a generator which is created and never
started, and whose code is the interpreted function's own, cut short: its first instruction is
replaced by the one that creates a generator. So names, lines and columns are right by themselves,
and the frame has no caller, so that it keeps nothing of the machine alive.
"""

from __future__ import annotations

import dis
import inspect
from types import FrameType, FunctionType, TracebackType

from hpml.bytecode.machine.state import Frame
from hpml.bytecode.own_code import BUILTINS, is_ours
from hpml.bytecode.plain_attributes import set_traceback, traceback_of

__builtins__ = BUILTINS

_CREATE_GENERATOR = bytes([dis.opmap["RETURN_GENERATOR"], 0])
_FUNCTION_FLAGS = inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS


def clean(error: BaseException) -> None:
    """Take the machine's entries out of the traceback of `error`."""
    first = last = None
    link = traceback_of(error)
    while link is not None:
        if not is_ours(link.tb_frame):
            if last is None:
                first = link
            elif last.tb_next is not link:
                last.tb_next = link
            last = link
        link = link.tb_next
    if last is not None and last.tb_next is not None:
        last.tb_next = None
    set_traceback(error, first)


def entry(error: BaseException, frame: Frame) -> TracebackType:
    """Return the traceback of `error` with an entry for `frame`, at its current instruction."""
    line = frame.current.line
    return TracebackType(
        traceback_of(error), copy_of(frame), frame.current.offset, -1 if line is None else line
    )


def copy_of(frame: Frame) -> FrameType:
    """Return a frame object that looks like `frame` to `traceback` and to debuggers."""
    code = frame.code
    variables = frame.named_variables()
    cut_short = code.replace(
        # As long as before: the line table must not describe more code than there is.
        co_code=_CREATE_GENERATOR + code.co_code[len(_CREATE_GENERATOR) :],
        co_flags=_FUNCTION_FLAGS | inspect.CO_GENERATOR,
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
