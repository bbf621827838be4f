"""Record noisy samples on this machine for lab 10: python data/recorded/record_noise.py

Two programs are measured in interleaved rounds; a second process disturbs them in a known way.
The files go to the folder of this script; names after the command record only these situations.
"""

from __future__ import annotations

import json
import os
import platform
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from hpml.base import environment_record
from hpml.base.files import write_atomically
from hpml.benchmark import Comparison, compare

COMMAND = "python data/recorded/record_noise.py"
ROUNDS = 60
SAMPLE = 10e-3
STEPS = 10_000
TICK = 4e-3
KEPT = ("cpu", "logical_cores", "platform", "python", "hpml", "time_utc")


class Situation(NamedTuple):
    """The name of a recording, how much more work b does than a, and what disturbed both."""

    name: str
    more: float
    about: str


SITUATIONS = (
    Situation("quiet", 0.1, "the second process only slept"),
    Situation("equal", 0.0, "the second process only slept; a and b are one function"),
    Situation("drift", 0.1, "it computed for a share of the time that grew from 0 to two thirds"),
    Situation("wander", 0.0, "it computed for a share that changed by chance, a little at a time"),
    Situation("outliers", 0.1, "it slept, and computed for 20 ms five times a second"),
    Situation("modes", 0.0, "for some 0.6 s it computed half of the time, then it slept as long"),
)


def work(steps: int) -> int:
    """Do so many steps of the same arithmetic."""
    total = 0
    for n in range(steps):
        total += n * n % 7
    return total


def main(names: list[str]) -> int:
    """Record situations, all if none is named."""
    folder = Path(__file__).parent
    cpu = _pinned()
    for situation in SITUATIONS:
        if names and situation.name not in names:
            continue
        quiet = situation.name in ("quiet", "equal")
        found = [_measured(situation) for _ in range(5 if quiet else 1)]
        best = min(found, key=lambda run: max(m.interquartile_range / m.median for m in run))
        record = {
            "situation": situation.name,
            "about": situation.about + ("; the quietest of 5 recordings" if quiet else ""),
            "truth": 1 + situation.more,
            "unit": "µs a call",
            "a": [float(f"{1e6 * sample:.5g}") for sample in best["a"].samples],
            "b": [float(f"{1e6 * sample:.5g}") for sample in best["b"].samples],
            "machine": _machine(),
            "one_core": cpu is not None,
            "command": COMMAND,
        }
        text = json.dumps(record, ensure_ascii=False).replace(', "', ',\n "')
        write_atomically(folder / f"noise_{situation.name}.json", text + "\n")
        print(situation.name, best.ratio("b"))
    return 0


def _measured(situation: Situation) -> Comparison:
    """Measure in turns, beside a process that disturbs; it knows how long this will take."""
    more = round(STEPS * (1 + situation.more))
    command = [sys.executable, __file__, "--disturb"]
    other = subprocess.Popen([*command, situation.name])
    try:
        time.sleep(1.0)  # until it is there
        runs = {"a": lambda: work(STEPS), "b": lambda: work(more)}
        return compare(runs, rounds=ROUNDS, min_sample_time=SAMPLE, stop_early=False)
    finally:
        other.kill()
        other.wait()


def _machine() -> dict[str, object]:
    record: dict[str, object] = {**environment_record()}
    # Not the kernel's release: it would name the provider rather than the kind of machine.
    record["platform"] = f"{platform.system()} {platform.machine()}"
    return {key: record[key] for key in KEPT}


def _pinned() -> int | None:
    """Keep this process on one core, where the system can, and return its number."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    cpu = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpu})
    return cpu


def disturb(name: str) -> None:
    """Compute for a share of each tick that depends on the time, until it is killed."""
    rng, start, share, until = random.Random(10), time.perf_counter(), 0.0, 0.0
    expected = 3 * ROUNDS * 2 * SAMPLE
    while True:
        now = time.perf_counter() - start
        if name == "drift":
            share = 0.67 * min(1.0, max(0.0, now - 1) / expected)
        elif name == "outliers":
            share = 1.0 if now % 0.2 < 0.02 else 0.0
        elif now >= until and name == "modes":
            share, until = 0.5 - share, now + rng.uniform(0.4, 0.9)
        elif now >= until and name == "wander":
            share, until = min(0.6, abs(share + rng.gauss(0, 0.1))), now + 0.08
        while time.perf_counter() - start < now + share * TICK and name not in ("quiet", "equal"):
            pass
        time.sleep(TICK * (1 - share) if share < 1 else 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--disturb"]:
        disturb(sys.argv[2])
    else:
        raise SystemExit(main(sys.argv[1:]))
