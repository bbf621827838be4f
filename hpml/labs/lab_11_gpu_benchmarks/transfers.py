"""Batches that are copied to a device and computed there: who waits, and what overlaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hpml.base import style
from hpml.base.errors import describe
from hpml.base.old_charts import Bar, bars, span_parts
from hpml.base.page import Page, picture
from hpml.course.errors import LabError
from hpml.labs.lab_11_gpu_benchmarks.device import AsyncDevice, Mark

WAYS = ("pageable", "pinned", "pinned, two queues")


@dataclass(frozen=True)
class Pipeline:
    """When batches were copied and computed, in ms; and how long the program was held for it."""

    copies: tuple[tuple[float, float], ...]
    computed: tuple[tuple[float, float], ...]
    held: float

    @property
    def total(self) -> float:
        """The end of the last batch."""
        return self.computed[-1][1]


def pipeline(way: str, batches: int, copy: float, compute: float) -> Pipeline:
    """Copy and compute batches on a device of threads, in real time, and say when each ran.

    Args:
        way: one of `WAYS`. From pageable memory the driver waits for the queue, then holds the
            program until the data are copied. From pinned memory the program goes on at once, and
            in a queue of its own a copy does not even wait for the computation before it.
        batches: how many.
        copy, compute: seconds for each of them.
    """
    if way not in WAYS:
        raise LabError(f"pipeline expects one of {'; '.join(WAYS)}, got {describe(way)}.")
    copying, computing = AsyncDevice(), AsyncDevice()
    done: Mark | None = None
    start = computing.clock()
    for _ in range(batches):
        if way == "pageable":
            computing.synchronize()
        arrived = copying.launch(copy, after=done if way == "pinned" else None)
        if way == "pageable":
            copying.synchronize()
        done = computing.launch(compute, after=arrived)
    held = 1e3 * (computing.clock() - start)
    computing.synchronize()
    return Pipeline(copying.since(start).kernels, computing.since(start).kernels, held)


def draw_pipelines(ways: Mapping[str, Pipeline]) -> Page:
    """Draw when batches were copied and computed, each way from its own beginning."""
    fig, ax = style.figure(width=9.4, height=1.2 + 0.8 * len(ways))
    rows, told = [], []
    for way, found in ways.items():
        rows.append(Bar(f"{way}: copy", span_parts(found.copies, "sequential")))
        rows.append(Bar("compute", span_parts(found.computed, "accent"), f"{found.total:.0f} ms"))
        told.append(f"{way}: {found.total:.0f} ms, the program held for {found.held:.0f} ms")
    bars(ax, rows)
    ax.set_xlim(0, 1.12 * max(found.total for found in ways.values()))
    style.finish(ax, title="Copying and computing batches", x="ms", y="")
    return picture(fig, "; ".join(told) + ".")
