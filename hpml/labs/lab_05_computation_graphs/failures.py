"""An error as the lab shows it: what it says, which line of the notebook, what had run before."""

from __future__ import annotations

import html
import linecache
import os
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from hpml.base.page import FIXED, Page
from hpml.course.errors import LabError
from hpml.labs.lab_05_computation_graphs.work import counted, work_of

__all__ = ["Failure", "failure"]


@dataclass(frozen=True)
class Failure:
    """What failed, and how far it had got.

    Attributes:
        text: the exception's class and message.
        lines: the student's own lines that it went through, the outermost first.
        notes: what the exception was told on its way.
        operations: the operators that PyTorch had executed on numbers when it failed.
    """

    text: str
    lines: tuple[str, ...]
    notes: tuple[str, ...]
    operations: tuple[str, ...]

    @property
    def line(self) -> str:
        """The innermost of the student's own lines."""
        return self.lines[-1] if self.lines else ""

    def page(self) -> Page:
        """Return it as a page."""
        rows = [("called by", line) for line in self.lines[:-1]]
        rows += [("your line", self.line), ("error", self.text)]
        rows += [("note", note) for note in self.notes]
        rows += [("done before it", counted(self.operations))]
        width = max(len(name) for name, _ in rows)
        plain = "\n".join(f"{name:<{width}}  {text}" for name, text in rows)
        cell = 'style="text-align: left; vertical-align: top;'
        body = "".join(
            f'<tr><td {cell} white-space: nowrap;"><b>{html.escape(name)}</b></td>'
            f'<td {cell} {FIXED}">{html.escape(text)}</td></tr>'
            for name, text in rows
        )
        return Page(plain, f"<table>{body}</table>")

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.page().bundle()

    def __repr__(self) -> str:
        return self.page().plain


def failure(run: Callable[[], object]) -> Failure:
    """Run something that fails; return what the error says and where it leads.

    Raises:
        LabError: if nothing failed.

    >>> failure(lambda: [1, 2].index(3)).text
    'ValueError: 3 is not in list'
    """
    caught: list[Exception] = []

    def guarded() -> None:
        try:
            run()
        except Exception as error:  # noqa: BLE001 - any failure is what we are here for
            caught.append(error)

    work = work_of(guarded)
    if not caught:
        raise LabError("failure expects something that fails, but nothing did: change its input.")
    (error,) = caught
    own = getattr(getattr(run, "__code__", None), "co_filename", None)
    return Failure(
        f"{type(error).__name__}: {_with_lines(str(error))}",
        _own_lines(error.__traceback__, own),
        tuple(_with_lines(note) for note in getattr(error, "__notes__", ())),
        work.operations,
    )


def _own_lines(trace: TracebackType | None, own: str | None) -> tuple[str, ...]:
    """Return the lines of a traceback that stand in a notebook, or in the file of what was run."""
    found = []
    for frame in traceback.extract_tb(trace):
        if frame.filename == own or _is_cell(frame.filename):
            found.append(_text_of(frame))
    return tuple(line for line in found if line)


def _text_of(frame: traceback.FrameSummary) -> str:
    """Return the line, or of a lambda only the call, which shares its line with other things."""
    # A frame knows its columns in bytes, from Python 3.11 on.
    if frame.name == "<lambda>" and frame.colno is not None and frame.lineno == frame.end_lineno:
        line = linecache.getline(frame.filename, frame.lineno or 0).encode()
        return line[frame.colno : frame.end_colno].decode()
    return (frame.line or "").strip()


def _is_cell(filename: str) -> bool:
    # A cell's code claims a file that was never written; generated code says so by its "<".
    return not filename.startswith("<") and not os.path.exists(filename)


def _with_lines(text: str) -> str:
    """Say which line is meant where a message names a cell by its number, ``3241.py:2``."""

    def line_of(match: re.Match[str]) -> str:
        for filename in list(linecache.cache):
            if os.path.basename(filename) == match["file"] and _is_cell(filename):
                line = linecache.getline(filename, int(match["line"])).strip()
                if line:
                    return f"in the line  {line}"
        return match[0]

    return re.sub(r"at (?P<file>[\w.-]+\.py):(?P<line>\d+)", line_of, text)
