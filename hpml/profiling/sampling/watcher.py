"""Sample from a thread, which sees the program only while the interpreter lock is free.

The thread waits in compiled code that reads the clock before it asks for the lock. If it got the
lock at once, the program had released it, and its stack is where it was at that time. If it had to
wait, the program held the lock, and where it was is unknown: such samples are only counted.
"""

from __future__ import annotations

import ctypes
import functools
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from hpml.profiling.sampling.observation import (
    CodePlace,
    Observation,
    Stack,
    Unavailable,
    on_this_platform,
    stack_of,
)

_AT_ONCE = 20_000
"""Nanoseconds from the end of the wait to the first instruction with the lock: when the lock was
free, at least nine of ten waits on a busy machine took less."""
_LONGEST = 0.05  # seconds of one wait, so that the thread ends soon after the run


def observe(run: Callable[[], Any], interval: float) -> tuple[Any, Observation]:
    """Call `run` while a thread of this process takes samples."""
    wait = _compiled_wait()
    stacks: Counter[Stack] = Counter()
    unseen = 0.0
    ended = threading.Event()
    thread = threading.get_ident()

    def watch() -> None:
        nonlocal unseen
        rng = random.Random()
        while not ended.is_set():
            left = rng.expovariate(1 / interval)
            while left > 0 and not ended.is_set():
                woke = wait(int(1e6 * min(left, _LONGEST)) + 1)
                left -= _LONGEST
            waited = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - woke
            if ended.is_set():
                return
            if waited > _AT_ONCE:  # and other samples would have come meanwhile
                unseen += 1 + waited / 1e9 / interval
            elif stack := _stack(thread):
                stacks[stack] += 1

    watcher = threading.Thread(target=watch, name="hpml sampler")
    watcher.start()
    try:
        result = run()
    finally:
        ended.set()
        watcher.join()
    seen = {stack: float(count) for stack, count in stacks.items()}
    return result, Observation(seen, unseen, "thread")


def _stack(thread: int) -> Stack | None:
    frame, codes = sys._current_frames().get(thread), []
    while frame is not None:
        codes.append(frame.f_code)
        frame = frame.f_back
    return stack_of(CodePlace(c.co_name, c.co_filename, c.co_firstlineno) for c in codes[::-1])


@functools.cache
def _compiled_wait() -> Callable[[int], int]:
    """Return a function that waits without the lock and returns the time of its end, in ns."""
    if on_this_platform("win32"):
        raise Unavailable("the compiled wait of the sampling thread is for Linux and macOS")
    try:
        import numba
        import numpy as np
    except ImportError as error:
        raise Unavailable(f"the sampling thread needs Numba: {error}") from error

    library = ctypes.CDLL(None)
    usleep, gettime, clock = library.usleep, library.clock_gettime, int(time.CLOCK_MONOTONIC)
    usleep.argtypes, usleep.restype = [ctypes.c_uint32], ctypes.c_int
    gettime.argtypes, gettime.restype = [ctypes.c_int, ctypes.c_void_p], ctypes.c_int

    @numba.njit("int64(uint32)", nogil=True)
    def wait(microseconds: int) -> int:
        usleep(microseconds)
        now = np.empty(2, np.int64)
        for _ in range(2000):  # after a sleep the core is slow
            gettime(clock, now.ctypes)
        return now[0] * 1_000_000_000 + now[1]  # type: ignore[no-any-return]

    return wait
