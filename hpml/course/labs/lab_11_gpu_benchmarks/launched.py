"""What a function would cost on a device that it sends many small operators to."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from hpml.base.tables import Table, readable
from hpml.course.suites.toy_resnet import published_fit
from hpml.profiling import simulate_launches, work_of

_READS = "_local_scalar_dense"
"""The operator behind `.item()`, `float(...)` and `if` on a tensor."""


def simulated(operations: Sequence[str], launch: float, kernel: float) -> float:
    """Return when the last of equal kernels ends, if the CPU waits at each reading of a value.

    >>> simulated(["add", "add"], 10, 4), simulated(["add", "_local_scalar_dense", "add"], 10, 4)
    (24.0, 38.0)
    """
    total, pending = 0.0, 0
    for name in operations:
        pending += 1
        if name == _READS:
            total += simulate_launches(launch, [kernel] * pending).total
            pending = 0
    return total + (simulate_launches(launch, [kernel] * pending).total if pending else 0)


def table_of(functions: Mapping[str, Callable[..., object]], *arguments: object) -> Table:
    """Count the launches and waits of functions, and simulate them with published times."""
    fit, rows = published_fit(), []
    small = min(fit.kernels)
    launch, kernel = 1e6 * fit.launch, 1e6 * fit.kernels[small]
    for name, function in functions.items():
        made = work_of(functools.partial(function, *arguments)).operations
        waits = made.count(_READS)
        rows.append([name, len(made), waits, simulated(made, launch, kernel) if made else None])
    caption = (
        f"Simulated: each operator is one launch of {readable(launch, 2)} µs and one kernel of "
        f"{readable(kernel, 2)} µs, from the published times of the toy ResNet at {small} pixels. "
        "A wait is a call of .item(), which waits for the queue. So does .tolist(), which is not "
        "counted."
    )
    formats = {"simulated, µs": "{:,.0f}".format}
    return Table(
        ["function", "operators", "of these, waits", "simulated, µs"],
        rows,
        caption=caption,
        formats=formats,
    )
