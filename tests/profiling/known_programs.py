"""Programs of known truth: in each, `heavy` does the work of a loop and `light` does none.

Also a program, without pytest, so that it runs on any Python that has hpml on its path:
    python tests/profiling/known_programs.py
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import os
import re
import statistics
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from hpml.profiling.sampling import Samples, sample

Work = Callable[[], object]


def light() -> None:
    """Do nothing."""


def with_heavy(source: str, **names: object) -> Work:
    """Return a function named `heavy` whose body is one statement, with these globals."""
    found: dict[str, Any] = dict(names)
    body = "\n    ".join(source.splitlines())
    exec(compile(f"def heavy():\n    {body}", f"<{source.splitlines()[0]}>", "exec"), found)
    heavy: Work = found["heavy"]
    return heavy


def holding_the_lock() -> dict[str, Work]:
    numbers, text, big = list(range(3000)), "abc" * 5000, 3**4000
    words = [f"w{n}" for n in range(1500)]
    table = dict.fromkeys(range(2000), 0)
    return {
        "x in list": with_heavy("'none' in words", words=words),
        "x in str": with_heavy("'abd' in text", text=text),
        "int * int": with_heavy("big * big", big=big),
        "int % int": with_heavy("big ** 2 % divisor", big=big, divisor=7**2000),
        "int // int": with_heavy("big // divisor", big=big, divisor=7**1000),
        "set & set": with_heavy("first & second", first={*numbers}, second={*numbers}),
        "list + list": with_heavy("numbers + numbers", numbers=numbers * 3),
        "list == list": with_heavy("numbers == others", numbers=numbers * 9, others=numbers * 9),
        "dict | dict": with_heavy("table | table", table=table),
        "slice of a list": with_heavy("numbers[1:]", numbers=numbers * 5),
        "f-string": with_heavy("f'{numbers}'", numbers=numbers[:500]),
        "sorted": with_heavy("sorted(words)", words=words[::-1]),
        "sum": with_heavy("sum(numbers)", numbers=numbers),
        "re.search": with_heavy("search('(a|b)+d', text)", search=re.search, text="ab" * 300),
        "arithmetic without a call": with_heavy("\n".join(["x = n * n + n % 7"] * 200), n=12345),
        "a loop": with_heavy("for n in range(1000):\n    n * n"),
        "a generator": with_heavy("sum(n * n for n in range(500))"),
        "a comprehension": with_heavy("[n * n for n in range(500)]"),
        "exceptions": with_heavy(
            "for _ in range(50):\n    try:\n        {}['a']\n    except KeyError:\n        pass"
        ),
        "json.dumps": with_heavy("dumps(numbers)", dumps=json.dumps, numbers=numbers[:500]),
        "copy.deepcopy": with_heavy(
            "deepcopy(rows)", deepcopy=copy.deepcopy, rows=[[n] for n in range(300)]
        ),
    }


def releasing_the_lock() -> dict[str, Work]:
    lock = threading.Lock()
    lock.acquire()
    reader, writer = os.pipe()
    data = os.urandom(20_000)
    return {
        "time.sleep": with_heavy("sleep(0.0005)", sleep=time.sleep),
        "waiting for a lock": with_heavy("lock.acquire(timeout=0.0005)", lock=lock),
        "reading from a pipe": with_heavy(
            "for _ in range(50):\n    write(writer, b'x')\n    read(reader, 1)",
            write=os.write, read=os.read, writer=writer, reader=reader,
        ),
        "zlib.compress": with_heavy("compress(data)", compress=zlib.compress, data=data),
        "hashlib.sha256": with_heavy("sha(data)", sha=hashlib.sha256, data=data * 10),
    }  # fmt: skip


def of_libraries() -> dict[str, Work]:
    found: dict[str, Work] = {}
    with contextlib.suppress(ImportError):
        import numpy as np

        matrix, many = np.ones((100, 100)), np.random.default_rng(0).random(20_000)
        found["numpy.dot"] = with_heavy("dot(matrix, matrix)", dot=np.dot, matrix=matrix)
        found["numpy.sort"] = with_heavy("sort(many)", sort=np.sort, many=many)
        found["numpy.exp"] = with_heavy("exp(many)", exp=np.exp, many=many)
    with contextlib.suppress(ImportError):
        import numba

        def total(n: int) -> float:
            result = 0.0
            for i in range(n):
                result += (i % 7) ** 0.5
            return result

        holding, releasing = numba.njit(total), numba.njit(nogil=True)(total)
        holding(1), releasing(1)
        found["Numba"] = with_heavy("kernel(20000)", kernel=holding)
        found["Numba, nogil"] = with_heavy("kernel(20000)", kernel=releasing)
    with contextlib.suppress(ImportError):
        import torch

        square, row = torch.rand(150, 150), torch.rand(64)
        net = torch.nn.Linear(64, 64)
        found["torch: a @ b"] = with_heavy("square @ square", square=square)
        found["torch: small operators"] = with_heavy("for _ in range(20):\n    row + row", row=row)
        found["torch: a module, backward"] = with_heavy(
            "net(row).sum().backward()", net=net, row=row
        )
    return found


def operations() -> dict[str, Work]:
    """Return the functions `heavy`, by what they do."""
    return holding_the_lock() | releasing_the_lock() | of_libraries()


def loop(heavy: Work, seconds: float) -> None:
    """Call `heavy` and `light` in turn."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for _ in range(10):
            heavy()
            light()


class Shares(NamedTuple):
    """The shares of a run in each function, with the functions that it calls."""

    heavy: float
    light: float


def truth(heavy: Work, seconds: float) -> Shares:
    """Return the shares by the clock, from medians: other programs interrupt single calls."""
    clock = time.perf_counter
    times: list[tuple[float, float, float]] = []
    end = clock() + seconds
    last = clock()
    while last < end:
        for _ in range(10):
            start = clock()
            heavy()
            middle = clock()
            light()
            stop = clock()
            times.append((middle - start, stop - middle, stop - last))
            last = stop
    first, second, whole = (statistics.median(each) for each in zip(*times, strict=True))
    return Shares(first / whole, second / whole)


def shares(found: Samples) -> Shares:
    """Return the shares of a sampled loop."""
    total: dict[str, float] = {}
    for _, frame in found.tree.walk():
        total[frame.name] = total.get(frame.name, 0.0) + frame.total
    return Shares(*(total.get(name, 0.0) / found.tree.total for name in Shares._fields))


def measured(heavy: Work, samples: int, interval: float = 1e-3) -> tuple[Shares, Samples]:
    """Return the true shares of a loop, and its samples."""
    heavy()
    true = truth(heavy, 0.3)
    return true, sample(loop, heavy, 1.5 * samples * interval, interval=interval)


def error(true: Shares, found: Samples) -> float:
    """Return by how many percentage points a share is off, beyond what the samples leave open."""
    seen, most = shares(found), 0.0
    for share, lowest in zip(true, seen, strict=True):
        most = max(most, lowest - share, share - (lowest + found.unseen))
    return 100 * most


# Two functions that sleep equally long, in step with any regular timer.
def first_half() -> None:
    time.sleep(0.001)


def second_half() -> None:
    time.sleep(0.001)


def in_step(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        first_half()
        second_half()


def half(found: Samples) -> float:
    """Return the share of `first_half`."""
    own = {frame.name: frame.total for _, frame in found.tree.walk()}
    return own["first_half"] / found.tree.total


def main() -> Iterator[str]:
    from hpml.profiling import ProfilingError
    from hpml.profiling.sampling import run

    if len(sys.argv) > 1:  # one observer only: outside, signals or watcher
        run.OBSERVERS = (getattr(run, sys.argv[1]).observe,)
        run.signals.survives = lambda: True
    yield f"Python {sys.version.split()[0]}"
    refused = wrong = 0
    for name, heavy in operations().items():
        try:
            true, found = measured(heavy, 1500)
        except ProfilingError:
            refused += 1
            yield f"{name:26} refused"
            continue
        seen, off = shares(found), error(true, found)
        wrong += off > 3
        yield (
            f"{name:26} heavy {true.heavy:6.1%} {seen.heavy:6.1%}  light {true.light:5.1%} "
            f"{seen.light:5.1%}  unseen {found.unseen:5.1%}  {found.count:5} samples"
            f"{'  WRONG' if off > 3 else ''}"
        )
    found = sample(in_step, 4.0, interval=2e-3)
    yield f"{'in step with a loop':26} first  50.0% {half(found):6.1%}  {found.count} samples"
    yield f"taken by: {found.observer}"
    yield f"{len(operations()) + 1} operations, {refused} refused, {wrong} wrong"


if __name__ == "__main__":
    for line in main():
        print(line, flush=True)
