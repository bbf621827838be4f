"""Threads take turns: when each of two ran, and what two shares of work take in all."""

from __future__ import annotations

import functools
import hashlib
import itertools
import multiprocessing
import os
import sys
import sysconfig
import threading
import time
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass

from hpml.base.charts import Bar, bars, show, timeline
from hpml.base.page import Page
from hpml.base.tables import format_ratio
from hpml.benchmark import Ratio, compare

_PAUSE = 2e-4  # two readings of the clock lie far closer together than this, unless one had to wait


@dataclass(frozen=True)
class ThreadSwitches:
    """When each of two threads was running."""

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


def record_thread_switches(seconds: float = 0.1) -> ThreadSwitches:
    """Let two threads run Python for a while, and note when each was at it."""
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
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return ThreadSwitches(sys.getswitchinterval(), tuple(map(tuple, notes)))


def draw_thread_switches(run: ThreadSwitches) -> Page:
    """Draw when each thread was running."""
    end = max(stop for turns in run.threads for _, stop in turns)
    rows = {
        f"thread {name}": [(1e3 * start, 1e3 * stop) for start, stop in turns]
        for name, turns in zip("AB", run.threads, strict=True)
    }
    text = (
        f"A bar: the thread was executing bytecode. Both at once: {run.overlap / end:.1%} of the "
        "time. Where neither has a bar, the operating system had given the core to another program."
    )
    title = f"switch interval {1e3 * run.interval:g} ms: {run.switches} switches"
    return show(timeline(rows, title=title, x="ms", xlim=(0, 1e3 * end)), caption=text, text=text)


THREADS, PROCESSES, HASHES = "two threads", "two processes", "two threads, hashing"


def count_down(n: int) -> int:
    """Count from `n` down to 0, in bytecode and nothing else."""
    while n:
        n -= 1
    return n


def _both(pool: Executor, n: int) -> None:
    list(pool.map(count_down, [n, n]))


def _digests(pool: Executor, data: bytes) -> None:
    # hashlib gives the lock away while it works on more than 2047 bytes.
    list(pool.map(hashlib.sha256, [data, data]))


@dataclass(frozen=True)
class GilScaling:
    """Time of two shares of work as a multiple of one's: 1 is side by side, 2 is in turn."""

    ratios: dict[str, Ratio]
    rounds: int

    @property
    def busy(self) -> str:
        """Why the machine could not show it: two processes share no lock, and took long too."""
        if self.ratios[PROCESSES].value <= 1.5:
            return ""
        return (
            "Two processes share no lock and should be nearer to 1 than to 2. They were not, so "
            "the cores probably had other work: run the cell again when the machine is less busy."
        )

    def draw(self) -> Page:
        """Draw the ratios, between side by side (1) and one after the other (2)."""
        rows = [
            Bar(name, ratio.value, format_ratio(ratio.value), (ratio.low, ratio.high))
            for name, ratio in self.ratios.items()
        ]
        text = (
            "Dashed: 1 is side by side, 2 is one after the other. "
            f"The line at a bar's end is the 95 % interval over {self.rounds} rounds. "
            f"Cores that this process may use: {cores()}. {self.busy}"
        ).rstrip()
        x = "time for two shares, where one share alone takes 1"
        return show(bars(rows, title="Twice the work", x=x, at=(1, 2)), caption=text, text=text)


def measure_gil_scaling(n: int = 300_000, *, rounds: int = 75) -> GilScaling:
    """Measure two shares of counting, and of hashing, side by side if that is possible."""
    data = bytes(8 * n)
    context = multiprocessing.get_context("spawn")
    with (
        ThreadPoolExecutor(2) as threads,
        ProcessPoolExecutor(2, mp_context=context) as processes,
    ):
        list(processes.map(count_down, [1] * 4))
        loop = compare(
            {
                "one share": functools.partial(count_down, n),
                THREADS: functools.partial(_both, threads, n),
                PROCESSES: functools.partial(_both, processes, n),
            },
            rounds=rounds,
        )
        hashing = compare(
            {
                "one share": functools.partial(hashlib.sha256, data),
                HASHES: functools.partial(_digests, threads, data),
            },
            rounds=rounds,
        )
    ratios = {name: loop.ratio(name) for name in (THREADS, PROCESSES)}
    return GilScaling({**ratios, HASHES: hashing.ratio(HASHES)}, loop.rounds)


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def build_says() -> str:
    """Say whether this Python was built with the lock, and whether it is on."""
    version = ".".join(map(str, sys.version_info[:2]))
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        return f"This is Python {version}, built **with** the lock."
    enabled = getattr(sys, "_is_gil_enabled", lambda: True)()
    state = "on at present" if enabled else "off"
    return (
        f"This is Python {version}, built so that it can run **without** the lock; "
        f"the lock is {state}."
    )
