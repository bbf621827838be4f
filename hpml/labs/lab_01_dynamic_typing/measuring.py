"""Every way to run one operation, timed and drawn."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from hpml.base import style
from hpml.base.errors import describe
from hpml.base.old_charts import Bar, bars
from hpml.base.page import Page, picture
from hpml.benchmark import Comparison, compare
from hpml.course.errors import LabError
from hpml.labs.lab_01_dynamic_typing.compiled import CompiledLoops
from hpml.labs.lab_01_dynamic_typing.operations import OPERATIONS

SLOW_LOOP = 10_000
"""The largest size at which the loops over arrays and tensors are run: they take so long."""

_ROLES = {
    "loop over a tensor": "compiled",
    "loop over an array": "lazy",
    "loop over a list": "handwritten",
    "torch call": "peer",
    "NumPy call": "sequential",
    "C loop": "codegen",
    "Numba loop": "codegen",
}


def ways(operation: str, n: int, compiled: CompiledLoops) -> dict[str, Callable[[], object]]:
    """Return every way to do an operation on `n` numbers of float64, as calls without arguments.

    All of them write into room that is there already, so that none is charged for memory.
    """
    import numpy as np
    import torch

    if operation not in OPERATIONS:
        raise LabError(f"Expected one of {', '.join(OPERATIONS)}, got {describe(operation)}.")
    forms = OPERATIONS[operation]
    generator = np.random.default_rng(1)
    arrays = [generator.random(n) + 0.5 for _ in range(2)] + [np.zeros(n)]
    tensors = [torch.from_numpy(array.copy()) for array in arrays]
    lists = [array.tolist() for array in arrays]
    found: dict[str, Callable[[], object]] = {}
    if n <= SLOW_LOOP:
        found["loop over a tensor"] = functools.partial(forms.loop, *tensors)
        found["loop over an array"] = functools.partial(forms.loop, *[a.copy() for a in arrays])
    found["loop over a list"] = functools.partial(forms.loop, *lists)
    found["torch call"] = functools.partial(forms.torch, torch, *tensors)
    found["NumPy call"] = functools.partial(forms.numpy, np, *arrays)
    found[compiled.name] = compiled.run(forms.name, *[a.copy() for a in arrays])
    return found


def measure_loops(
    operation: str,
    n: int,
    compiled: CompiledLoops,
    *,
    rounds: int = 15,
    min_sample_time: float = 2e-3,
    only: Sequence[str] | None = None,
) -> Comparison:
    """Measure the ways to do an operation on `n` numbers, in seconds for each of them.

    Args:
        operation: one of `OPERATIONS`.
        n: how many numbers.
        compiled: the compiled loops.
        rounds: of the comparison.
        min_sample_time: seconds that a sample should last.
        only: which ways; by default all that the size allows.
    """
    found = ways(operation, n, compiled)
    chosen = found if only is None else {name: found[name] for name in only}
    run = compare(
        chosen,
        baseline="loop over a list",
        rounds=rounds,
        min_sample_time=min_sample_time,
    )
    return run.per(n)


def times_by_choice(
    sizes: Sequence[int], compiled: CompiledLoops, *, rounds: int = 6
) -> Mapping[tuple[str, int], Comparison]:
    """Measure every operation at every size, in few rounds: orders of magnitude are compared."""
    return {
        (name, n): measure_loops(name, n, compiled, rounds=rounds, min_sample_time=3e-4)
        for name in OPERATIONS
        for n in sizes
    }


def draw_times(
    times: Comparison, operation: str, n: int, limits: tuple[float, float] | None = None
) -> Page:
    """Draw ns per element as bars on a logarithmic axis.

    Args:
        times: what was measured, in seconds per element.
        operation: which operation.
        n: how many elements.
        limits: of the axis, in ns, so that several pictures can be compared; by default it fits.
    """
    middles = [1e9 * found.median for found in times]
    lower, upper = limits or (0.4 * min(middles), 6 * max(middles))
    fig, ax = style.figure(width=7.6, height=3.6)
    rows = []
    for name, middle in zip(times.names, middles, strict=True):
        low, _, high = (1e9 * time for time in times[name].quartiles)
        part = max(middle - lower, 0), style.PALETTE[_ROLES[name]]
        rows.append(Bar(name, [part], nanoseconds(middle), (low, high), lower))
    with style.apply():
        ax.set_xscale("log")
        ax.set_xlim(lower, upper)
    bars(ax, rows)
    title = f"{operation}, {n:,} element{'' if n == 1 else 's'} of float64"
    style.finish(ax, title=title, x="ns per element (each line to the right: ten times)", y="")
    slowest = max(times, key=lambda found: found.median)
    fastest = min(times, key=lambda found: found.median)
    factor = float(f"{slowest.median / fastest.median:.2g}")
    text = (
        f"Fastest: {fastest.name}, {nanoseconds(1e9 * fastest.median)} for each element; slowest: "
        f"{slowest.name}, {nanoseconds(1e9 * slowest.median)}, about {factor:,.0f} times as much. "
        f"Median of {times.rounds} rounds; the line at a bar's end is the 25–75 % band."
    )
    if n > SLOW_LOOP:
        text += f" Loops over array and tensor are measured up to {SLOW_LOOP:,} elements only."
    style.caption(fig, text)
    return picture(fig, text, after="")


def nanoseconds(value: float) -> str:
    """Return nanoseconds as text.

    >>> nanoseconds(0.3345), nanoseconds(11029.0)
    ('0.335 ns', '11,029 ns')
    """
    return f"{value:,.0f} ns" if value >= 100 else f"{value:.3g} ns"
