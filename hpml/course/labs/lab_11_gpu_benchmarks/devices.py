"""Asynchronous devices: a GPU, or a thread that simulates one."""

from __future__ import annotations

import queue
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpml.base import accelerator, style
from hpml.base.charts import Interval, show, timeline
from hpml.base.page import Page
from hpml.profiling import Timeline


class Mark:
    """An event in the queue; the device records the time when it reaches it."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.time = float("nan")

    def elapsed_time(self, end: Mark) -> float:
        """Return the milliseconds to a later mark, when both are reached."""
        self.reached.wait()
        end.reached.wait()
        return 1e3 * (end.time - self.time)


_Work = tuple[float, Mark, Mark | None]
"""The seconds of a kernel, the mark of its end, and the mark that it waits for."""


class AsyncDevice:
    """A device simulated by a thread, whose kernels sleep for their duration."""

    clock = staticmethod(time.perf_counter)

    def __init__(self, launch: float = 0.0, first: float = 0.0) -> None:
        self._cost, self._first = launch, first
        self._recording: list[float] | None = None
        self._launches: list[Interval] = []
        self._kernels: list[Interval] = []
        self._work: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        arguments = self._work, self._kernels
        threading.Thread(target=_work_off, args=arguments, daemon=True).start()
        weakref.finalize(self, self._work.put, None)

    def launch(self, seconds: float, *, after: Mark | None = None) -> Mark:
        """Issue a kernel of this duration, and return the mark of its end without waiting."""
        if self._recording is not None:
            self._recording.append(seconds)
            return Mark()
        self._issue()
        return self._put(seconds, after)

    def event(self) -> Mark:
        """Put a mark into the queue, at no cost."""
        return self._put()

    def synchronize(self) -> None:
        """Wait until all issued work is done."""
        self.event().reached.wait()

    def record(self, fn: Callable[[], object]) -> Callable[[], None]:
        """Call `fn` without executing its kernels; return a function that launches all at once."""
        kernels: list[float] = []
        self._recording = kernels
        try:
            fn()
        finally:
            self._recording = None

        def replay() -> None:
            self._issue()
            for seconds in kernels:
                self._put(seconds)

        return replay

    def timeline(self, fn: Callable[[], object]) -> Timeline:
        """Return the launches and kernels of a call of `fn`, in ms from its start."""
        self.synchronize()
        start = self.clock()
        fn()
        self.synchronize()
        return self.since(start)

    def since(self, start: float) -> Timeline:
        """Return the launches and finished kernels since a clock reading, in ms from it."""
        spans = (
            tuple((1e3 * (a - start), 1e3 * (b - start)) for a, b in each if a >= start)
            for each in (self._launches, self._kernels)
        )
        return Timeline(*spans)

    def _issue(self) -> None:
        begin = self.clock()
        time.sleep(self._cost + self._first)
        self._first = 0.0
        self._launches.append((begin, self.clock()))

    def _put(self, seconds: float = 0.0, after: Mark | None = None) -> Mark:
        mark = Mark()
        self._work.put((seconds, mark, after))
        return mark


def _work_off(work: queue.SimpleQueue[_Work | None], done: list[Interval]) -> None:
    """Run the kernels in the queue; this is the device's thread."""
    while (each := work.get()) is not None:
        seconds, mark, after = each
        if after is not None:
            after.reached.wait()
        begin = mark.time = time.perf_counter()
        if seconds:
            time.sleep(seconds)
            mark.time = time.perf_counter()
            done.append((begin, mark.time))
        mark.reached.set()


class Accelerator:
    """The current GPU, with the methods that timing needs."""

    clock = staticmethod(time.perf_counter)

    def synchronize(self) -> None:
        """Wait until all launched work is done."""
        accelerator.synchronise()

    def event(self) -> Any:
        """Put an event into the queue."""
        import torch

        event = torch.Event(accelerator.kind(), enable_timing=True)
        event.record()
        return event


WAYS = ("pageable", "pinned", "pinned, two queues")


@dataclass(frozen=True)
class Pipeline:
    """The spans of copying and computing batches, and the time the program was blocked, in ms."""

    copies: Sequence[Interval]
    computed: Sequence[Interval]
    held: float

    @property
    def total(self) -> float:
        """The end of the last batch."""
        return self.computed[-1][1]


def pipeline(way: str, batches: int, copy: float, compute: float) -> Pipeline:
    """Copy and compute batches on a simulated device, and return when each ran."""
    copying, computing = AsyncDevice(), AsyncDevice()
    done: Mark | None = None
    start = computing.clock()
    for _ in range(batches):
        if way == "pageable":
            computing.synchronize()
        arrived = copying.launch(copy, after=done if way == "pinned" else None)
        if way == "pageable":
            copying.synchronize()
        done = computing.launch(compute, after=arrived)
    held = 1e3 * (computing.clock() - start)
    computing.synchronize()
    return Pipeline(copying.since(start).kernels, computing.since(start).kernels, held)


def draw_pipelines(ways: Mapping[str, Pipeline]) -> Page:
    """Draw when batches were copied and computed, for each variant of the pipeline."""
    rows, texts, shades = dict[str, Sequence[Interval]](), dict[str, str](), dict[str, str]()
    for way, found in ways.items():
        copied, computed = f"{way}: copy", f"{way}: compute"
        rows |= {copied: found.copies, computed: found.computed}
        shades |= {copied: style.CPU, computed: style.GPU}
        texts[computed] = f"{found.total:.0f} ms, the program blocked for {found.held:.0f} ms"
    title = "Copying and computing batches"
    return show(timeline(rows, texts, shades, title=title, x="ms"), width=9.4)
