"""A table of errors: their messages, and the notebook lines that their tracebacks show."""

from __future__ import annotations

import linecache
import os
import re
import traceback
from collections.abc import Callable, Mapping
from types import TracebackType

from hpml.base import Table
from hpml.course.lesson.errors import LabError
from hpml.profiling import work_of


def failures(runs: Mapping[str, Callable[[], object]]) -> Table:
    """Run code that fails, and return the message and the notebook line of each error."""
    rows = [[name, *_failure(run)] for name, run in runs.items()]
    return Table(["", "your line", "what it says", "operations run"], rows)


def _failure(run: Callable[[], object]) -> tuple[str, str, int]:
    caught: list[Exception] = []

    def guarded() -> None:
        try:
            run()
        except Exception as error:  # noqa: BLE001 - any error is shown
            caught.append(error)

    work = work_of(guarded)
    if not caught:
        raise LabError(
            object="failures",
            expected="code that fails",
            received="code that did not",
            remedy="Change its input.",
        )
    (error,) = caught
    file = getattr(getattr(run, "__code__", None), "co_filename", None)
    message = [f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())]
    text = ". ".join(map(_with_lines, message))
    return _own_line(error.__traceback__, file), text, len(work.operations)


def _own_line(trace: TracebackType | None, file: str | None) -> str:
    """Return the last line of a traceback in a cell or `file`; of a lambda only what failed."""
    frames = traceback.extract_tb(trace)
    own = [frame for frame in frames if frame.filename == file or _is_cell(frame.filename)]
    if not own:
        return ""
    frame = own[-1]
    # The columns of a frame count bytes.
    if frame.name == "<lambda>" and frame.colno is not None and frame.lineno == frame.end_lineno:
        line = linecache.getline(frame.filename, frame.lineno or 0).encode()
        return line[frame.colno : frame.end_colno].decode()
    return (frame.line or "").strip()


def _is_cell(filename: str) -> bool:
    # A cell's file name does not exist on disk; that of generated code starts with "<".
    return not filename.startswith("<") and not os.path.exists(filename)


def _with_lines(text: str) -> str:
    """Replace references to cells such as ``3241.py:2`` in a message by the line's text."""

    def line_of(match: re.Match[str]) -> str:
        for filename in list(linecache.cache):
            if os.path.basename(filename) == match["file"] and _is_cell(filename):
                line = linecache.getline(filename, int(match["line"])).strip()
                if line:
                    return f"in the line  {line}"
        return match[0]

    return re.sub(r"at (?P<file>[\w.-]+\.py):(?P<line>\d+)", line_of, text)
