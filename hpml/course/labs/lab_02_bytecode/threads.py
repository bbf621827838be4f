"""The global interpreter lock: when each of two threads runs, and how two threads scale."""

from __future__ import annotations

import functools
import hashlib
import itertools
import multiprocessing
import sys
import threading
import time
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass

from hpml.base.charts import show, timeline
from hpml.base.page import Page
from hpml.benchmark import Ratio, compare
from hpml.course.labs.lab_02_bytecode.dumbbells import Dumbbell, dumbbells

_PAUSE = 2e-4  # seconds; a longer gap between two clock readings means that the thread waited


@dataclass(frozen=True)
class ThreadSwitches:
    """The intervals in which each of two threads was running."""

    threads: tuple[tuple[tuple[float, float], ...], ...]

    @property
    def switches(self) -> int:
        """The number of switches from one thread to the other."""
        starts = sorted((start, n) for n, turns in enumerate(self.threads) for start, _ in turns)
        return sum(a != b for (_, a), (_, b) in itertools.pairwise(starts))

    @property
    def overlap(self) -> float:
        """The seconds in which both threads were running."""
        first, second = self.threads
        return sum(
            max(0.0, min(a_end, b_end) - max(a, b)) for a, a_end in first for b, b_end in second
        )

    def draw(self) -> Page:
        """Draw when each thread was running."""
        end = max(stop for turns in self.threads for _, stop in turns)
        rows = {
            f"thread {name}": [(1e3 * start, 1e3 * stop) for start, stop in turns]
            for name, turns in zip("AB", self.threads, strict=True)
        }
        text = (
            f"A bar: the thread was executing bytecode. Both at once: {self.overlap / end:.1%} of "
            "the time."
        )
        notes = (
            "Where neither has a bar, another program had the core. Shades only separate "
            "neighbours."
        )
        title = f"switch interval {1e3 * sys.getswitchinterval():g} ms: {self.switches} switches"
        chart = timeline(rows, title=title, x="ms", xlim=(0, 1e3 * end))
        return show(chart, caption=text, text=text, notes=("How to read it", notes))


def record_thread_switches(seconds: float = 0.1) -> ThreadSwitches:
    """Run two threads for `seconds`, and record when each was running."""
    notes: tuple[list[tuple[float, float]], ...] = ([], [])
    gate = threading.Barrier(2)
    begin: list[float] = []

    def watch(turns: list[tuple[float, float]]) -> None:
        gate.wait()
        begin.append(time.perf_counter())
        origin = begin[0]
        start = last = now = time.perf_counter()
        while now < origin + seconds:
            now = time.perf_counter()
            if now - last > _PAUSE:
                turns.append((start - origin, last - origin))
                start = now
            last = now
        turns.append((start - origin, last - origin))

    workers = [threading.Thread(target=watch, args=(turns,)) for turns in notes]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return ThreadSwitches(tuple(map(tuple, notes)))


THREADS, PROCESSES, HASHES = "two threads", "two processes", "two threads, hashing"


def count_down(n: int) -> int:
    """Count from `n` down to 0, executing only bytecode."""
    while n:
        n -= 1
    return n


def _both(pool: Executor, n: int) -> None:
    list(pool.map(count_down, [n, n]))


def _digests(pool: Executor, data: bytes) -> None:
    # hashlib releases the lock for data of more than 2047 bytes.
    list(pool.map(hashlib.sha256, [data, data]))


@dataclass(frozen=True)
class GilScaling:
    """The time of two shares of work as a multiple of one's: 1 is in parallel, 2 is in turn."""

    ratios: dict[str, Ratio]

    @property
    def busy(self) -> str:
        """Why this machine is too busy: even two processes, which share no lock, took long."""
        if self.ratios[PROCESSES].value <= 1.5:
            return ""
        return (
            "Two processes share no lock and should be nearer to 1 than to 2. They were not, so "
            "the cores probably had other work: run the cell again when the machine is less busy."
        )

    def draw(self) -> Page:
        """Draw the ratios, between parallel (1) and one after the other (2)."""
        rows = {name: Dumbbell(ratio) for name, ratio in self.ratios.items()}
        chart = dumbbells(rows, title="Twice the work", x="time, where one share alone takes 1")
        notes = ("Note: the machine was busy", self.busy)
        return show(chart, caption="Below a mark: 95 % interval.", notes=notes)


def measure_gil_scaling(n: int = 300_000, *, rounds: int = 75) -> GilScaling:
    """Time two shares of counting and of hashing in two threads or processes."""
    data = bytes(8 * n)
    context = multiprocessing.get_context("spawn")
    with (
        ThreadPoolExecutor(2) as threads,
        ProcessPoolExecutor(2, mp_context=context) as processes,
    ):
        list(processes.map(count_down, [1] * 4))
        taken = compare(
            {
                "one share": functools.partial(count_down, n),
                THREADS: functools.partial(_both, threads, n),
                PROCESSES: functools.partial(_both, processes, n),
                "one hash": functools.partial(hashlib.sha256, data),
                HASHES: functools.partial(_digests, threads, data),
            },
            rounds=rounds,
        )
    ratios = {name: taken.ratio(name) for name in (THREADS, PROCESSES)}
    return GilScaling({**ratios, HASHES: taken.ratio(HASHES, "one hash")})
