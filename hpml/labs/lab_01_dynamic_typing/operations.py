"""The same operations in Python, C, NumPy and torch, and every way to run one of them, timed.

A loop in Python takes whatever can be indexed: the very same function runs over a list, an array
and a tensor. That it can is dynamic typing; what it costs is lab 01.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base import style
from hpml.base.charts import Bar, bars
from hpml.base.errors import describe
from hpml.base.page import Page, picture
from hpml.benchmark import Comparison, compare
from hpml.course.errors import LabError

if TYPE_CHECKING:
    from hpml.labs.lab_01_dynamic_typing.compiled import CompiledLoops

SLOW_LOOP = 10_000
"""The largest size at which the loops over arrays and tensors are run: they take so long."""

_LOOP = "for (long long i = 0; i < n; i++)"
_ROLES = {
    "loop over a tensor": "compiled",
    "loop over an array": "lazy",
    "loop over a list": "handwritten",
    "torch call": "peer",
    "NumPy call": "sequential",
    "C loop": "codegen",
    "Numba loop": "codegen",
}


def add_loop(a: Any, b: Any, out: Any) -> None:
    """Write the sums of `a` and `b` into `out`, one after the other."""
    for i in range(len(a)):
        out[i] = a[i] + b[i]


def multiply_loop(a: Any, b: Any, out: Any) -> None:
    """Write the products into `out`."""
    for i in range(len(a)):
        out[i] = a[i] * b[i]


def root_loop(a: Any, b: Any, out: Any) -> None:
    """Write the square roots of `a` into `out`."""
    for i in range(len(a)):
        out[i] = math.sqrt(a[i])


def total_loop(a: Any, b: Any, out: Any) -> None:
    """Write the sum of `a` into the first place of `out`."""
    total = 0.0
    for i in range(len(a)):
        total = total + a[i]
    out[0] = total


@dataclass(frozen=True)
class Operation:
    """One operation in every form.

    Attributes:
        name: as it is called in C.
        c: the body of its loop in C, over ``a``, ``b``, ``out`` and ``n``.
        loop: the loop in Python, which Numba can compile as well.
        numpy: makes of the module and three arrays one vector call.
        torch: the same with tensors.
    """

    name: str
    c: str
    loop: Callable[[Any, Any, Any], None]
    numpy: Callable[..., Any]
    torch: Callable[..., Any]


OPERATIONS: dict[str, Operation] = {
    "a + b": Operation(
        "add",
        f"{_LOOP} out[i] = a[i] + b[i];",
        add_loop,
        lambda np, a, b, out: np.add(a, b, out=out),
        lambda torch, a, b, out: torch.add(a, b, out=out),
    ),
    "a * b": Operation(
        "multiply",
        f"{_LOOP} out[i] = a[i] * b[i];",
        multiply_loop,
        lambda np, a, b, out: np.multiply(a, b, out=out),
        lambda torch, a, b, out: torch.mul(a, b, out=out),
    ),
    "sqrt(a)": Operation(
        "root",
        f"{_LOOP} out[i] = sqrt(a[i]);",
        root_loop,
        lambda np, a, b, out: np.sqrt(a, out=out),
        lambda torch, a, b, out: torch.sqrt(a, out=out),
    ),
    "sum of a": Operation(
        "total",
        f"double sum = 0; {_LOOP} sum += a[i]; out[0] = sum;",
        total_loop,
        lambda np, a, b, out: np.add.reduce(a),
        lambda torch, a, b, out: torch.sum(a),
    ),
}


def ways(operation: str, n: int, compiled: CompiledLoops) -> dict[str, Callable[[], object]]:
    """Return every way to do an operation on `n` numbers of float64, as calls without arguments.

    All of them write into room that is there already, so that none is charged for memory.

    Raises:
        LabError: if there is no such operation.
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


def measure_ways(
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
        (name, n): measure_ways(name, n, compiled, rounds=rounds, min_sample_time=3e-4)
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
