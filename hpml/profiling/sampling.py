"""A sampling profiler: a look at the stack once in a while, and a tree of what was seen.

`pyinstrument` looks, on every system and in every thread. It asks the clock at each call and return
and keeps the stack if an interval is over.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hpml.base.errors import describe
from hpml.base.page import Page
from hpml.profiling.call_tree import CallTree, short_place, tree_of_stacks
from hpml.profiling.checks import check_function, library, refuse_a_second_profiler
from hpml.profiling.errors import ProfilingError
from hpml.profiling.icicle import icicle

Stack = tuple[tuple[str, str], ...]
"""Name and place of each call, from the outermost inwards."""


@dataclass(frozen=True)
class Samples:
    """What a sampling profiler saw in one run.

    Attributes:
        tree: stacks that begin alike lie together; weights are seconds.
        count: how many samples there are.
        interval: seconds that were aimed at between two samples.
        seconds: of the whole run.
        result: what the function returned.
    """

    tree: CallTree = field(repr=False)
    count: int
    interval: float
    seconds: float
    result: Any = field(default=None, repr=False, compare=False)

    def icicle(self) -> Page:
        """Return the picture: each function as wide as the samples that it was seen in."""
        title = (
            f"{self.count:,} samples in {self.seconds:.3g} s, one each {1e3 * self.interval:g} ms"
        )
        return icicle(self.tree, unit="s", title=title)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return self.icicle().bundle()


def sample(function: Callable[..., Any], *arguments: Any, interval: float = 5e-3) -> Samples:
    """Call a function once and look at its stack every `interval` seconds.

    Between two samples each call costs a look at the clock, far less than counting it. What
    takes less than an interval may be missed, and calls are not counted; a loop without calls is
    one long sample. Time inside a built-in function counts for the function that called it. Only
    the thread that called `sample` is sampled.

    Args:
        function: called with `arguments`.
        interval: seconds between samples, from 0.0001 on.

    Raises:
        ProfilingError: if `function` cannot be called, `interval` is too short, another profiler
            is running, or the run was too short for a sample.

    Source: https://pyinstrument.readthedocs.io/

    >>> found = sample(lambda: sum(n * n for n in range(2_000_000)))
    >>> found.count > 10, abs(found.tree.total / found.seconds - 1) < 0.2
    (True, True)
    """
    check_function("sample", function)
    if not (isinstance(interval, int | float) and interval >= 1e-4):
        raise ProfilingError(f"interval expects 0.0001 seconds or more, got {describe(interval)}.")
    refuse_a_second_profiler("sample")
    start = time.perf_counter()
    result, stacks = _sampled(function, arguments, interval)
    seconds = time.perf_counter() - start
    if not stacks:
        raise ProfilingError(
            f"The run took {seconds:.2g} s and was over before the first sample after "
            f"{interval:g} s; sample something longer, or take a shorter interval."
        )
    return Samples(tree_of_stacks(stacks), len(stacks), interval, seconds, result)


def _sampled(
    function: Callable[..., Any], arguments: tuple[Any, ...], interval: float
) -> tuple[Any, list[tuple[Stack, float]]]:
    profiler = library("pyinstrument").Profiler(interval=interval, async_mode="disabled")
    profiler.start()
    try:
        result = function(*arguments)
    finally:
        session = profiler.stop()
    stacks = [(_stack(texts), seconds) for texts, seconds in session.frame_records]
    outside = _shared([stack for stack, _ in stacks])
    inside = [(stack[outside:], seconds) for stack, seconds in stacks]
    # A built-in function shows no frame.
    return result, [each for each in inside if each[0]] or inside


def _stack(texts: list[str]) -> Stack:
    """Return name and place of each call; pyinstrument separates their parts by zero bytes."""
    frames = []
    for text in texts:
        name, file, line = text.partition("\x01")[0].split("\x00")[:3]
        if file != "<thread>" and "pyinstrument" not in file:  # its own start and stop
            frames.append((name, short_place(file, int(line))))
    return tuple(frames)


def _shared(stacks: list[Stack]) -> int:
    """Return how many calls lie outside of the function: they are the same in all samples."""
    here = [
        depth
        for depth, (name, place) in enumerate(stacks[0] if stacks else ())
        if name == "_sampled" and place.startswith("sampling.py:")
    ]
    return here[-1] + 1 if here else 0
