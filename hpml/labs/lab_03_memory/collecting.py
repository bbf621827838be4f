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
    """The collector's pauses in a run: starts and lengths in seconds, and the objects freed."""

    seconds: float
    begun: tuple[float, ...]
    lengths: tuple[float, ...]
    collected: int

    @property
    def share(self) -> float:
        """The collector's share of the run's time, in percent."""
        return 100 * sum(self.lengths) / self.seconds

    def plot(self) -> Page:
        """Draw the pauses on a time axis."""
        longest = format_seconds(max(self.lengths, default=0.0))
        text = (
            f"{len(self.lengths):,} pauses in {format_seconds(self.seconds)}, together "
            f"{self.share:.0f} % of the time; the longest took {longest}. "
            f"Objects freed: {self.collected:,}. The two shades only separate neighbours."
        )
        spans = [(at, at + each) for at, each in zip(self.begun, self.lengths, strict=True)]
        chart = timeline(
            {"collector": spans},
            colours={"collector": style.ACCENT},
            title="The collector's pauses",
            x="seconds into the loop",
            xlim=(0, self.seconds),
        )
        return show(chart, caption=text, text=text)


def collector_pauses(run: Callable[[], object]) -> Pauses:
    """Call `run` with the collector enabled, and record the collector's pauses.

    Source: https://docs.python.org/3/library/gc.html#gc.callbacks
    """
    begun: list[float] = []
    ended: list[float] = []
    collected = [0]

    def called(phase: str, info: Mapping[str, int]) -> None:
        (begun if phase == "start" else ended).append(time.perf_counter())
        if phase == "stop":
            collected[0] += info["collected"]

    gc.collect()
    was_on = gc.isenabled()
    gc.freeze()
    gc.callbacks.append(called)
    gc.enable()
    start = time.perf_counter()
    try:
        result = run()
        end = time.perf_counter()
    finally:
        gc.callbacks.remove(called)
        gc.unfreeze()
        if not was_on:
            gc.disable()
    del result
    pauses = tuple(stop - at for at, stop in zip(begun, ended, strict=False))
    return Pauses(end - start, tuple(at - start for at in begun), pauses, collected[0])


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
    start = time.perf_counter()
    gc.collect()
    return time.perf_counter() - start


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
