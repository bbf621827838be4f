"""How long samples should be on a busy machine: ``python -m tests.benchmarks.racing``.

The simulation gives the program a processor for slices of time; between them other programs have
it, which lengthens the sample in which that happens. Two contenders differ by a known factor, or
not at all: then a verdict is false. They are judged as by `hpml.course.lesson.racing.race`, with
its interim analyses. With ``--measure`` real functions are raced beside programs that keep the
processors busy.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from hpml.base.tables import Table, format_seconds
from hpml.benchmark import Comparison, compare
from hpml.course.lesson.racing import MOST_ROUNDS, SAMPLE
from tests.benchmarks.intervals import staged_rule
from tests.benchmarks.noise import Times

SLICE = 3e-3
"""Seconds of a slice of time, the usual order of a Linux scheduler."""

CORES = 2

RULES = {
    "25 rounds of 2 ms": (25, 2e-3),
    f"{MOST_ROUNDS} rounds of 0.3 ms": (MOST_ROUNDS, SAMPLE),
}

EFFECTS = (1.0, 1.1, 1.65)


def sliced(
    rng: np.random.Generator, rounds: int, length: float, load: float, effect: float
) -> tuple[Times, float]:
    """Return the logarithms of two contenders' times (2, rounds), and the seconds that they took.

    A call of the second takes `effect` times as long. Each sample has noise of 2 %, and the state
    of the machine wanders by 5 % for both.
    """
    work = np.array([[length], [length * effect]]) * np.exp(rng.normal(0, 0.02, (2, rounds)))
    work *= np.exp(rng.normal(0, 0.05 / math.sqrt(rounds), (1, rounds)).cumsum(axis=1))
    waiting = max(0.0, (load + 1 - CORES) / CORES)  # programs that wait for each processor
    # The slices end at random times; during a sample as many as its length allows.
    ends = rng.poisson(work / SLICE) if waiting else np.zeros_like(work)
    away = np.array([[rng.exponential(SLICE * waiting, int(n)).sum() for n in row] for row in ends])
    wall = work + away
    return np.log(wall), float(wall.sum())


def simulated(runs: int, loads: tuple[int, ...]) -> Table:
    """Return a row for each rule and load."""
    rows: list[list[object]] = []
    for load in loads:
        for name, (rounds, length) in RULES.items():
            rng = np.random.default_rng([load, rounds])
            shares, seconds = [], []
            for effect in EFFECTS:
                decided = 0
                for _ in range(runs):
                    times, took = sliced(rng, rounds, length, load, effect)
                    low, high = staged_rule(times)
                    decided += low > 0 or high < 0
                    seconds.append(took)
                shares.append(decided / runs)
            rows.append([load, name, *shares, statistics.median(seconds)])
    columns = ["load", "rule", "false", "decides 1.1", "decides 1.65", "at most"]
    formats = dict.fromkeys(columns[2:5], "{:.1%}".format) | {"at most": format_seconds}
    return Table(columns, rows, title=f"{runs} simulated races", formats=formats)


@contextlib.contextmanager
def busy(programs: int) -> Iterator[None]:
    """Keep so many programs busy."""
    spin = "while True: pass"
    running = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(programs)]
    try:
        time.sleep(0.5)
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


def contenders() -> dict[str, dict[str, Callable[[], object]]]:
    """Return pairs of functions as in the labs: short and long calls, large and no effects."""
    import torch

    torch.set_num_threads(1)

    def chain(leaf: torch.Tensor) -> object:
        h = leaf
        for _ in range(50):
            h = torch.tanh(h)
        return h

    plain, leaf = torch.rand(16), torch.rand(16, requires_grad=True)
    numbers = list(range(3000))
    return {
        "fifty tanh, recorded": {"not": lambda: chain(plain), "recorded": lambda: chain(leaf)},
        "generator": {
            "list": lambda: sum([n * n for n in numbers]),
            "generator": lambda: sum(n * n for n in numbers),
        },
        "itself": {"one": lambda: sum(numbers), "two": lambda: sum(numbers)},
    }


def measured(repeats: int, loads: tuple[int, ...]) -> Table:
    """Return a row for each rule and load, with what real functions gave."""
    rows: list[list[object]] = []
    pairs = contenders()
    for load in loads:
        with busy(load):
            for name, (rounds, length) in RULES.items():
                decided, false, seconds = 0, 0, []
                for _ in range(repeats):
                    for which, pair in pairs.items():
                        start = time.perf_counter()
                        found: Comparison = compare(
                            pair, rounds=rounds, min_sample_time=length, warm_up=2
                        )
                        seconds.append(time.perf_counter() - start)
                        told = found.ratio(found.names[1]).answer != "cannot tell"
                        decided += told and which != "itself"
                        false += told and which == "itself"
                real = repeats * (len(pairs) - 1)
                rows.append([load, name, decided / real, false / repeats, statistics.mean(seconds)])
    columns = ["load", "rule", "decided", "false", "seconds"]
    formats = dict.fromkeys(columns[2:4], "{:.0%}".format) | {"seconds": format_seconds}
    return Table(columns, rows, title=f"{repeats} races of each pair", formats=formats)


def main() -> None:
    """Print the table of the simulation, or of the measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--loads", type=int, nargs="+", default=[0, 2, 5, 10])
    options = parser.parse_args()
    if options.measure:
        print(measured(options.runs, tuple(options.loads)))
    else:
        print(simulated(options.runs, tuple(options.loads)))


if __name__ == "__main__":
    main()
