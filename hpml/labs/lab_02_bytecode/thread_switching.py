"""Two threads that only look at the clock, and the turns in which the interpreter lets them."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from dataclasses import dataclass

from hpml.base import style
from hpml.base.errors import describe
from hpml.base.old_charts import name_rows
from hpml.base.page import Page, picture
from hpml.course.errors import LabError

_PAUSE = 2e-4  # two readings of the clock lie far closer together than this, unless one had to wait


@dataclass(frozen=True)
class ThreadSwitches:
    """When each of two threads was running.

    Attributes:
        interval: the switch interval, in seconds.
        threads: for each thread its turns as (start, end), in seconds from the common start.
    """

    interval: float
    threads: tuple[tuple[tuple[float, float], ...], ...]

    @property
    def switches(self) -> int:
        """How often another thread than before had its turn."""
        order = [
            number
            for _, number in sorted(
                (start, number) for number, turns in enumerate(self.threads) for start, _ in turns
            )
        ]
        return sum(a != b for a, b in itertools.pairwise(order))

    @property
    def overlap(self) -> float:
        """For how many seconds both were running at once."""
        first, second = self.threads
        return sum(
            max(0.0, min(a_end, b_end) - max(a, b)) for a, a_end in first for b, b_end in second
        )


def record_thread_switches(seconds: float = 0.1, interval: float | None = None) -> ThreadSwitches:
    """Let two threads run Python for a while, and note when each was at it.

    Args:
        seconds: how long.
        interval: the switch interval meanwhile, in seconds; by default the one in force. It is put
            back afterwards.

    Raises:
        LabError: if `seconds` or `interval` is not above 0.

    >>> turns = record_thread_switches(0.01)
    >>> len(turns.threads), all(turns.threads)
    (2, True)
    """
    for name, value in (("seconds", seconds), ("interval", interval)):
        if value is not None and not value > 0:
            raise LabError(f"{name} expects seconds above 0, got {describe(value)}.")
    before = sys.getswitchinterval()
    notes: tuple[list[tuple[float, float]], ...] = ([], [])
    gate = threading.Barrier(2)
    begin: list[float] = []

    def look(mine: list[tuple[float, float]]) -> None:
        gate.wait()
        begin.append(time.perf_counter())
        origin = begin[0]
        start = last = now = time.perf_counter()
        while now < origin + seconds:
            now = time.perf_counter()
            if now - last > _PAUSE:
                mine.append((start - origin, last - origin))
                start = now
            last = now
        mine.append((start - origin, last - origin))

    workers = [threading.Thread(target=look, args=(mine,)) for mine in notes]
    if interval is not None:
        sys.setswitchinterval(interval)
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:
        sys.setswitchinterval(before)
    return ThreadSwitches(interval or before, tuple(map(tuple, notes)))


def draw_thread_switches(*runs: ThreadSwitches) -> Page:
    """Draw when each thread was running, one panel a run."""
    fig, axes = style.figure(rows=len(runs), width=7.6, height=0.75 + 1.25 * len(runs))
    panels = [axes] if len(runs) == 1 else list(axes)
    end = max(stop for run in runs for turns in run.threads for _, stop in turns)
    with style.apply():
        for ax, run in zip(panels, runs, strict=True):
            for row, turns in enumerate(run.threads):
                bars = [(1e3 * start, 1e3 * (stop - start)) for start, stop in turns]
                colour = style.PALETTE[("handwritten", "compiled")[row]]
                ax.broken_barh(bars, (row - 0.36, 0.72), facecolors=colour)
            name_rows(ax, ["thread A", "thread B"])
            ax.set_xlim(0, 1e3 * end)
            title = f"switch interval {1e3 * run.interval:g} ms: {run.switches} switches"
            style.finish(ax, title=title, x="ms" if ax is panels[-1] else "", y="")
    both = sum(run.overlap for run in runs) / sum(_covered(run) for run in runs)
    text = (
        "A bar: this thread was executing bytecode. "
        f"Both at once: {both:.1%} of the time. Where neither has a bar, the operating system had "
        "given the core to another program."
    )
    style.caption(fig, text)
    return picture(fig, text)


def _covered(run: ThreadSwitches) -> float:
    return max(stop for turns in run.threads for _, stop in turns)
