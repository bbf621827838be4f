"""The profilers behind one interface, and comparisons of their results and memory."""

from __future__ import annotations

import cProfile
import gc
import math
import os
import tracemalloc
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hpml import profiling
from hpml.base.operator_times import OperatorTimes
from hpml.base.optional import why_unavailable
from hpml.base.page import Page, put, say
from hpml.base.tables import Table
from hpml.benchmark import Estimate
from hpml.benchmark.estimate import estimate
from hpml.profiling.call_tree import CallTree, short_name, tree_of_stacks
from hpml.profiling.icicle import icicle

Profiler = Callable[[Callable[[], object]], Any]


def _under(kind: Callable[[], Any]) -> Profiler:
    def collect(run: Callable[[], object]) -> Any:
        profiler = kind()
        profiler.runcall(run)
        return profiler

    return collect


def _pyinstrument(run: Callable[[], object]) -> Any:
    from pyinstrument import Profiler

    with Profiler(interval=1e-3, async_mode="disabled") as profiler:
        run()
    return profiler.last_session


def library_profilers() -> dict[str, Profiler]:
    """Return cProfile, and pyinstrument if it works, by name."""
    found = {"cProfile": _under(cProfile.Profile)}
    return found if why_unavailable("pyinstrument") else found | {"pyinstrument": _pyinstrument}


def kept_bytes(profilers: Mapping[str, Profiler], run: Callable[[], object]) -> dict[str, int]:
    """Return the bytes of each profiler's result after a run, counted by `tracemalloc`."""
    found = {}
    for name, profiler in profilers.items():
        profiler(run)  # uncounted, because a first call also creates other objects
        gc.collect()
        tracemalloc.start()
        try:
            result = profiler(run)
            found[name] = tracemalloc.get_traced_memory()[0]
            del result
        finally:
            tracemalloc.stop()
    return found


def beside_cprofile(
    times: Sequence[Mapping[str, int] | None], program: Callable[[], object]
) -> Table:
    """Return the student's times, in nanoseconds, next to the column `tottime` of `cProfile`."""
    yours = _least([one for one in times if one])
    own = _least([_tottimes(program) for _ in range(5)])
    rows: list[list[object]] = []
    full, total = sum(yours.values()), sum(own.values())
    for name, seconds in sorted(own.items(), key=lambda item: -item[1])[:8]:
        ns = yours.get(name)
        found = (None, None) if ns is None else (ns / 1e6, ns / (full or 1))
        rows.append([name, *found, 1e3 * seconds, seconds / total])
    columns = ["function", "yours, ms", "your share", "tottime, ms", "share"]
    formats = dict(zip(columns[1:], ["{:.2f}".format, "{:.1%}".format] * 2, strict=True))
    return Table(columns, rows, formats=formats, code=True)


def _tottimes(program: Callable[[], object]) -> dict[str, float]:
    return {
        short_name(name).removeprefix("builtins."): entry[2]
        for (_, _, name), entry in profiling.profile(program).stats.items()
        if entry[2] and "_lsprof" not in name
    }


def _least(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = set.intersection(*map(set, runs)) if runs else set()
    return {name: min(run[name] for run in runs) for name in names}


def sampled(run: Callable[[], object], interval: float = 1e-3) -> profiling.Samples | None:
    """Return samples of a run; where this machine allows no honest sampler, say why."""
    try:
        return profiling.sample(run, interval=interval)
    except profiling.ProfilingError as reason:
        put(say(f"**No samples here.** {reason}"), uuid.uuid4().hex)
        return None


def own_times(samples: profiling.Samples, names: Sequence[str]) -> Counter[str]:
    """Return the own seconds of the heaviest function of each name."""
    places: Counter[tuple[str, str]] = Counter()
    for _, frame in samples.tree.walk():
        if frame.name in names:
            places[frame.name, frame.place] += frame.own  # type: ignore[assignment]
    found: Counter[str] = Counter()
    for (name, _), seconds in places.items():
        found[name] = max(found[name], seconds)
    return found


def share_of(samples: profiling.Samples, name: str) -> Estimate:
    """Return the share of the samples in which functions of a name are on the stack.

    The interval is Wilson's for a share of independent draws, with 95 %.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22, 1927.
    """
    share, count, z = _seconds(samples.tree, name) / samples.tree.total, samples.count, 1.96
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    reach = z * math.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2)
    reach /= 1 + z * z / count
    return Estimate(share, middle - reach, middle + reach)


def typical_run(runs: Sequence[OperatorTimes], operator: str) -> tuple[OperatorTimes, Estimate]:
    """Return the run with the median share of an operator, and that share with its interval."""
    shares = [run.by_operator.get(operator, 0) / run.total for run in runs]
    order = sorted(range(len(runs)), key=shares.__getitem__)
    return runs[order[len(runs) // 2]], estimate(shares)


def silence_torch_profiler() -> None:
    """Switch off the log lines of PyTorch's tracing library in this process, before its first use.

    It prints them beside the output of a cell.
    """
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")


def share_within(recorded: Any, operator: str, part: str) -> Estimate:
    """Return an operator's share of the time of a named part, over the steps `torch.profiler` kept.

    An operator inside another call of itself would count twice.
    """
    events = recorded.events()
    calls = [event.time_range for event in events if event.name == operator]
    shares = []
    for whole in (event.time_range for event in events if event.name == part):
        inside = [call for call in calls if whole.start <= call.start < whole.end]
        shares.append(sum(call.elapsed_us() for call in inside) / whole.elapsed_us())
    return estimate(shares)


def _seconds(tree: CallTree, name: str) -> float:
    """Return the seconds below functions of a name; a recursive call counts once."""
    return sum(
        child.total if child.name == name else _seconds(child, name) for child in tree.children
    )


def beside_the_handler(
    by_handler: Mapping[tuple[str, ...], int] | None,
    samples: profiling.Samples | None,
    traced: profiling.FunctionProfile,
) -> Table:
    """Return the shares of three functions by a handler, by `sample` and by `cProfile`."""
    names = ("known", "clean", "count")
    rows: list[list[object]] = []
    for name in names:
        handled = outside = None
        if by_handler is not None:
            total = sum(by_handler.values())
            own = sum(n for stack, n in by_handler.items() if stack and stack[-1] == name)
            handled = own / total if total else None
        if samples is not None:
            outside = own_times(samples, names)[name] / samples.tree.total
        own_seconds = sum(entry[2] for (_, _, key), entry in traced.stats.items() if key == name)
        rows.append([name, handled, outside, own_seconds / traced.seconds])
    columns = ["own time of", "handler in Python", "sample", "cProfile"]
    return Table(columns, rows, formats=dict.fromkeys(columns[1:], "{:.0%}".format), code=True)


def flame(samples: Mapping[tuple[str, ...], int]) -> Page:
    """Draw sampled stacks as a flame graph: a box is as wide as its stack has samples."""
    # The lambda that calls the program is not part of it.
    named = [([name for name in stack if name != "<lambda>"], n) for stack, n in samples.items()]
    stacks = [(tuple((name, "") for name in stack), count) for stack, count in named]
    return icicle(tree_of_stacks(stacks), unit="samples")
