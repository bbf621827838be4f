"""Sample one run with the first observer that this machine allows."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpml.base import module_calls
from hpml.base.errors import describe
from hpml.base.page import Page
from hpml.base.tables import readable
from hpml.profiling.call_tree import CallTree, tree_of_stacks
from hpml.profiling.checks import check_function, refuse_a_second_profiler, sampling
from hpml.profiling.errors import ProfilingError
from hpml.profiling.export import save_tree
from hpml.profiling.icicle import icicle
from hpml.profiling.sampling import outside, signals, watcher
from hpml.profiling.sampling.observation import Observation, Observer, Unavailable, call

OBSERVERS: tuple[Observer, ...] = (outside.observe, signals.observe, watcher.observe)
"""The observers, in the order in which `sample` tries them."""

_UNSEEN = ("(unseen)", "")


@dataclass(frozen=True)
class Samples:
    """The samples of one run.

    Attributes:
        tree: the merged stacks; weights are seconds. The frame "(unseen)" has the time of
            samples that could not tell where the program was.
        count: the number of samples that saw a stack.
        interval: the requested seconds between two samples.
        seconds: the duration of the run.
        observer: ``"another process"``, ``"signal handler"`` or ``"thread"``.
        unseen: the share of the samples that could not tell where the program was; the share of
            each function may be larger by that much.
    """

    tree: CallTree = field(repr=False)
    count: int
    interval: float
    seconds: float
    result: Any = field(default=None, repr=False, compare=False)
    observer: str = "another process"
    unseen: float = 0.0

    def icicle(self) -> Page:
        """Return the picture, with each function's width proportional to its samples."""
        every = f"every {1e3 * self.interval:g} ms"
        title = f"{self.count:,} samples in {readable(self.seconds, 3)} s, {every}"
        if self.unseen >= 0.001:
            title += f", {self.unseen:.1%} unseen"
        return icicle(self.tree, unit="s", title=f"{title}, by {self.observer}")

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the samples for another viewer, by the end of the file's name, and return its path.

        - ``.speedscope.json`` (or ``.json``): for https://www.speedscope.app, in seconds;
        - ``.folded`` or ``.collapsed``: collapsed stacks, in nanoseconds.

        Raises:
            ProfilingError: if the name ends in something else.
            OSError: if it cannot be written; a missing folder is created.

        >>> import tempfile
        >>> found = sample(lambda: sum(n * n for n in range(5_000_000)))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     len(found.save(os.path.join(folder, "run.folded")).read_text().splitlines()) > 0
        True
        """
        title = f"{self.count:,} samples in {readable(self.seconds, 3)} s, by {self.observer}"
        return save_tree(path, self.tree, "samples", title)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return self.icicle().bundle()


@module_calls.measuring
def sample(function: Callable[..., Any], *arguments: Any, interval: float = 5e-3) -> Samples:
    """Call a function once and record its stack about every `interval` seconds.

    Only samples cost time, so the program runs at about its normal speed. The times are random,
    because samples in step with a loop would find the same functions in each iteration. Another
    process takes the samples, or else a signal handler in C: a thread of Python would have to wait
    for the interpreter lock, and so miss the operators that hold it. Where neither is possible, a
    thread samples while the lock is free, and counts the other samples as unseen. Calls shorter
    than an interval may be missed. Of a deep stack, py-spy takes fewer than a thousand samples a
    second. Time in a built-in function counts for its caller. Only the calling thread is sampled.

    Args:
        function: called with `arguments`.
        interval: mean seconds between samples, from 0.0001 to 3600.

    Raises:
        ProfilingError: if `function` cannot be called, `interval` is out of range, another profiler
            is running, the run was too short for a sample, or so many samples are unseen that
            another function could have the most time of its own.

    Source: https://github.com/benfred/py-spy

    >>> def work() -> None:
    ...     end = time.perf_counter() + 0.5
    ...     while time.perf_counter() < end:
    ...         pass
    >>> found = sample(work)
    >>> found.count > 10, abs(found.tree.total / found.seconds - 1) < 0.2
    (True, True)
    """
    check_function("sample", function)
    if not (isinstance(interval, int | float) and 1e-4 <= interval <= 3600):
        raise ProfilingError(
            object="interval of sample",
            expected="0.0001 to 3600 seconds",
            received=describe(interval),
            remedy="Pass a number of seconds, such as interval=0.001.",
        )
    refuse_a_second_profiler("sample")
    seconds = 0.0

    def run() -> Any:
        nonlocal seconds
        start = time.perf_counter()
        try:
            return call(function, arguments)
        finally:
            seconds = time.perf_counter() - start

    with sampling:
        result, found, reasons = _observed(run, float(interval))
    if not found.stacks and not found.unseen:
        raise ProfilingError(
            f"The run took {readable(seconds)} s, and no sample, one every {interval:g} s, saw "
            "Python code.",
            object="run of sample",
            expected=f"Python code in a sample, one every {interval:g} s",
            received=f"a run of {readable(seconds)} s with none",
            remedy="Sample a longer run, use a shorter interval, or wrap a built-in: lambda: f(x).",
        )
    if found.could_differ:
        why = f" Better observers cannot be used: {'; '.join(reasons)}." if reasons else ""
        raise ProfilingError(
            f"{found.unseen_share:.0%} of the samples could not tell where the program was, so "
            f"another function than the first could have the most time.{why}",
            object="run of sample",
            expected="samples that show which function has the most time",
            received=f"{found.unseen_share:.0%} that could not tell where the program was",
            remedy="Use hpml.profiling.profile, which needs no samples.",
        )
    scale = seconds / (found.unseen + sum(found.stacks.values()))
    stacks = [(list(stack), scale * count) for stack, count in found.stacks.items()]
    if found.unseen:
        stacks.append(([_UNSEEN], scale * found.unseen))
    count, share = round(sum(found.stacks.values())), found.unseen_share
    tree = tree_of_stacks(stacks)
    return Samples(tree, count, float(interval), seconds, result, found.observer, share)


def _observed(run: Callable[[], Any], interval: float) -> tuple[Any, Observation, list[str]]:
    """Return the result and samples of a run, and why better observers could not be used."""
    reasons: list[str] = []
    for observe in OBSERVERS:
        try:
            return *observe(run, interval), reasons
        except Unavailable as reason:
            reasons.append(str(reason))
    raise ProfilingError(
        object="sample",
        expected="a sampler that can be used here",
        received=f"none: {'; '.join(reasons)}",
        remedy="Allow one of these, or use hpml.profiling.profile, which needs none.",
    )
