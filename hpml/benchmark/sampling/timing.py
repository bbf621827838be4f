"""Take one sample: time enough calls for the resolution of the clock, in the loop of `timeit`."""

from __future__ import annotations

import contextlib
import copy
import gc
import inspect
import io
import itertools
import math
import re
import sys
import time
import timeit
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from hpml.base import accelerator
from hpml.base.errors import describe
from hpml.benchmark.errors import BenchmarkError

MOST_CALLS = 10**9
"""A sample that needs more calls means that the clock does not advance."""

CLOCK_TIMEOUT = 1.0
"""Seconds of the system's clock after which the given clock must have advanced."""

TRIALS = 5

SHORTEST_TRIAL = 0.05
"""Shortest trial, as a fraction of a sample, that counts as an estimate of the cost of a call."""

LONGEST_PAUSE = 0.1
"""Seconds. A longer trial is not repeated: a pause of the system is unlikely to explain it."""

_FUTURE_METHODS = ("add_done_callback", "successful")
"""Of futures in concurrent.futures and torch, and of asynchronous results in multiprocessing."""


@dataclass(frozen=True)
class Settings:
    """How to take samples, the same for all contenders; see `hpml.benchmark.compare`."""

    threads: int = 1
    device: str = "cpu"
    min_sample_time: float = 2e-3
    warm_up: int = 1
    clock: Callable[[], float] | None = None
    collector: bool = False

    def __post_init__(self) -> None:
        if not (isinstance(self.device, str) and re.fullmatch(r"[a-z]+(:\d+)?", self.device)):
            raise BenchmarkError(
                object="device",
                expected="'cpu', or a GPU as torch names it: 'cuda', 'cuda:1', 'mps', 'xpu'",
                received=describe(self.device),
                remedy="Pass one of these.",
            )
        if self.device != "cpu":
            accelerator.chosen(self.device, error=BenchmarkError)  # before anything is called


class Sampler:
    """Take samples of a function."""

    first = 0.0
    """Seconds of the first call without waiting for other programs; 0 if it was not timed."""

    def __init__(self, run: Callable[[], object], settings: Settings) -> None:
        if inspect.isgeneratorfunction(run) or inspect.iscoroutinefunction(run):
            # Without a warm-up call its result would not be inspected.
            raise _not_computed(run)
        self._run = run
        self._results: list[object] = []
        self._settings = settings
        self._clock = _synchronised(settings)

    @property
    def changed(self) -> bool:
        """Whether the first result differs from two equal later ones, as from a used iterator."""
        first, *later = self._results[:3]
        return len(later) == 2 and first != later[0] == later[1]

    def call(self) -> object:
        """Make one untimed call and return its result."""
        return self._inspect(self._once())

    def result(self) -> object:
        """Make one untimed call and return a copy of its result."""
        return _snapshot(self.call())

    def elapsed(self, number: int) -> float:
        """Return the seconds of `number` calls, after untimed calls that refill the caches.

        Another contender ran just before. A hundredth of `number` calls, at least one, are untimed;
        none is if `number` is 1, because so long a call refills the caches itself.
        """
        timer = self._timer(self._run)
        with torch_threads(self._settings.threads), _collector_restored():
            untimed = max(number // 100, 1) if number > 1 else 0
            if self._results[2:] or (self._results and not untimed):
                timer.timeit(untimed)
                seconds = timer.timeit(number)
            elif untimed:
                self.call()
                timer.timeit(untimed - 1)
                seconds = timer.timeit(number)
            else:  # the only call is also the first, so its result must be kept
                results: list[object] = []
                first = self._timer(lambda: results.append(self._once()))
                seconds = first.timeit(1)
                self._inspect(results[0])
        if not 0 <= seconds < math.inf:
            raise BenchmarkError(
                object="clock",
                expected="seconds that only advance",
                received=f"{seconds} s for {number:,} calls",
                remedy="Pass a clock that only advances, such as time.perf_counter.",
            )
        return seconds

    def _timer(self, run: Callable[[], object]) -> timeit.Timer:
        """Return a timer; `timeit` disables the garbage collector just before the setup."""
        setup = gc.enable if self._settings.collector else "pass"
        return timeit.Timer(run, setup=setup, timer=self._clock)

    def collecting(self, number: int) -> float:
        """Return the share of the time that the collector takes in a sample with it enabled."""
        spent = 0.0
        begun = time.perf_counter()

        def note(phase: str, info: Mapping[str, int]) -> None:
            nonlocal spent, begun
            if phase == "start":
                begun = time.perf_counter()
            else:
                spent += time.perf_counter() - begun

        timer = timeit.Timer(self._run, setup=gc.enable, timer=self._clock)
        gc.collect()
        gc.callbacks.append(note)
        try:
            with torch_threads(self._settings.threads), _collector_restored():
                seconds = timer.timeit(number)
        finally:
            gc.callbacks.remove(note)
        return min(1.0, spent / seconds) if seconds > 0 else 0.0

    def _once(self) -> object:
        wall, cpu = time.perf_counter(), time.process_time()
        value = self._run()
        elapsed = time.perf_counter() - wall, time.process_time() - cpu
        self.first = self.first or min(elapsed)  # the CPU time includes other threads
        return value

    def _inspect(self, result: object) -> object:
        _refuse_unfinished(result)
        self._results.append(_summary(result))
        return result


def _summary(result: object) -> object:
    """Return what two calls can be compared by without keeping their results."""
    if isinstance(result, (int, float, complex, type(None))):
        return repr(result)
    try:
        return type(result), len(result)  # type: ignore[arg-type]
    except Exception:  # noqa: BLE001 - most types have no length
        return type(result)


def _refuse_unfinished(result: object) -> None:
    """Raise an error for an iterator, awaitable or future, also in a tuple or dict."""
    items: Iterable[object] = ()
    if isinstance(result, (tuple, Mapping)):
        items = result.values() if isinstance(result, Mapping) else result
    for item in (result, *items):
        lazy = isinstance(item, (Iterator, Awaitable, AsyncIterable))
        future = any(callable(getattr(type(item), name, None)) for name in _FUTURE_METHODS)
        # An open file is an iterator but a finished result.
        if (lazy or future) and not isinstance(item, io.IOBase):
            if inspect.iscoroutine(item):
                item.close()  # avoids Python's warning that it was never awaited
            raise _not_computed(item)


def _not_computed(result: object) -> BenchmarkError:
    """Return the error for a call that only creates an iterator, coroutine or future."""
    return BenchmarkError(
        object="result of a call",
        expected="a value that the call computed",
        received=f"{describe(result)}, which computes later",
        remedy="Let it finish inside the call: `list(…)` for an iterator, `asyncio.run(…)` for a "
        "coroutine, `.result()` for a future; to time only its creation, return it in a list.",
    )


def _snapshot(result: object) -> object:
    """Return a copy of a result, or the result itself if it cannot be copied."""
    try:
        # deepcopy fails for a tensor that is part of an autograd graph.
        return result.clone() if hasattr(result, "clone") else copy.deepcopy(result)
    except Exception:  # noqa: BLE001 - a foreign __deepcopy__ may raise anything
        return result


def choose_number(
    elapsed: Callable[[int], float], min_sample_time: float
) -> tuple[int, float, int]:
    """Return the calls per sample, the seconds per call, and the number of calls made.

    Try 1, 2, 5, 10, 20, 50, … calls as `timeit.Timer.autorange` does, and repeat trials that are
    long enough. The fastest trial gives the cost of a call, because pauses of the operating system
    only lengthen trials.
    """
    start = time.monotonic()
    calls = 0
    cost = math.inf
    for number in (step * 10**power for power in itertools.count() for step in (1, 2, 5)):
        seconds = 0.0
        for trial in range(TRIALS):
            if trial == 0 or min_sample_time <= seconds < LONGEST_PAUSE:
                seconds = elapsed(number)
                calls += number
                if seconds >= SHORTEST_TRIAL * min_sample_time:
                    cost = min(cost, seconds / number)
        if seconds >= min_sample_time:
            return max(1, math.ceil(min_sample_time / cost)), cost, calls
        frozen = seconds == 0 and time.monotonic() - start > CLOCK_TIMEOUT
        if frozen or number >= MOST_CALLS:
            break
    raise BenchmarkError(
        object="clock",
        expected="seconds that advance",
        received=f"{seconds:g} s for {number:,} calls",
        remedy="Pass a clock in seconds that advances, such as time.perf_counter.",
    )


@contextlib.contextmanager
def _collector_restored() -> Iterator[None]:
    """Leave the garbage collector as it was: a setup that enables it would leave it enabled."""
    before = gc.isenabled()
    try:
        yield
    finally:
        if not before:
            gc.disable()


@contextlib.contextmanager
def torch_threads(threads: int) -> Iterator[None]:
    """Set the size of torch's thread pool, if this process has imported torch."""
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch is not None else threads
    if torch is None or before == threads:
        yield
        return
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _synchronised(settings: Settings) -> Callable[[], float]:
    """Return a clock that first waits until all launched kernels are done.

    It waits whenever the process uses an accelerator: without, the samples would be of launches,
    even where `device` says "cpu".
    """
    read = settings.clock or timeit.default_timer
    if settings.device == "cpu":
        return accelerator.clock(read)
    return accelerator.clock(read, settings.device)
