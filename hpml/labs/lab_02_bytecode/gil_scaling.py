"""Twice the work on two threads and in two processes, against one share of it on one thread."""

from __future__ import annotations

import functools
import hashlib
import multiprocessing
import os
import sys
import sysconfig
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass

from hpml.base import style
from hpml.base.old_charts import Bar, bars
from hpml.base.page import Page, picture
from hpml.base.tables import format_ratio
from hpml.benchmark import Ratio, compare

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
        """Why the machine could not show it: two processes share nothing, and were in turn too."""
        if self.ratios[PROCESSES].value <= 1.5:
            return ""
        return (
            "Two processes share nothing and should be near 1. They were not, so the cores had "
            "other work meanwhile: run the cell again when the machine is less busy."
        )

    def draw(self) -> Page:
        """Draw the ratios, between side by side (1) and one after the other (2)."""
        fig, ax = style.figure(width=7.4, height=2.9)
        with style.apply():
            roles = ("lazy", "codegen", "sequential")
            rows = [
                Bar(name, [(r.value, style.PALETTE[role])], format_ratio(r.value), (r.low, r.high))
                for role, (name, r) in zip(roles, self.ratios.items(), strict=True)
            ]
            bars(ax, rows)
            for place in (1, 2):
                ax.axvline(place, color=style.PALETTE["muted"], lw=1, ls="--")
            far = max(max(ratio.value, ratio.high) for ratio in self.ratios.values())
            ax.set_xlim(0, max(2.4, 1.15 * far))
            ax.grid(visible=False)
        x = "time for two shares, where one share alone takes 1"
        style.finish(ax, title="Twice the work", x=x, y="")
        text = (
            "Dashed: 1 is side by side, 2 is one after the other. "
            f"The line at a bar's end is the 95 % interval over {self.rounds} rounds. "
            f"Cores that this process may use: {cores()}. {self.busy}"
        ).rstrip()
        style.caption(fig, text)
        return picture(fig, text)


def measure_gil_scaling(n: int = 300_000, *, rounds: int = 75) -> GilScaling:
    """Measure two shares of counting, and of hashing, side by side if that is possible.

    Args:
        n: one share: how far to count, and how many times eight bytes to hash.
        rounds: of each comparison. The processes and threads exist before its clock starts.
    """
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
    state = "on at present, all the same" if enabled else "off"
    return (
        f"This is Python {version}, built so that it can run **without** the lock; it is {state}."
    )
