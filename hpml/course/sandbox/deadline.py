"""A deadline for code in this process: a cell of a submission, a case of a check.

On Linux and macOS the system's timer sends a signal. Windows has no such timer, so there a thread
waits and then interrupts the main thread, as Ctrl-C does.
"""

from __future__ import annotations

import _thread
import contextlib
import inspect
import signal
import threading
from collections.abc import Iterator
from types import FrameType

_AGAIN = 0.2  # seconds until the error is raised once more


@contextlib.contextmanager
def deadline(seconds: float, error: BaseException) -> Iterator[None]:
    """Raise `error` in the block after `seconds`, and repeatedly from then on.

    An import is never interrupted, because its module would stay half loaded: the time starts anew.
    In another thread than the main one there is no deadline.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    alarm = _Timer(seconds) if hasattr(signal, "setitimer") else _Watcher(seconds)

    def ring(number: int, frame: FrameType | None) -> None:
        if not alarm.is_due():  # the user's own Ctrl-C
            if callable(before):
                before(number, frame)
        elif _at_an_edge(frame):
            pass  # raised there, it would leave the alarm on; before the block it comes again
        elif _importing(frame):
            alarm.start()
        else:
            raise error

    before = signal.signal(alarm.number, ring)
    try:
        alarm.start()
        try:
            yield
        finally:
            alarm.stop()
    finally:  # it may have rung between the two
        alarm.stop()
        signal.signal(alarm.number, signal.SIG_DFL if before is None else before)


class _Timer:
    """The system's timer."""

    def __init__(self, seconds: float) -> None:
        self.number = signal.SIGALRM
        self._seconds = seconds

    def start(self) -> None:
        """Ring after the time from now on."""
        signal.setitimer(signal.ITIMER_REAL, self._seconds, _AGAIN)

    def stop(self) -> None:
        """Ring no more."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    def is_due(self) -> bool:
        """Return whether the signal came from here."""
        return True


class _Watcher:
    """A thread that interrupts the main thread."""

    def __init__(self, seconds: float) -> None:
        self.number = signal.SIGINT
        self._seconds = seconds
        self._until_next = seconds
        self._stopped = threading.Event()
        self._due = False
        self._thread = threading.Thread(target=self._watch, daemon=True, name="deadline")

    def start(self) -> None:
        """Ring after the time from now on."""
        self._until_next = self._seconds
        if self._thread.ident is None:
            self._thread.start()

    def stop(self) -> None:
        """Ring no more."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join()

    def is_due(self) -> bool:
        """Return whether the signal came from here."""
        due, self._due = self._due, False
        return due

    def _watch(self) -> None:
        while not self._stopped.wait(self._until_next):
            self._until_next = _AGAIN
            self._due = True
            _thread.interrupt_main(self.number)


def _importing(frame: FrameType | None) -> bool:
    """Return whether a frame is part of an import."""
    while frame is not None:
        if frame.f_globals.get("__name__") == "importlib._bootstrap":
            return True
        frame = frame.f_back
    return False


def _at_an_edge(frame: FrameType | None) -> bool:
    """Return whether a deadline is being started or stopped, not yet or no longer its block run."""
    if frame is not None and frame.f_code.co_filename == contextlib.__file__:
        return True
    while frame is not None:
        if frame.f_code is _DEADLINE:
            return True
        frame = frame.f_back
    return False


_DEADLINE = inspect.unwrap(deadline).__code__
