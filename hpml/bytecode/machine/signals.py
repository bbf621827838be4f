"""Signals reach the program between two instructions, as CPython delivers them, and nowhere else.

Python runs a signal's handler between any two steps of Python code: also of the machine's own,
where an exception would get past the program's ``except`` and ``finally``. While a run is in
progress its thread's handlers are wrapped: one that finds the machine at work waits for the next
instruction at which CPython looks for signals. One that finds the program's code at work, or C
code that it called, is called at once.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found, unused-ignore] # no enumerations, which make it slow
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from hpml.bytecode.own_code import is_our_code

SET_SIGNAL, GET_SIGNAL = _signal.signal, _signal.getsignal
"""What the functions of `signal` call."""

_OPCODES = str(Path(__file__).parent / "opcodes")
_ATOMIC = tuple(str(Path(_OPCODES, name)) for name in ("stack.py", "exceptions.py"))


class WaitingSignals:
    """The signals that wait for the next instruction of one run."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.program_frame: Callable[[], FrameType | None] = lambda: None
        self.waiting: list[tuple[int, Callable[..., Any]]] = []
        self._wake = wake

    def add(self, number: int, handler: Callable[..., Any]) -> None:
        """Let a signal wait."""
        self.waiting.append((number, handler))
        self._wake()

    @contextmanager
    def wrapped(self) -> Iterator[None]:
        """Wrap the handlers of all signals until the end of the ``with`` block."""
        if threading.current_thread() is not threading.main_thread():
            yield  # signals interrupt the main thread alone
            return
        for number in _signal.valid_signals():
            self.install(number, _signal.getsignal(number), only_callable=True)
        try:
            yield
        finally:
            for number in _signal.valid_signals():
                handler = _signal.getsignal(number)
                if type(handler) is _Wrapper and handler.signals is self:
                    _signal.signal(number, handler.handler)

    def install(self, number: int, handler: Any, *, only_callable: bool = False) -> Any:
        """Do as ``signal.signal``, with a wrapper around the handler; return the one before."""
        if callable(handler) and not isinstance(handler, int):
            handler = _Wrapper(handler, self)
        elif only_callable:
            return None
        return unwrapped(_signal.signal(number, handler))


class _Wrapper:
    """Calls a handler, or lets its signal wait."""

    __slots__ = ("handler", "signals")

    def __init__(self, handler: Callable[..., Any], signals: WaitingSignals) -> None:
        self.handler = handler
        self.signals = signals

    def __call__(self, number: int, frame: FrameType | None) -> Any:
        if frame is not None and _must_wait(frame):
            self.signals.add(number, self.handler)
            return None
        if frame is not None and is_our_code(frame.f_code):
            frame = self.signals.program_frame()
        return self.handler(number, frame)


def unwrapped(handler: Any) -> Any:
    """Return the handler inside of a wrapper; anything else as it is."""
    return handler.handler if type(handler) is _Wrapper else handler


def _must_wait(frame: FrameType) -> bool:
    """Return whether the machine is at work that must not be interrupted."""
    innermost: FrameType | None = frame
    # A hook that Python calls, as for an audit, belongs to whoever was at work.
    while innermost is not None and not is_our_code(innermost.f_code):
        innermost = innermost.f_back
    if innermost is None or innermost.f_code.co_name == "call_natively":
        return False
    file = innermost.f_code.co_filename
    # Most instructions may run code of the program or wait for the world: they are interrupted.
    return not file.startswith(_OPCODES) or (innermost is frame and file.startswith(_ATOMIC))
