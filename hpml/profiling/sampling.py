"""A sampling profiler: the stacks that `pyinstrument` records."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
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

    The profiler reads the clock at each call and return, so a program of many short calls runs
    several times slower. A signal of the system's timer would cost nothing between samples, but
    Python handles it only at the next call: the time of `a @ b` would count for another function.
    Calls shorter than an interval may be missed. Time in a built-in function counts for its caller.
    Only the calling thread is sampled.

    Args:
        function: called with `arguments`.
        interval: seconds between samples, from 0.0001 to 3600.

    Raises:
        ProfilingError: if `function` cannot be called, `interval` is out of range, another profiler
            is running, the function set its own hook, or the run was too short for a sample.

    Source: https://pyinstrument.readthedocs.io/

    >>> found = sample(lambda: sum(n * n for n in range(2_000_000)))
    >>> found.count > 10, abs(found.tree.total / found.seconds - 1) < 0.2
    (True, True)
    """
    check_function("sample", function)
    if not (isinstance(interval, int | float) and 1e-4 <= interval <= 3600):
        raise ProfilingError(f"interval expects 0.0001 to 3600 seconds, got {describe(interval)}.")
    refuse_a_second_profiler("sample")
    from pyinstrument import Profiler

    start = time.perf_counter()
    with Profiler(interval=interval, async_mode="disabled") as profiler:
        hook = sys.getprofile()
        result = function(*arguments)
        kept = sys.getprofile() is hook
    seconds = time.perf_counter() - start
    if not kept:
        raise ProfilingError(
            f"{describe(function)} set its own hook (sys.setprofile, cProfile), which ended the "
            "sampling; sample a part of it that does not profile itself."
        )
    session: Any = profiler.last_session
    stacks = [(stack, own) for frames, own in session.frame_records if (stack := _stack(frames))]
    if not stacks:
        raise ProfilingError(
            f"The run took {seconds:.2g} s, and no sample, one every {interval:g} s, saw Python "
            "code; sample a longer run, use a shorter interval, or wrap a built-in: lambda: f(x)."
        )
    return Samples(tree_of_stacks(stacks), len(stacks), interval, seconds, result)


def _stack(identifiers: list[str]) -> Stack:
    """Return name and place of each call below ours from pyinstrument's frame identifiers."""
    frames: list[tuple[str, str]] = []
    for identifier in identifiers:
        name, file, line = identifier.partition("\x01")[0].split("\x00")[:3]
        if name == sample.__name__ and file == __file__:
            frames.clear()
        elif file not in ("<thread>", "<built-in>") and "pyinstrument" not in file:
            frames.append((name, short_place(file, int(line))))
    return tuple(frames)
