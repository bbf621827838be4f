"""The garbage collector of cycles: when it runs, how long it takes, and what it frees."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpml.base import style
from hpml.base.charts import show, timeline
from hpml.base.page import Page, say
from hpml.base.tables import Table, format_seconds
from hpml.benchmark import Estimate
from hpml.benchmark.estimate import estimate


@dataclass(frozen=True)
class Pauses:
    """The collector's pauses in a run: their spans in seconds, and the number of objects freed.

    A span's generation is the oldest that the collection visits.
    """

    seconds: float
    spans: tuple[tuple[float, float], ...]
    collected: int
    generations: tuple[int, ...]

    @property
    def share(self) -> float:
        """The collector's share of the run's time, in percent."""
        return 100 * sum(end - start for start, end in self.spans) / self.seconds

    def of(self, generation: int) -> list[tuple[float, float]]:
        """Return the spans of the collections of one generation."""
        pairs = zip(self.spans, self.generations, strict=True)
        return [span for span, each in pairs if each == generation]

    @property
    def longest(self) -> str:
        """The generation whose collections take the most time together."""
        return max(GENERATIONS, key=lambda name: _total(self.of(GENERATIONS[name])))

    def plot(self) -> Page:
        """Draw the pauses on a time axis, one row for each generation."""
        longest = max((end - start for start, end in self.spans), default=0.0)
        text = (
            f"{len(self.spans):,} pauses in {format_seconds(self.seconds)}, together "
            f"{self.share:.0f} % of the time; the longest took {format_seconds(longest)}. "
            f"Objects freed: {self.collected:,}."
        )
        notes = ("How to read it", "The two shades only separate neighbours.")
        rows = {name: self.of(number) for name, number in GENERATIONS.items()}
        texts = {
            name: f"{len(spans)} pauses, {100 * _total(spans) / self.seconds:.0f} %"
            for name, spans in rows.items()
        }
        chart = timeline(
            rows,
            texts,
            colours=dict.fromkeys(rows, style.ACCENT),
            title="The collector's pauses, by generation",
            x="seconds into the loop",
        )
        return show(chart, caption=text, text=text, notes=notes)


GENERATIONS = {"youngest": 0, "middle": 1, "oldest": 2}


def _total(spans: Sequence[tuple[float, float]]) -> float:
    return sum(end - start for start, end in spans)


def collector_pauses(run: Callable[[], object]) -> Pauses:
    """Call `run`, and record the collector's pauses.

    Source: https://docs.python.org/3/library/gc.html#gc.callbacks
    """
    begun, collected = 0.0, 0
    spans: list[tuple[float, float]] = []
    generations: list[int] = []

    def called(phase: str, info: Mapping[str, int]) -> None:
        nonlocal begun, collected
        if phase == "start":
            begun = time.perf_counter() - start
        else:
            spans.append((begun, time.perf_counter() - start))
            generations.append(info["generation"])
            collected += info["collected"]

    gc.collect()
    gc.freeze()
    start = time.perf_counter()
    gc.callbacks.append(called)
    try:
        result = run()
        seconds = time.perf_counter() - start
    finally:
        gc.callbacks.remove(called)
        gc.unfreeze()
    del result
    return Pauses(seconds, tuple(spans), collected, tuple(generations))


def collection_times(makers: Mapping[str, Callable[[], object]]) -> dict[str, Estimate]:
    """Return the time of a full collection, in seconds, while each maker's objects are alive."""
    samples: dict[str, list[float]] = {name: [] for name in makers}
    gc.collect()
    gc.freeze()
    try:
        for _ in range(11):
            for name, make in makers.items():
                kept = make()
                samples[name].append(min(_collection() for _ in range(3)))
                del kept
    finally:
        gc.unfreeze()
    return {name: estimate(values) for name, values in samples.items()}


def _collection() -> float:
    start = _clock()
    gc.collect()
    return _clock() - start


# The processor's time of this thread: on a busy machine a long collection is interrupted by other
# programs, and a short one hardly ever. Windows counts it in steps of 16 ms only.
_FINE = time.get_clock_info("thread_time").resolution <= 1e-6
_clock = time.thread_time if _FINE else time.perf_counter


def left_to_the_collector(run: Callable[[], object]) -> list[Any]:
    """Return the objects that a call of `run` left in cycles, which only the collector frees.

    Source: https://docs.python.org/3/library/gc.html#gc.DEBUG_SAVEALL
    """
    gc.collect()
    before = gc.get_debug()
    known = len(gc.garbage)
    gc.set_debug(before | gc.DEBUG_SAVEALL)
    try:
        run()
        gc.collect()
    finally:
        gc.set_debug(before)
    found = gc.garbage[known:]
    del gc.garbage[known:]
    return found


def show_cycle(cycle: Sequence[Any] | None) -> Table | Page:
    """Return a table of a cycle's references, one row per object."""
    if not cycle:
        return say("Your `find_cycle` returns no cycle yet. When it does, this cell shows it.")
    rows = [
        [type(one).__name__, _through(one, after), type(after).__name__]
        for one, after in zip(cycle, [*cycle[1:], cycle[0]], strict=True)
    ]
    return Table(["an object", "refers through", "to an object"], rows)


def _through(one: object, after: object) -> str:
    """Return the index, key or attribute by which an object refers to another."""
    if isinstance(one, list | tuple):
        return next((f"[{place}]" for place, each in enumerate(one) if each is after), "")
    if isinstance(one, dict):
        return next((f"[{key!r}]" for key, each in one.items() if each is after), "")
    names = [*getattr(one, "__dict__", ()), "__dict__", "__self__", "__closure__", "cell_contents"]
    return next((name for name in names if getattr(one, name, None) is after), "")
