"""What operator timing costs and attributes: ``python -m tests.benchmarks.operator_timing``.

Ratios of medians of interleaved rounds, on 250 linear layers of width 4.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from hpml.base.tables import Table
from hpml.profiling import operator_timing
from hpml.symbolic import Input, SymbolicModel

LAYERS = 250
INPUT = torch.rand(4, 4)
Watch = Callable[[], contextlib.AbstractContextManager[Any]]


def symbolic(execution: str) -> SymbolicModel:
    x = inputs = Input(shape=(4,))
    for _ in range(LAYERS):
        x = nn.Linear(4, 4)(x)
    return SymbolicModel(inputs, x, execution=execution)


def seconds_under(watch: Watch, model: nn.Module) -> tuple[float, Any]:
    """Return the fastest of a few watched forwards; switching on and off is not counted."""
    with watch() as watching:
        for _ in range(3):  # look at the layers, start recorders
            model(INPUT)
        times = []
        for _ in range(7):
            start = time.perf_counter()
            model(INPUT)
            times.append(time.perf_counter() - start)
        return min(times), watching


def torch_profiler() -> Any:
    return torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])


def compare(model: nn.Module, rounds: int, *others: Watch) -> tuple[list[float], float]:
    """Return the time of each watched forward over the plain one, and the share attributed."""
    watches: list[Watch] = [contextlib.nullcontext, lambda: operator_timing(model), *others]
    times: list[list[float]] = [[] for _ in watches]
    shares = []
    for number in range(rounds):
        order = list(range(len(watches)))
        for which in order if number % 2 else reversed(order):
            taken, watching = seconds_under(watches[which], model)
            times[which].append(taken)
            if which == 1:
                last = watching.last
                shares.append(1 - last.by_operator["[Other]"] / last.total)
    plain, *watched = map(statistics.median, times)
    return [each / plain for each in watched], statistics.median(shares)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    os.environ["KINETO_LOG_LEVEL"] = "99"
    rows: list[list[object]] = []
    for grad in (False, True):
        with torch.set_grad_enabled(grad):
            for execution in ("codegen", "inlined"):
                (ratio,), share = compare(symbolic(execution), rounds)
                rows.append([execution, grad, ratio, share, None])
            other = nn.Sequential(*[nn.Linear(4, 4) for _ in range(LAYERS)])
            (ratio, profiler), share = compare(other, rounds, torch_profiler)
            rows.append(["Sequential", grad, ratio, share, (ratio - 1) / (profiler - 1)])
    columns = ["model", "gradients", "timed / untimed", "attributed", "overhead / torch.profiler's"]
    formats = {"timed / untimed": "{:.3f}".format, "attributed": "{:.2%}".format}
    print(Table(columns, rows, title=f"{LAYERS} layers, {rounds} rounds", formats=formats))


if __name__ == "__main__":
    main()
