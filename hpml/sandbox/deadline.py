"""A deadline for code in this process: a cell of a submission, a case of a check."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def deadline(seconds: float, error: BaseException) -> Iterator[None]:
    """Raise `error` in the block after `seconds`, and repeatedly from then on."""
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):  # Windows
        yield
        return

    def ring(number: int, frame: object) -> None:
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
