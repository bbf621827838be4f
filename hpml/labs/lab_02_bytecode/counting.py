"""Instructions executed against time taken, for pairs of ways to write one function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from hpml.base import style
from hpml.base.errors import describe
from hpml.base.old_charts import name_rows
from hpml.base.page import Page, picture
from hpml.base.tables import Table
from hpml.benchmark import Ratio, compare
from hpml.bytecode import Machine, count_instructions
from hpml.course.errors import LabError

MOMENT = 3e-4
"""Seconds that a sample of a small function should last: many short samples rather than few long
ones, so that most of them are over before the operating system looks after another program."""


@dataclass(frozen=True)
class Pair:
    """Two ways to write one function, counted and timed on the same arguments.

    Attributes:
        name: of the pair.
        counts: instructions that each executed.
        ratio: time of the second as a multiple of the first's.
    """

    name: str
    counts: tuple[int, int]
    ratio: Ratio

    @property
    def count_ratio(self) -> float:
        """Instructions of the second as a multiple of the first's."""
        return self.counts[1] / self.counts[0]

    @property
    def in_words(self) -> str:
        """Both ratios, for a line of a table; of a time that cannot be told, just that."""
        told = self.ratio.answer != "cannot tell"
        time = f"{self.ratio.value:.2g} × the time" if told else "of the time it cannot tell"
        return f"{self.count_ratio:.2g} × the instructions, {time}"

    @property
    def disagreement(self) -> float:
        """By what factor count and time disagree; 1 is not at all."""
        quotient = self.ratio.value / self.count_ratio
        return max(quotient, 1 / quotient)


@dataclass(frozen=True)
class CountsAndTimes:
    """Pairs of ways, as a table and as a picture."""

    pairs: tuple[Pair, ...]

    def __getitem__(self, name: str) -> Pair:
        return next(pair for pair in self.pairs if pair.name == name)

    @property
    def table(self) -> Table:
        """Instructions of both, their ratio, and the ratio of the times with its interval."""
        rows = [
            [
                pair.name,
                *pair.counts,
                _written(pair.count_ratio),
                _written(pair.ratio.value),
                f"{_written(pair.ratio.low)} – {_written(pair.ratio.high)}",
                pair.ratio.answer,
            ]
            for pair in self.pairs
        ]
        columns = ["from → to", "instructions", "afterwards", "count ×", "time ×", "95 %", "so"]
        commas = dict.fromkeys(["instructions", "afterwards"], lambda n: f"{n:,}")
        return Table(columns, rows, formats=commas, align=["left", *["right"] * 5, "left"])

    def draw(self) -> Page:
        """Draw for each pair what was left of the instructions, and of the time."""
        fig, ax = style.figure(width=7.6, height=1.5 + 0.62 * len(self.pairs))
        colours = style.PALETTE["handwritten"], style.PALETTE["accent"]
        with style.apply():
            for row, pair in enumerate(self.pairs):
                values = pair.count_ratio, pair.ratio.value
                ax.plot(values, [row, row], color=style.PALETTE["muted"], lw=1.2, zorder=1)
                ax.plot([pair.ratio.low, pair.ratio.high], [row, row], color=colours[1], lw=4)
                # A number stands outside of both marks, and of the interval of the time.
                ends = {-1: min(*values, pair.ratio.low), 1: max(*values, pair.ratio.high)}
                sides = (-1, 1) if values[0] <= values[1] else (1, -1)
                for value, side, colour, mark in zip(values, sides, colours, "so", strict=True):
                    ax.plot([value], [row], mark, ms=8, color=colour)
                    ax.annotate(
                        _written(value),
                        (ends[side], row),
                        xytext=(9 * side, 0),
                        textcoords="offset points",
                        ha="right" if side < 0 else "left",
                        va="center",
                        fontsize=9,
                        color=colour,
                    )
            every = [x for p in self.pairs for x in (p.count_ratio, p.ratio.low, p.ratio.high)]
            ax.axvline(1, color=style.PALETTE["muted"], lw=1, ls="--", zorder=0)
            ax.set(xscale="log", xlim=(min(every) / 3, max(*every, 1) * 3))
            name_rows(ax, [pair.name for pair in self.pairs])
            ax.plot([], [], "s", color=colours[0], label="instructions executed")
            ax.plot([], [], "o", color=colours[1], label="time, with its 95 % interval")
        x = "the second way as a multiple of the first"
        style.finish(ax, title="What was left of it", x=x, y="")
        text = "The longer the grey line between square and circle, the worse the count guessed."
        style.caption(fig, text)
        return picture(fig, text)


def count_and_time(
    pairs: Mapping[str, tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]],
    *,
    rounds: int = 75,
) -> CountsAndTimes:
    """Count the instructions of both functions of each pair, and time them in the same rounds.

    Args:
        pairs: by name: two functions of Python and the arguments for both.
        rounds: of each comparison.

    Raises:
        LabError: if the two return different values.
    """
    found = []
    for name, (first, second, arguments) in pairs.items():
        values = first(*arguments), second(*arguments)
        if values[0] != values[1]:
            raise LabError(
                f"count_and_time compares two ways to compute one value; in {describe(name)} "
                f"{first.__name__} returns {describe(values[0])} and {second.__name__} "
                f"{describe(values[1])}."
            )
        runs = {"first": functools.partial(first, *arguments)}
        runs["second"] = functools.partial(second, *arguments)
        times = compare(runs, rounds=rounds, min_sample_time=MOMENT)
        counts = count_instructions(first, *arguments), count_instructions(second, *arguments)
        found.append(Pair(name, counts, times.ratio("second")))
    return CountsAndTimes(tuple(found))


def count_lines(function: FunctionType, *arguments: Any) -> Table:
    """Return the lines of a function, with the instructions that a call executed for each."""
    source, first = inspect.getsourcelines(function)
    counts = Machine(max_steps=1_000_000).trace(function, *arguments).lines
    rows = [[line.rstrip("\n"), counts[number]] for number, line in enumerate(source, start=first)]
    # A space that is not broken keeps the indentation on a page.
    shown = {
        "line": lambda text: text.replace(" ", "\N{NO-BREAK SPACE}"),
        "instructions": lambda count: f"{count:,}",
    }
    total = f"{counts.total():,} instructions executed in all."
    return Table(["line", "instructions"], rows, formats=shown, caption=total)


def _written(ratio: float) -> str:
    return f"{ratio:.3f}" if ratio < 0.095 else f"{ratio:.2f}"
