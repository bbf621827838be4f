"""What the faults of lab 15 cost, and what fixes earn: ``python -m tests.benchmarks.capstone``.

Each fault must cost a share of the time, all of them together the points for speed, and the same
fixes must earn nearly the same points whatever the seed. It ends with 1 where that fails.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from hpml.course.labs.catalogue import find
from hpml.course.labs.lab_15_capstone.exercises import SIZES
from hpml.course.labs.lab_15_capstone.harness import waves
from hpml.course.labs.lab_15_capstone.scripts import FAULTS, KINDS, script, train_of
from hpml.course.lesson.exercises.exercise import Speed
from tests.course.labs.lab_15.fixed import fixed

LARGE = {kind: waves({**sizes, "seed": 1, "drawn": 1}) for kind, sizes in SIZES.items()}
SEEDS = (0, 1, 2, 3)
FIXES: tuple[tuple[str, ...], ...] = ((), ("loop", "dtype"), ("loader", "reading", "table"), FAULTS)


def cpu_seconds(train: Callable[..., Any], kind: str) -> float:
    began = time.process_time()
    train(**LARGE[kind])
    return time.process_time() - began


def ratios(runs: dict[str, str], kind: str, rounds: int = 11) -> dict[str, float]:
    """Return the least time of each as a multiple of the first's least, in interleaved rounds."""
    trains = {name: train_of(source) for name, source in runs.items()}
    samples = [
        {name: cpu_seconds(train, kind) for name, train in trains.items()} for _ in range(rounds)
    ]
    least = {name: min(sample[name] for sample in samples) for name in runs}
    first = least[next(iter(runs))]
    return {name: seconds / first for name, seconds in least.items()}


def fine(kind: str, speed: Speed) -> bool:
    """Print what the faults of a kind of script cost, and return whether they are as planned."""
    runs = {"fixed": fixed(0, kind=kind), "original": script(0, kind=kind)}
    for fault in FAULTS:
        runs[fault] = fixed(0, tuple(each for each in FAULTS if each != fault), kind)
    found = ratios(runs, kind)
    print(f"{kind}:")
    for name, ratio in found.items():
        print(f"{name:<12}{ratio:6.2f} times the fixed script")
    costs = [found[fault] for fault in FAULTS if fault != "graph"]  # which costs memory
    planned = found["original"] > 1 / speed.full and min(costs) > 1.03
    # A point of the seven is a seventh of the way from `none` to `full`.
    point = math.log(speed.none / speed.full) / 7
    for fixes in FIXES:
        sources = {"original": script(0, kind=kind)}
        sources |= {str(seed): fixed(seed, fixes, kind) for seed in SEEDS}
        measured = ratios(sources, kind)
        logs = [math.log(measured[str(seed)]) for seed in SEEDS]
        apart = (max(logs) - min(logs)) / point
        print(f"{'+'.join(fixes) or 'nothing'} fixed: seeds are {apart:.2f} points apart")
        planned = planned and apart < 1.5
    return planned


def main() -> int:
    torch.set_num_threads(1)
    speed = find("train").speed
    assert speed is not None
    return sum(not fine(kind, speed) for kind in KINDS)


if __name__ == "__main__":
    sys.exit(main())
