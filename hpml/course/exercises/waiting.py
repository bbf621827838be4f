"""A limit of time for what runs in the kernel itself: an endless loop gets a verdict as well."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

AT_LEAST = 10.0
"""Seconds that a case may take, and more where grading waits longer."""


class TooSlowError(KeyboardInterrupt):
    """The time is over; like a KeyboardInterrupt it is nothing that a student's code would meet."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TooSlowError inside after so many seconds, and each second from then on."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(signum: int, frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # it may have rung between the two
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
