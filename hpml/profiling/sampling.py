"""A sampling profiler: another thread looks at the stack, at random times."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from hpml.base import module_calls
from hpml.base.errors import describe
from hpml.base.page import Page
from hpml.profiling.call_tree import CallTree, short_place, tree_of_stacks
from hpml.profiling.checks import check_function, refuse_a_second_profiler, sampling
from hpml.profiling.errors import ProfilingError
from hpml.profiling.icicle import icicle


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
        title = f"{self.count:,} samples in {self.seconds:.3g} s, every {1e3 * self.interval:g} ms"
        return icicle(self.tree, unit="s", title=title)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return self.icicle().bundle()


@module_calls.measuring
def sample(function: Callable[..., Any], *arguments: Any, interval: float = 5e-3) -> Samples:
    """Call a function once and record its stack about every `interval` seconds.

    Only samples cost time, so the program runs at about its normal speed. The times are random,
    because samples in step with a loop would find the same functions in each iteration. They are
    taken by another thread: Python handles a signal only at the next call, so the time of `a @ b`
    could count for another function. Calls shorter than an interval may be missed. Time in a
    built-in function counts for its caller. Only the calling thread is sampled.

    Args:
        function: called with `arguments`.
        interval: mean seconds between samples, from 0.0001 to 3600.

    Raises:
        ProfilingError: if `function` cannot be called, `interval` is out of range, another profiler
            is running, or the run was too short for a sample.

    Source: https://docs.python.org/3/library/sys.html#sys._current_frames

    >>> found = sample(lambda: sum(n * n for n in range(2_000_000)))
    >>> found.count > 10, abs(found.tree.total / found.seconds - 1) < 0.2
    (True, True)
    """
    check_function("sample", function)
    if not (isinstance(interval, int | float) and 1e-4 <= interval <= 3600):
        raise ProfilingError(f"interval expects 0.0001 to 3600 seconds, got {describe(interval)}.")
    refuse_a_second_profiler("sample")
    found: list[tuple[list[CodeType], float]] = []
    ended, before = threading.Event(), sys.getswitchinterval()
    given = threading.get_ident(), interval, ended, found
    watcher = threading.Thread(target=_watch, args=given)
    start = time.perf_counter()
    with sampling:
        sys.setswitchinterval(1e-5)  # the watcher waits no longer for a thread that computes
        watcher.start()
        try:
            result = _call(function, arguments)
        finally:
            ended.set()
            watcher.join()
            sys.setswitchinterval(before)
    seconds = time.perf_counter() - start
    if not found:
        raise ProfilingError(
            f"The run took {seconds:.2g} s, and no sample, one every {interval:g} s, saw Python "
            "code; sample a longer run, use a shorter interval, or wrap a built-in: lambda: f(x)."
        )
    scale = seconds / sum(own for _, own in found)  # for the time before and after the samples
    stacks = []
    for codes, own in found:
        names = [(c.co_name, short_place(c.co_filename, c.co_firstlineno)) for c in codes[::-1]]
        stacks.append((names, scale * own))
    return Samples(tree_of_stacks(stacks), len(found), interval, seconds, result)


def _call(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return function(*arguments)  # the frames above this one are sampled


def _watch(
    thread: int, interval: float, ended: threading.Event, found: list[tuple[list[CodeType], float]]
) -> None:
    """Add the stack of a thread, innermost call first, with the seconds since the last one."""
    last, rng = time.perf_counter(), random.Random(0)
    while not ended.wait(interval * rng.uniform(0.5, 1.5)):
        frame, codes = sys._current_frames().get(thread), []
        while frame is not None and frame.f_code is not _call.__code__:
            codes.append(frame.f_code)
            frame = frame.f_back
        now = time.perf_counter()
        if codes and frame is not None:
            found.append((codes, now - last))
        last = now
