"""The profilers that others wrote, in one form, and what each of them keeps in memory."""

from __future__ import annotations

import cProfile
import gc
import profile
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

from hpml.base.environment import installed_version
from hpml.benchmark import Ratio
from hpml.course.racing import race
from hpml.profiling import memory_lines

Profiler = Callable[[Callable[[], object]], Any]


def _c_profile(run: Callable[[], object]) -> Any:
    profiler = cProfile.Profile()
    profiler.runcall(run)
    return profiler


def _pure_profile(run: Callable[[], object]) -> Any:
    profiler = profile.Profile()
    profiler.runcall(run)
    return profiler


def _settrace(run: Callable[[], object]) -> Any:
    """Count lines: `sys.settrace` is told of each, as a debugger is."""
    counts: Counter[tuple[str, int]] = Counter()

    def hook(frame: FrameType, event: str, argument: Any) -> Any:
        counts[frame.f_code.co_name, frame.f_lineno] += event == "line"
        return hook

    before = sys.gettrace()
    sys.settrace(hook)
    try:
        run()
    finally:
        sys.settrace(before)
    return counts


def _pyinstrument(run: Callable[[], object]) -> Any:
    from pyinstrument import Profiler

    profiler = Profiler(interval=1e-3, async_mode="disabled")
    profiler.start()
    try:
        run()
    finally:
        found = profiler.stop()
    return found


def library_profilers() -> dict[str, Profiler]:
    """Return the profilers of the standard library and of what is installed, by name.

    Each calls a function once, and returns what it collected.
    """
    found: dict[str, Profiler] = {
        "cProfile": _c_profile,
        "profile": _pure_profile,
        "sys.settrace": _settrace,
    }
    if installed_version("pyinstrument"):
        found["pyinstrument"] = _pyinstrument
    return found


def kept_bytes(profilers: Mapping[str, Profiler], run: Callable[[], object]) -> dict[str, int]:
    """Return how many bytes each profiler's result takes after a run, as `tracemalloc` counts."""
    found = {}
    for name, profiler in profilers.items():
        profiler(run)  # what is made once, at the first call, is not the profiler's
        gc.collect()
        tracemalloc.start()
        try:
            result = profiler(run)
            found[name] = tracemalloc.get_traced_memory()[0]
            del result
        finally:
            tracemalloc.stop()
    return found


def memory_profiler_ratio(function: Callable[[Any], object], given: object) -> Ratio | None:
    """Return how many times as long a function takes under `memory_profiler`, if it is there."""
    if installed_version("memory_profiler") is None:
        return None
    runs: dict[str, Callable[[], object]] = {"without": lambda: function(given)}
    runs["under it"] = lambda: memory_lines(function, given)
    return race(runs).ratio("under it")
