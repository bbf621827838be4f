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
from hpml.course.labs.lab_15_capstone.harness import waves
from hpml.course.labs.lab_15_capstone.scripts import FAULTS, script, train_of
from hpml.course.labs.lab_15_capstone.student_script import SIZES
from tests.course.labs.lab_15.fixed import fixed

LARGE = waves({**SIZES, "seed": 1, "drawn": 1})
SEEDS = (0, 1, 2, 3)
FIXES: tuple[tuple[str, ...], ...] = ((), ("loop", "dtype"), ("loader", "reading", "table"), FAULTS)


def cpu_seconds(train: Callable[..., Any]) -> float:
    began = time.process_time()
    train(**LARGE)
    return time.process_time() - began


def ratios(runs: dict[str, str], rounds: int = 11) -> dict[str, float]:
    """Return the least time of each as a multiple of the first's least, in interleaved rounds."""
    trains = {name: train_of(source) for name, source in runs.items()}
    samples = [{name: cpu_seconds(train) for name, train in trains.items()} for _ in range(rounds)]
    least = {name: min(sample[name] for sample in samples) for name in runs}
    first = least[next(iter(runs))]
    return {name: seconds / first for name, seconds in least.items()}


def main() -> int:
    torch.set_num_threads(1)
    speed = find("train").speed
    assert speed is not None
    runs = {"fixed": fixed(0), "original": script(0)}
    runs |= {f: fixed(0, tuple(each for each in FAULTS if each != f)) for f in FAULTS}
    found = ratios(runs)
    print(
        "\n".join(f"{name:<12}{ratio:6.2f} times the fixed script" for name, ratio in found.items())
    )
    costs = [found[fault] for fault in FAULTS if fault != "graph"]  # which costs memory
    fine = found["original"] > 1 / speed.full and min(costs) > 1.03
    # A point of the seven is a seventh of the way from `none` to `full`.
    point = math.log(speed.none / speed.full) / 7
    for fixes in FIXES:
        sources = {"original": script(0)} | {str(seed): fixed(seed, fixes) for seed in SEEDS}
        measured = ratios(sources)
        logs = [math.log(measured[str(seed)]) for seed in SEEDS]
        apart = (max(logs) - min(logs)) / point
        print(f"{'+'.join(fixes) or 'nothing'} fixed: seeds are {apart:.2f} points apart")
        fine = fine and apart < 1.5
    return int(not fine)


if __name__ == "__main__":
    sys.exit(main())
