"""Contenders that a fresh process can import."""

from __future__ import annotations

import os
import sys

SEEDS = range(1000, 2000)
"""The work of `depends_on_the_hash_seed`: uniform, so its logarithm's mean is 2 ln 2 - 1."""


def depends_on_the_hash_seed() -> int:
    return steps(SEEDS[hash("a text") % len(SEEDS)])


def steps(count: int) -> int:
    total = 0
    for number in range(count):
        total += number
    return total


def one_thousand_steps() -> int:
    return steps(SEEDS[0])


def fails() -> None:
    raise ValueError("on purpose")


def exits() -> None:
    os._exit(7)


def prints_and_reads() -> str:
    print("{}", flush=True)
    return sys.stdin.read()


def hash_seed_and_pid() -> tuple[int, int, str]:
    return hash("a text"), os.getpid(), os.environ.get("PYTHONHASHSEED", "")
