"""A deadline for code in this process: a cell of a submission, a case of a check."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def deadline(seconds: float, error: BaseException) -> Iterator[None]:
    """Raise `error` in the block after `seconds`, and repeatedly from then on.

    An import is never interrupted, because its module would stay half loaded: the time starts anew.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):  # Windows
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_globals.get("__name__") == "importlib._bootstrap":
                signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)
                return
            frame = frame.f_back
        raise error

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # the timer may have fired between the two
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
