"""A word in between, where a check takes long: which case is running, and how to stop it.

A check in a notebook has no time limit, since the student can see and stop it. But an endless loop
looks like a slow one, and silence like both.
"""

from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Protocol, TextIO

__all__ = ["AFTER", "Timer", "said_if_slow"]

AFTER = 10.0
"""Seconds within one case before a line is printed."""


class Timer(Protocol):
    """What is used of `threading.Timer`."""

    daemon: bool

    def start(self) -> None:
        """Begin to wait."""

    def cancel(self) -> None:
        """Wait no longer."""

    def join(self) -> None:
        """Return when its thread has ended."""


@contextlib.contextmanager
def said_if_slow(
    line: str,
    stream: TextIO | None = None,
    *,
    timer: Callable[[float, Callable[[], None]], Timer] = threading.Timer,
) -> Iterator[None]:
    """Print `line` once if what is inside takes more than `AFTER` seconds; then nothing is left.

    Args:
        line: what is printed.
        stream: where; None for standard output as it is on entry.
        timer: makes what waits; called with the seconds and the function to call after them.

    >>> with said_if_slow("still at it"):
    ...     2 + 2
    4
    """
    # A notebook finds the cell of a printed line through the context.
    context, where = contextvars.copy_context(), stream or sys.stdout
    waiting = timer(AFTER, lambda: context.run(print, line, file=where, flush=True))
    waiting.daemon = True
    waiting.start()
    try:
        yield
    finally:
        waiting.cancel()
        # So that a line which is being printed comes before the verdict.
        waiting.join()
