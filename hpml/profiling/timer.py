"""A look at the main thread's stack each time the system's timer rings: no cost in between."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from hpml.profiling.call_tree import short_place

Stack = tuple[tuple[str, str], ...]
"""Name and place of each call, from the outermost inwards."""


class TimerSampler:
    """Collects stacks with the seconds since the one before.

    A signal is handled between two instructions of Python. So a long call of a built-in function
    gets one look, at its end, with all of its time.
    """

    def __init__(self) -> None:
        self.stacks: list[tuple[Stack, float]] = []
        self._codes: list[tuple[list[CodeType], float]] = []
        self._last = 0.0

    @staticmethod
    def available() -> bool:
        """Return whether there is a timer, free, whose signals this thread handles."""
        return (
            hasattr(signal, "setitimer")
            and threading.current_thread() is threading.main_thread()
            and signal.getitimer(signal.ITIMER_REAL)[0] == 0
        )

    @staticmethod
    def running() -> bool:
        """Return whether one collects stacks at the moment."""
        return hasattr(signal, "SIGALRM") and isinstance(
            signal.getsignal(signal.SIGALRM), TimerSampler
        )

    def run(self, function: Callable[..., Any], arguments: tuple[Any, ...], interval: float) -> Any:
        """Call a function while the timer runs, and return what it returns."""
        before = signal.signal(signal.SIGALRM, self)
        self._last = time.perf_counter()
        try:
            signal.setitimer(signal.ITIMER_REAL, interval, interval)
            return function(*arguments)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            self.stacks = [(_named(codes), seconds) for codes, seconds in self._codes]

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal: note the calls below `run`, innermost first."""
        codes = []
        while frame is not None and frame.f_code is not _RUN:
            codes.append(frame.f_code)
            frame = frame.f_back
        now = time.perf_counter()
        if codes and frame is not None:
            self._codes.append((codes, now - self._last))
            self._last = now


_RUN = TimerSampler.run.__code__


def _named(codes: list[CodeType]) -> Stack:
    return tuple(
        (code.co_name, short_place(code.co_filename, code.co_firstlineno))
        for code in reversed(codes)
    )
