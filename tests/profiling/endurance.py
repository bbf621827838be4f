"""Sample random programs for long: generators, lambdas, exceptions, recursion beyond 100 frames.

    python tests/profiling/endurance.py SECONDS [outside|signals|watcher]

It ends with code 0 if neither the program nor its observer crashed, and every program answered as
without an observer.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator

from hpml.profiling import ProfilingError
from hpml.profiling.sampling import run, sample, signals


def numbers(n: int, depth: int) -> Iterator[int]:
    """Yield from generators inside generators."""
    if depth:
        yield from (value + 1 for value in numbers(n, depth - 1))
    else:
        yield from range(n)


def down(n: int, rng: random.Random) -> int:
    """Call itself `n` times, and sometimes raise at the end."""
    if n:
        return (lambda: down(n - 1, rng))() + 1
    if rng.random() < 0.5:
        raise KeyError(n)
    return 0


def abandoned(rng: random.Random) -> int:
    """Leave generators suspended, close some, throw into others."""
    open_ = [numbers(10, rng.randrange(5)) for _ in range(10)]
    total = sum(next(each) for each in open_)
    for each in open_:
        if rng.random() < 0.3:
            each.close()  # type: ignore[attr-defined]
        elif rng.random() < 0.3:
            try:
                each.throw(ValueError)  # type: ignore[attr-defined]
            except ValueError:
                total += 1
    return total


def program(seed: int, turns: int) -> int:
    """Run a random program; equal seeds give equal results."""
    rng, total = random.Random(seed), 0
    for _ in range(turns):
        kind = rng.randrange(5)
        if kind == 0:
            total += sum(numbers(rng.randrange(50), rng.randrange(10)))
        elif kind == 1:
            try:
                total += down(rng.choice([3, 30, 150, 300]), rng)
            except KeyError:
                total += 1
        elif kind == 2:
            total += abandoned(rng)
        elif kind == 3:
            total += max(range(rng.randrange(1, 100)), key=lambda n: n * n % 7)
        else:
            names: dict[str, int] = {}
            exec(f"def made(n):\n    return [n * k for k in range({rng.randrange(20)})]", names)
            total += sum(names["made"](3))  # type: ignore[operator]
    return total


def main(seconds: float) -> int:
    """Sample random programs, and return the number of samples."""
    end, seed, count = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end:
        turns = random.Random(seed).choice([1000, 10_000, 50_000])
        try:
            found = sample(program, seed, turns, interval=1e-3)
            count += found.count
            result = found.result
        except ProfilingError:  # too many unseen: a thread of this process may refuse
            result = None
        if result not in (None, program(seed, turns)):
            raise SystemExit(f"program {seed} answered differently")
        seed += 1
    print(f"Python {sys.version.split()[0]}: {seed} programs, {count:,} samples")
    return count


if __name__ == "__main__":
    if len(sys.argv) > 2:
        run.OBSERVERS = (getattr(run, sys.argv[2]).observe,)
        signals.survives = lambda: True  # which is what this program finds out
    main(float(sys.argv[1]))
