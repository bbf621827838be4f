"""Taking one sample: the elapsed time of a number of calls, and how many calls a sample needs.

The clock of a computer is good to a microsecond or so, and a call may take less. So a sample times
many calls in one go and divides. The loop around the calls is that of `timeit`, which keeps its own
cost to about 10 ns a call. Where torch is loaded, `torch.utils.benchmark.Timer` runs it, which
holds torch to the given number of threads; a process that never imported torch has nothing to hold,
and plain `timeit` is the same loop without two seconds of importing.
"""

from __future__ import annotations

import sys
import timeit
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from hpml.base.errors import describe
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.measurement import Environment

MOST_CALLS = 10**9
"""More calls than this in one sample mean that the clock stands still."""


@dataclass(frozen=True)
class Settings:
    """How samples are taken, the same for all contenders of a comparison.

    Attributes:
        threads: size of torch's thread pool during a sample.
        device: where the work runs. On "cuda" the device is synchronised before each reading of
            the clock, so that a sample is the wall clock from first launch to last result.
        min_sample_time: seconds that one sample should last at least.
        garbage: leave Python's garbage collector on during samples. Off, as `timeit` does, a
            collection that happens to fall into one contender's sample is not held against it; on,
            code that makes much garbage pays for it. Between rounds it is always on.
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
    garbage: bool = False
    warm_up: int = 1
    clock: Callable[[], float] | None = None

    def __post_init__(self) -> None:
        for name, least in (("threads", 1), ("warm_up", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or value < least:
                raise BenchmarkError(
                    f"{name}: expected a whole number of at least {least}, got {describe(value)}."
                )
        if not self.min_sample_time >= 0:
            raise BenchmarkError(
                f"min_sample_time: expected seconds of at least 0, "
                f"got {describe(self.min_sample_time)}."
            )


class Sampler(Protocol):
    """Something that can be asked for samples, in this process or in another."""

    @property
    def timer(self) -> str:
        """What takes the time."""

    @property
    def process(self) -> str:
        """Where it runs: "this" process, or its "own"."""

    @property
    def environment(self) -> Environment | None:
        """What the sampler's process runs on; None for the process that asks."""

    def call(self) -> object:
        """Make one call, untimed; the result may stay where the call was made."""

    def result(self) -> object:
        """Make one call, untimed, and return its result, as plain data if it crosses processes."""

    def elapsed(self, number: int) -> float:
        """Make `number` calls in one go and return the seconds they took together."""

    def close(self) -> None:
        """Give back what the sampler holds; a second time does nothing."""


class LocalSampler:
    """Takes samples of a function, or of a statement, in this process.

    Args:
        run: called without arguments; or Python source of a statement.
        settings: how to take the samples.
        names: the global names that a statement uses.
        synchronise: called before each reading of the clock, to wait for work that was only
            started. None waits for the CUDA device if `settings.device` is one.

    >>> sampler = LocalSampler("sum(numbers)", Settings(), names={"numbers": range(10)})
    >>> sampler.elapsed(100) > 0
    True
    """

    process = "this"
    environment: Environment | None = None

    def __init__(
        self,
        run: Callable[[], object] | str,
        settings: Settings,
        names: Mapping[str, object] | None = None,
        synchronise: Callable[[], object] | None = None,
    ) -> None:
        self._statement = run if isinstance(run, str) else "run()"
        self._names: dict[str, object] = {"run": run} if callable(run) else {}
        self._names.update(names or {})
        self._settings = settings
        self._clock = _synchronised(settings, synchronise)

    @property
    def timer(self) -> str:
        """What takes the time: torch's timer where torch is loaded, else timeit's."""
        # Asked after the first call: what runs may itself have been the first to import torch.
        return "torch.utils.benchmark.Timer" if "torch" in sys.modules else "timeit.Timer"

    def call(self) -> object:
        """Make one untimed call and return its result; None for a statement."""
        if callable(run := self._names.get("run")):
            return run()
        exec(self._statement, dict(self._names))
        return None

    def result(self) -> object:
        """Make one untimed call and return its result."""
        return self.call()

    def elapsed(self, number: int) -> float:
        """Return the seconds of `number` calls, after a few untimed ones.

        A hundredth of `number` calls, and at least two, come first. In interleaved rounds another
        contender ran just before and left its own data in the caches.
        """
        # timeit switches the collector off around its loop and runs `setup` after that.
        setup = "import gc; gc.enable()" if self._settings.garbage else "pass"
        if self.timer == "timeit.Timer":
            plain = timeit.Timer(self._statement, setup, self._clock, globals=self._names)
            plain.timeit(max(number // 100, 2))
            return max(plain.timeit(number), 1e-9)
        from torch.utils.benchmark import Timer

        timer = Timer(
            self._statement,
            setup,
            timer=self._clock,
            globals=self._names,
            num_threads=self._settings.threads,
        )
        return timer.timeit(number).raw_times[0]

    def close(self) -> None:
        """Let go of what is run."""
        self._names.clear()


def choose_number(
    elapsed: Callable[[int], float], min_sample_time: float
) -> tuple[int, tuple[int, ...]]:
    """Return how many calls a sample needs to last `min_sample_time`, and the numbers tried.

    Tries 1, 2, 5, 10, 20, 50 and so on, as `timeit.Timer.autorange` does.

    Args:
        elapsed: the seconds of so many calls.
        min_sample_time: seconds.

    Raises:
        BenchmarkError: if a thousand million calls still take less: the clock does not advance.

    >>> choose_number(lambda number: number * 0.3, min_sample_time=1.0)
    (5, (1, 2, 5))
    """
    tried: list[int] = []
    scale = 1
    while scale <= MOST_CALLS:
        for step in (1, 2, 5):
            number = scale * step
            tried.append(number)
            if elapsed(number) >= min_sample_time:
                return number, tuple(tried)
        scale *= 10
    raise BenchmarkError(
        f"{MOST_CALLS:,} calls took less than {min_sample_time} s by the clock; "
        "expected a clock that advances, in seconds."
    )


def _synchronised(
    settings: Settings, synchronise: Callable[[], object] | None
) -> Callable[[], float]:
    """Return the clock, preceded by the wait for started work where there is something to wait for.

    Without the wait a GPU would be timed by how fast work can be handed to it.
    """
    clock = settings.clock or timeit.default_timer
    if synchronise is None:
        if not settings.device.startswith("cuda"):
            return clock
        import torch

        if not torch.cuda.is_available():
            raise BenchmarkError(
                f"device: expected one that torch can use, got {settings.device!r}, but "
                "torch.cuda.is_available() is False; use device='cpu', see `hpml doctor`."
            )
        device = torch.device(settings.device)
        wait: Callable[[], object] = lambda: torch.cuda.synchronize(device)  # noqa: E731
    else:
        wait = synchronise

    def wait_then_read() -> float:
        wait()
        return clock()

    return wait_then_read
