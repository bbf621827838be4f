"""What a function prints while it is tried: the beginning is passed on, the rest is left out.

A `print` in a loop is how a student looks inside, and stays; but a check runs a function on many
cases, and thousands of lines would hide the verdict below them.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO, cast

_MOST = 2000


@contextlib.contextmanager
def bounded_printing(most: int = _MOST) -> Iterator[None]:
    """Let through the first `most` characters that are printed inside, then a line that says so."""
    with contextlib.ExitStack() as stack:
        if sys.stdout is not None:  # there is none without a console
            stack.enter_context(contextlib.redirect_stdout(_bounded(sys.stdout, most)))
        if sys.stderr is not None:
            stack.enter_context(contextlib.redirect_stderr(_bounded(sys.stderr, most)))
        yield


def _bounded(stream: TextIO, most: int) -> TextIO:
    return cast("TextIO", _Bounded(stream, most))


class _Bounded:
    """A stream's beginning; in all but writing it is the stream, a notebook's or a terminal's."""

    def __init__(self, stream: TextIO, most: int) -> None:
        self._stream = stream
        self._most = most
        self._left = most
        self._in_line = False
        self._full = False

    def write(self, text: str) -> int:
        if not self._full:
            kept = text[: self._left]
            self._stream.write(kept)
            self._left -= len(kept)
            self._in_line = not kept.endswith("\n") if kept else self._in_line
            if len(kept) < len(text):
                self._full = True
                end = "\n" if self._in_line else ""
                self._stream.write(
                    f"{end}… the first {self._most:,} characters are shown; "
                    "the rest of what is printed here is left out.\n"
                )
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
