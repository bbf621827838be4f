"""A sampling profiler: the system's timer, or else `pyinstrument`, triggers the samples."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from hpml.base import module_calls
from hpml.base.errors import describe
from hpml.base.page import Page
from hpml.profiling.call_tree import CallTree, short_place, tree_of_stacks
from hpml.profiling.checks import check_function, refuse_a_second_profiler
from hpml.profiling.errors import ProfilingError
from hpml.profiling.icicle import icicle

Stack = tuple[tuple[str, str], ...]
"""Name and place of each call, from the outermost inwards."""


@dataclass(frozen=True)
class Samples:
    """The samples of one run.

    Attributes:
        tree: the merged stacks; weights are seconds.
        count: the number of samples.
        interval: the requested seconds between two samples.
        seconds: the duration of the run.
    """

    tree: CallTree = field(repr=False)
    count: int
    interval: float
    seconds: float
    result: Any = field(default=None, repr=False, compare=False)

    def icicle(self) -> Page:
        """Return the picture, with each function's width proportional to its samples."""
        title = (
            f"{self.count:,} samples in {self.seconds:.3g} s, one every {1e3 * self.interval:g} ms"
        )
        return icicle(self.tree, unit="s", title=title)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return self.icicle().bundle()


@module_calls.measuring
def sample(function: Callable[..., Any], *arguments: Any, interval: float = 5e-3) -> Samples:
    """Call a function once and record its stack every `interval` seconds.

    Only samples cost time, so the program runs at about its normal speed. Without a free timer (on
    Windows or outside the main thread) `pyinstrument` samples and slows each call down. Calls
    shorter than an interval may be missed. Time in a built-in function counts for its caller. Only
    the calling thread is sampled.

    Args:
        function: called with `arguments`.
        interval: seconds between samples, from 0.0001 to 3600.

    Raises:
        ProfilingError: if `function` cannot be called, `interval` is out of range, another profiler
            is running, the function used the timer itself, or the run was too short for a sample.

    Source: https://docs.python.org/3/library/signal.html#signal.setitimer

    >>> found = sample(lambda: sum(n * n for n in range(2_000_000)))
    >>> found.count > 10, abs(found.tree.total / found.seconds - 1) < 0.2
    (True, True)
    """
    check_function("sample", function)
    if not (isinstance(interval, int | float) and 1e-4 <= interval <= 3600):
        raise ProfilingError(f"interval expects 0.0001 to 3600 seconds, got {describe(interval)}.")
    refuse_a_second_profiler("sample")
    start = time.perf_counter()
    if _TimerSampler.available():
        sampler = _TimerSampler()
        result = sampler.run(function, arguments, interval)
        stacks = [(_named(codes), seconds) for codes, seconds in sampler.codes]
    else:
        result, stacks = _by_pyinstrument(function, arguments, interval)
    seconds = time.perf_counter() - start
    if not stacks:
        raise ProfilingError(
            f"The run took {seconds:.2g} s, and no sample, one every {interval:g} s, saw Python "
            "code; sample a longer run, use a shorter interval, or wrap a built-in: lambda: f(x)."
        )
    return Samples(tree_of_stacks(stacks), len(stacks), interval, seconds, result)


def _by_pyinstrument(
    function: Callable[..., Any], arguments: tuple[Any, ...], interval: float
) -> tuple[Any, list[tuple[Stack, float]]]:
    from pyinstrument import Profiler

    with Profiler(interval=interval, async_mode="disabled") as profiler:
        result = function(*arguments)
    session: Any = profiler.last_session
    stacks = [(_stack(frames), seconds) for frames, seconds in session.frame_records]
    return result, [each for each in stacks if each[0]]


def _stack(identifiers: list[str]) -> Stack:
    """Return name and place of each call below ours from pyinstrument's frame identifiers."""
    frames: list[tuple[str, str]] = []
    for identifier in identifiers:
        name, file, line = identifier.partition("\x01")[0].split("\x00")[:3]
        if name == _by_pyinstrument.__name__ and file == __file__:
            frames.clear()
        elif file != "<thread>" and "pyinstrument" not in file:  # pyinstrument's start and stop
            frames.append((name, short_place(file, int(line))))
    return tuple(frames)


class _TimerSampler:
    """Record the stack at each signal of the system's timer, with the seconds since the last."""

    profiler = "sample"  # for the error message of a second profiler

    def __init__(self) -> None:
        self.codes: list[tuple[list[CodeType], float]] = []
        self._last = 0.0

    @staticmethod
    def available() -> bool:
        """Return whether there is an unused timer whose signals this thread handles."""
        return (
            hasattr(signal, "setitimer")
            and threading.current_thread() is threading.main_thread()
            and signal.getitimer(signal.ITIMER_REAL)[0] == 0
        )

    def run(self, function: Callable[..., Any], arguments: tuple[Any, ...], interval: float) -> Any:
        """Call a function while the timer runs, and return its result."""
        before = signal.signal(signal.SIGALRM, self)
        self._last = time.perf_counter()
        try:
            signal.setitimer(signal.ITIMER_REAL, interval, interval)
            result = function(*arguments)
        finally:
            remaining, _ = signal.setitimer(signal.ITIMER_REAL, 0)
            kept = signal.signal(signal.SIGALRM, before or signal.SIG_DFL) is self
        if not (kept and remaining):
            raise ProfilingError(
                f"{describe(function)} used the system's timer (signal.SIGALRM), which sample "
                "needs; use hpml.profiling.profile(f, x), or sample a function without the timer."
            )
        return result

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal: record the calls below `run`, innermost first."""
        codes = []
        while frame is not None and frame.f_code is not _RUN:
            if frame.f_code is not _HANDLER:  # a signal may arrive in the handler itself
                codes.append(frame.f_code)
            frame = frame.f_back
        now = time.perf_counter()
        if codes and frame is not None:
            self.codes.append((codes, now - self._last))
            self._last = now


_RUN, _HANDLER = _TimerSampler.run.__code__, _TimerSampler.__call__.__code__


def _named(codes: list[CodeType]) -> Stack:
    return tuple(
        (code.co_name, short_place(code.co_filename, code.co_firstlineno))
        for code in reversed(codes)
    )
