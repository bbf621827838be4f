"""What the profilers of lab 09 found, beside the library's: a table, and a flame graph."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable, Mapping, Sequence

from hpml.base.page import Page
from hpml.base.tables import Table
from hpml.profiling.call_tree import short_name, tree_of_stacks
from hpml.profiling.icicle import icicle


def beside_cprofile(
    times: Sequence[Mapping[str, int] | None], program: Callable[[], object]
) -> Table:
    """Return what a student computed, in nanoseconds, beside the column `tottime` of `cProfile`.

    Of five runs of each the least time of a function counts: a pause of the system lengthens one.
    A student's times are None before the function is written.
    """
    yours = _least([one for one in times if one])
    own = _least([_tottimes(program) for _ in range(5)])
    rows: list[list[object]] = []
    whole, total = sum(yours.values()), sum(own.values())
    for name, seconds in sorted(own.items(), key=lambda item: -item[1])[:8]:
        ns = yours.get(name)
        share = ns / whole if ns is not None and whole else None
        rows.append([name, None if ns is None else ns / 1e6, share, 1e3 * seconds, seconds / total])
    shares = ["your share", "share"]
    ms = dict.fromkeys(["yours, ms", "tottime, ms"], "{:.2f}".format)
    return Table(
        ["function", "yours, ms", "your share", "tottime, ms", "share"],
        rows,
        formats=ms | dict.fromkeys(shares, "{:.1%}".format),
        code=True,
    )


def _tottimes(program: Callable[[], object]) -> dict[str, float]:
    profiler = cProfile.Profile()
    profiler.runcall(program)
    stats = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    return {
        short_name(key[2]).removeprefix("builtins."): entry[2]
        for key, entry in stats.items()
        if entry[2] and "_lsprof" not in key[2]
    }


def _least(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the least time of each function that is in all of the runs."""
    names = set.intersection(*map(set, runs)) if runs else set()
    return {name: min(run[name] for run in runs) for name in names}


def flame(samples: Mapping[tuple[str, ...], int]) -> Page:
    """Return the picture of sampled stacks: each function as wide as the samples it is in."""
    # The lambda that calls the program with its words is not part of it.
    named = [([name for name in stack if name != "<lambda>"], n) for stack, n in samples.items()]
    stacks = [(tuple((name, "") for name in stack), often) for stack, often in named]
    return icicle(tree_of_stacks(stacks), unit="samples")
