"""Nanoseconds for each element: every way to run one operation, measured in the same rounds."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpml.base import style
from hpml.base.page import Page, picture
from hpml.base.tables import Table
from hpml.benchmark import Comparison, compare
from hpml.labs.lab_01_dynamic_typing.compiled import CompiledLoops
from hpml.labs.lab_01_dynamic_typing.loops import OPERATIONS, SLOW_LOOP, ways

__all__ = ["Times", "draw_times", "measure_ways", "times_by_choice"]

_ROLES = {
    "loop over a tensor": "compiled",
    "loop over an array": "lazy",
    "loop over a list": "handwritten",
    "torch call": "peer",
    "NumPy call": "sequential",
    "C loop": "codegen",
    "Numba loop": "codegen",
}


@dataclass(frozen=True)
class Times:
    """How long each way takes for one element.

    Attributes:
        operation: one of ``OPERATIONS``.
        n: how many elements.
        comparison: the ways, in seconds a call on all of them.
    """

    operation: str
    n: int
    comparison: Comparison

    @property
    def names(self) -> tuple[str, ...]:
        """The ways that were measured."""
        return self.comparison.names

    def per_element(self, way: str) -> float:
        """Return the median time for one element, in seconds."""
        return self.comparison[way].median / self.n

    def as_text(self, way: str) -> str:
        """Return the median time for one element as text, in ns."""
        return f"{_three(1e9 * self.per_element(way))} ns"

    @property
    def table(self) -> Table:
        """Median and quartiles in ns for each element, and as a multiple of the fastest."""
        fastest = min(map(self.per_element, self.names))
        rows = []
        for way in self.names:
            low, middle, high = (1e9 * t / self.n for t in self.comparison[way].quartiles)
            rows.append([way, middle, low, high, self.per_element(way) / fastest])
        return Table(
            ["way", "ns per element", "25 %", "75 %", "times the fastest"],
            rows,
            title=f"{self.operation}, {self.n:,} element{'' if self.n == 1 else 's'}",
            formats={
                **dict.fromkeys(["ns per element", "25 %", "75 %"], _three),
                "times the fastest": lambda ratio: f"{ratio:,.1f}",
            },
        )

    def __str__(self) -> str:
        return str(self.table)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def measure_ways(
    operation: str,
    n: int,
    compiled: CompiledLoops,
    *,
    rounds: int = 15,
    min_sample_time: float = 2e-3,
    slow: bool | None = None,
) -> Times:
    """Measure every way to do an operation on `n` numbers, on one thread.

    Args:
        operation: one of `OPERATIONS`.
        n: how many numbers.
        compiled: the compiled loops.
        rounds: of the comparison.
        min_sample_time: seconds that a sample should last.
        slow: as for `ways`.
    """
    found = compare(
        ways(operation, n, compiled, slow=slow),
        baseline="loop over a list",
        rounds=rounds,
        min_sample_time=min_sample_time,
    )
    return Times(operation, n, found)


def times_by_choice(
    sizes: Sequence[int], compiled: CompiledLoops, *, rounds: int = 6
) -> Mapping[tuple[str, int], Times]:
    """Measure every operation at every size, for a picture that is chosen from.

    Few rounds and short samples: here orders of magnitude are compared.
    """
    measured = functools.partial(
        measure_ways, compiled=compiled, rounds=rounds, min_sample_time=3e-4
    )
    return {(name, n): measured(name, n) for name in OPERATIONS for n in sizes}


def draw_times(times: Times, limits: tuple[float, float] | None = None) -> Page:
    """Draw ns per element as bars on a logarithmic axis.

    Args:
        times: what was measured.
        limits: of the axis, in ns, so that several pictures can be compared; by default it fits.
    """
    names = list(times.names)
    middles = [1e9 * times.per_element(name) for name in names]
    lower, upper = limits or (0.4 * min(middles), 6 * max(middles))
    fig, ax = style.figure(width=7.6, height=3.6)
    with style.apply():
        for row, (name, middle) in enumerate(zip(names, middles, strict=True)):
            low, _, high = (1e9 * t / times.n for t in times.comparison[name].quartiles)
            colour = style.PALETTE[_ROLES[name]]
            ax.barh(row, max(middle - lower, 0), left=lower, height=0.66, color=colour)
            ax.plot([low, high], [row, row], color=style.PALETTE["ink"], linewidth=1.4)
            ax.text(max(middle, high) * 1.15, row, times.as_text(name), va="center", fontsize=9)
        ax.set_xscale("log")
        ax.set_xlim(lower, upper)
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.grid(visible=False, axis="y")
        ax.tick_params(axis="y", length=0)
    title = f"{times.operation}, {times.n:,} element{'' if times.n == 1 else 's'} of float64"
    style.finish(ax, title=title, x="ns per element (each line to the right: ten times)", y="")
    text = _told(times)
    style.caption(fig, text)
    return picture(fig, text, after="")


def _told(times: Times) -> str:
    slowest = max(times.names, key=times.per_element)
    fastest = min(times.names, key=times.per_element)
    ratio = times.comparison.ratio(slowest, fastest).value
    text = (
        f"Fastest: {fastest}, {times.as_text(fastest)} for each element; slowest: {slowest}, "
        f"{times.as_text(slowest)}, {ratio:,.0f} times as much. Median of "
        f"{times.comparison.rounds} rounds; the line at a bar's end is the 25–75 % band."
    )
    if times.n > SLOW_LOOP and "loop over a tensor" not in times.names:
        text += f" Loops over array and tensor are measured up to {SLOW_LOOP:,} elements only."
    return text


def _three(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
