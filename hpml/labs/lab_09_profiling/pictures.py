"""What the profilers of lab 09 found, beside the library's: a table, and a flame graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hpml.base.page import Page
from hpml.base.tables import Table
from hpml.profiling import profile
from hpml.profiling.call_tree import short_name, tree_of_stacks
from hpml.profiling.icicle import icicle


def beside_cprofile(times: Mapping[str, int] | None, program: Callable[[], object]) -> Table:
    """Return what a student computed, in nanoseconds, beside the column `tottime` of `cProfile`.

    A student's times are None before the function is written; of five profiles the fastest counts.
    """
    found = min((profile(program) for _ in range(5)), key=lambda one: one.seconds)
    own = {
        short_name(key[2]).removeprefix("builtins."): e[2]
        for key, e in found.stats.items()
        if e[2] and "_lsprof" not in key[2]
    }
    whole = sum((times or {}).values())
    rows: list[list[object]] = []
    for name, seconds in sorted(own.items(), key=lambda item: -item[1])[:8]:
        yours = (times or {}).get(name)
        share = yours / whole if yours is not None and whole else None
        rows.append([name, None if yours is None else yours / 1e6, share,
                     1e3 * seconds, seconds / found.seconds])  # fmt: skip
    shares = ["your share", "share"]
    ms = dict.fromkeys(["yours, ms", "tottime, ms"], "{:.2f}".format)
    return Table(
        ["function", "yours, ms", "your share", "tottime, ms", "share"],
        rows,
        formats=ms | dict.fromkeys(shares, "{:.1%}".format),
        code=True,
    )


def flame(samples: Mapping[tuple[str, ...], int]) -> Page:
    """Return the picture of sampled stacks: each function as wide as the samples it is in."""
    # The lambda that calls the program with its words is not part of it.
    named = [([name for name in stack if name != "<lambda>"], n) for stack, n in samples.items()]
    stacks = [(tuple((name, "") for name in stack), often) for stack, often in named]
    return icicle(tree_of_stacks(stacks), unit="samples")
