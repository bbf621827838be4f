"""How often a comparison of fresh processes is wrong: ``python -m tests.benchmarks.processes``.

The logarithms of ratios are drawn from two levels: each process has a value of its own, and each of
its rounds adds noise. What a process adds is drawn from several distributions, for both contenders
independently, as the seeds of hashes are. The truth is the mean over all processes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from hpml.base.tables import Table
from hpml.benchmark.ratio import paired_ratio, process_ratio

Between = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]

BETWEEN: dict[str, Between] = {
    "none": lambda rng, shape: np.zeros(shape),
    "normal": lambda rng, shape: rng.normal(0.0, 0.05, shape),
    "large": lambda rng, shape: rng.normal(0.0, 0.3, shape),
    "uniform": lambda rng, shape: rng.uniform(-0.2, 0.2, shape),
    "two states": lambda rng, shape: rng.choice([-0.1, 0.1], shape),
    "skewed": lambda rng, shape: rng.exponential(0.1, shape) - 0.1,
}
"""What a process adds to the logarithm of a time, with mean 0."""


def rates(
    between: Between,
    *,
    processes: int,
    rounds: int = 5,
    within: float = 0.02,
    factor: float = 1.0,
    draws: int = 1000,
    seed: int = 0,
    as_one_process: bool = False,
    only_one: bool = False,
) -> tuple[float, float]:
    """Return the share of intervals with the true ratio, and of answers "faster" or "slower".

    With `only_one` the processes of the baseline do not differ. With `as_one_process` all rounds
    are taken in one process, as without ``processes=``.
    """
    rng = np.random.default_rng(seed)
    covered = answered = 0
    for _ in range(draws):
        own = between(rng, (2, 1 if as_one_process else processes, 1))
        own[1] *= not only_one
        # The rounds of one process are as many as those of all, and share its value.
        times = np.exp(own + rng.normal(0.0, within, (2, processes, rounds)))
        other, base = (factor * times[0]).tolist(), times[1].tolist()
        if as_one_process:
            ratio = paired_ratio(tuple(np.ravel(other).tolist()), tuple(np.ravel(base).tolist()))
        else:
            ratio = process_ratio(list(zip(other, base, strict=True)))
        covered += ratio.low <= factor <= ratio.high
        answered += ratio.answer != "cannot tell"
    return covered / draws, answered / draws


def main() -> None:
    """Print coverage, false verdicts, and how often a difference of a fifth is found."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--draws", type=int, default=2000)
    draws = options.parse_args().draws
    rows = []
    for name, between in BETWEEN.items():
        for processes in (3, 5, 10):
            same = rates(between, processes=processes, draws=draws)
            other = rates(between, processes=processes, draws=draws, factor=1.2)
            naive = rates(between, processes=processes, draws=draws, as_one_process=True)
            alone = rates(between, processes=processes, draws=draws, only_one=True)
            rows.append([name, processes, *same, *alone, other[1], naive[1]])
    columns = ["between", "processes", "coverage", "false", "coverage, one varies"]
    columns += ["false, one varies", "finds 1.2", "false, in one process"]
    print(Table(columns, rows, formats=dict.fromkeys(columns[2:], "{:.1%}".format)))


if __name__ == "__main__":
    main()
