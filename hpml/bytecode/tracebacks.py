"""Tracebacks that show the student's lines and none of the machine's.

CPython adds an entry to an exception's traceback for every frame that it passes. An exception in an
interpreted function passes the machine's own frames instead; `clean` takes their entries out, and
`add` puts in one for the interpreted frame, with its function, its line and its place in the line.

An entry needs a real frame object. `add` gets one from a few bytes of code that return the frame
they run in, compiled once and relabelled with the name, file and line table of the interpreted
function.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from hpml.bytecode.frame import Frame

__all__ = ["add", "clean", "is_ours", "real_frame"]

_FOLDER = str(Path(__file__).parent)
_GET_FRAME = compile("_getframe()", __file__, "eval")


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
    relabelled = _GET_FRAME.replace(
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_linetable=code.co_linetable,
    )
    local, cells = frame.variables()
    variables: dict[str, Any] = {**local, **cells, "_getframe": sys._getframe}
    found: FrameType = eval(relabelled, frame.globals, variables)
    del variables["_getframe"]
    return found
