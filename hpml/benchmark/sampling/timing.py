"""Taking one sample: the elapsed time of a number of calls, and how many calls a sample needs.

The clock of a computer is good to a microsecond or so, and a call may take less. So a sample times
many calls in one go and divides. The loop around the calls is that of `timeit`. Where
torch is loaded it is held to the given number of threads; a process that never imported torch has
nothing to hold, and is spared two seconds of importing.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import math
import re
import sys
import time
import timeit
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hpml.base.errors import describe
from hpml.benchmark.errors import BenchmarkError, function, real, whole_number
from hpml.benchmark.sampling.results import not_computed, refuse_unfinished, snapshot

MOST_CALLS = 10**9
"""More calls than this in one sample mean that the clock stands still."""

PATIENCE = 1.0
"""Seconds of the system's own clock after which a clock that shows none of them stands still."""

TRIALS = 5

CLEAR = 0.05
"""Of the time that a sample should last: a trial as long as this says what a call takes."""

LONGEST_PAUSE = 0.1
"""Seconds. A trial that lasts longer is believed to be that long by itself."""


@dataclass(frozen=True)
class Settings:
    """How samples are taken, the same for all contenders of a comparison.

    Attributes:
        threads: size of torch's thread pool during a sample.
        device: where the work runs. On "cuda" the device is synchronised before each reading of
            the clock, so that a sample is the wall clock from first launch to last result.
        min_sample_time: seconds that one sample should last at least.
        warm_up: calls made before anything is timed.
        clock: returns seconds; None is `time.perf_counter`. Tests pass one that they control.

    Raises:
        BenchmarkError: if a value is out of range.

    >>> Settings(threads=0)
    Traceback (most recent call last):
    ...
    hpml.benchmark.errors.BenchmarkError: threads: expected a whole number of at least 1, got 0.
    """

    threads: int = 1
    device: str = "cpu"
    min_sample_time: float = 2e-3
    warm_up: int = 1
    clock: Callable[[], float] | None = None

    def __post_init__(self) -> None:
        seconds = real(
            "min_sample_time", self.min_sample_time, "seconds of at least 0, a finite number"
        )
        function("clock", self.clock, "a function that returns seconds, `perf_counter`")
        if not (isinstance(self.device, str) and re.fullmatch(r"cpu|cuda(:\d+)?", self.device)):
            raise BenchmarkError(
                "device: expected 'cpu', 'cuda' or 'cuda:0' with the number of a GPU, "
                f"got {describe(self.device)}."
            )
        object.__setattr__(self, "min_sample_time", seconds)
        object.__setattr__(self, "threads", whole_number("threads", self.threads, 1))
        object.__setattr__(self, "warm_up", whole_number("warm_up", self.warm_up, 0))


class Sampler:
    """Takes samples of a function.

    >>> sampler = Sampler(lambda: sum(range(10)), Settings())
    >>> sampler.elapsed(100) > 0
    True
    """

    first = 0.0
    """Seconds that the very first call worked; 0 where it was not timed.

    Waiting for other programs is left out: on a busy machine a first call often meets one.
    """

    def __init__(self, run: Callable[[], object], settings: Settings) -> None:
        if inspect.isgeneratorfunction(run) or inspect.iscoroutinefunction(run):
            # Without a warm-up call its result would not be seen.
            raise not_computed(run)
        self._run = run
        self._inspected = False
        self._settings = settings
        self._clock = _synchronised(settings)

    def call(self) -> object:
        """Make one untimed call and return its result."""
        return self._inspect(self._once())

    def result(self) -> object:
        """Make one untimed call and return a copy of its result."""
        return snapshot(self.call())

    def elapsed(self, number: int) -> float:
        """Return the seconds of `number` calls, after a few untimed ones.

        A hundredth of `number` calls, and at least one, come first. In interleaved rounds another
        contender ran just before and left its own data in the caches. A call so long that a sample
        has only one fills them by itself.
        """
        timer = timeit.Timer(self._run, timer=self._clock)
        with torch_threads(self._settings.threads):
            untimed = max(number // 100, 1) if number > 1 else 0
            if self._inspected:
                timer.timeit(untimed)
                seconds = timer.timeit(number)
            elif untimed:
                self.call()
                timer.timeit(untimed - 1)
                seconds = timer.timeit(number)
            else:  # not one call more than was asked for
                kept: list[object] = []
                first = timeit.Timer(lambda: kept.append(self._once()), timer=self._clock)
                seconds = first.timeit(1)
                self._inspect(kept[0])
        if not 0 <= seconds < math.inf:
            raise BenchmarkError(
                f"the clock says that {number:,} calls took {seconds} s; expected a clock that "
                "only advances, in seconds."
            )
        return seconds

    def _once(self) -> object:
        began, worked = time.perf_counter(), time.process_time()
        value = self._run()
        taken = time.perf_counter() - began, time.process_time() - worked
        self.first = self.first or min(taken)  # other threads may work longer than it took
        return value

    def _inspect(self, result: object) -> object:
        refuse_unfinished(result)
        self._inspected = True
        return result


def choose_number(
    elapsed: Callable[[int], float], min_sample_time: float
) -> tuple[int, float, int]:
    """Return how many calls a sample needs to last `min_sample_time`.

    Tries 1, 2, 5, 10, 20, 50 and so on, as `timeit.Timer.autorange` does. One that lasts long
    enough is tried again, and what a call takes is the least of all trials: a pause of the
    operating system makes a trial of few calls long, and a short trial escapes it most often.

    >>> choose_number(lambda number: number * 0.3, min_sample_time=1.0)
    (4, 0.3, 8)
    """
    began = time.monotonic()
    made = 0
    cost = math.inf
    for number in _series():
        seconds = 0.0
        for trial in range(TRIALS):
            if trial == 0 or min_sample_time <= seconds < LONGEST_PAUSE:
                seconds = elapsed(number)
                made += number
                if seconds >= CLEAR * min_sample_time:
                    cost = min(cost, seconds / number)
        if seconds >= min_sample_time:
            return max(1, math.ceil(min_sample_time / cost)), cost, made
        stands_still = seconds == 0 and time.monotonic() - began > PATIENCE
        if stands_still or number >= MOST_CALLS:
            break
    raise BenchmarkError(
        f"{number:,} calls took {seconds:g} s by the clock; expected a clock that advances, in "
        "seconds."
    )


def _series() -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20, 50 and so on."""
    return (step * 10**power for power in itertools.count() for step in (1, 2, 5))


@contextlib.contextmanager
def torch_threads(threads: int) -> Iterator[None]:
    """Hold torch to so many threads, if this process has loaded it."""
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
    """Return the clock, on a GPU preceded by the wait for the work that was started.

    Without the wait a GPU would be timed by how fast work can be handed to it.
    """
    clock = settings.clock or timeit.default_timer
    if not settings.device.startswith("cuda"):
        return clock
    import torch

    if not torch.cuda.is_available():
        raise BenchmarkError(
            f"device: expected one that torch can use, got {settings.device!r}, but "
            "torch.cuda.is_available() is False; use device='cpu', see `hpml doctor`."
        )
    device = torch.device(settings.device)

    def wait_then_read() -> float:
        torch.cuda.synchronize(device)
        return clock()

    return wait_then_read
