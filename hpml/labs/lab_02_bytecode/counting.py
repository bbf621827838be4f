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
from hpml.base.page import Page, picture
from hpml.base.tables import Table
from hpml.benchmark import Ratio, compare
from hpml.bytecode import Machine
from hpml.course.errors import LabError

__all__ = ["MOMENT", "CountsAndTimes", "Pair", "count_and_time", "count_lines"]

Way = Callable[..., Any]

_MOST = 1_000_000
MOMENT = 3e-4
"""Seconds that a sample of a small function should last: many short samples rather than few long
ones, so that most of them are over before the operating system looks after another program."""


@dataclass(frozen=True)
class Pair:
    """Two ways to write one function, counted and timed on the same arguments.

    Attributes:
        name: of the pair.
        ways: the names of the two functions.
        counts: instructions that each executed.
        ratio: time of the second as a multiple of the first's.
    """

    name: str
    ways: tuple[str, str]
    counts: tuple[int, int]
    ratio: Ratio

    @property
    def count_ratio(self) -> float:
        """Instructions of the second as a multiple of the first's."""
        return self.counts[1] / self.counts[0]

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
        for pair in self.pairs:
            if pair.name == name:
                return pair
        raise LabError(
            f"There is no pair {describe(name)}, expected one of "
            f"{', '.join(pair.name for pair in self.pairs)}."
        )

    @property
    def table(self) -> Table:
        """Instructions of both, their ratio, and the ratio of the times with its interval."""
        rows = [
            [
                f"{pair.ways[0]} → {pair.ways[1]}",
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
        align = ["left", *["right"] * 5, "left"]
        return Table(columns, rows, formats=commas, align=align)

    def draw(self) -> Page:
        """Draw for each pair what was left of the instructions, and of the time."""
        fig, ax = style.figure(width=7.6, height=1.5 + 0.62 * len(self.pairs))
        count_colour, time_colour = style.PALETTE["handwritten"], style.PALETTE["accent"]
        with style.apply():
            for row, pair in enumerate(self.pairs):
                count, time = pair.count_ratio, pair.ratio.value
                ax.plot([count, time], [row, row], color=style.PALETTE["muted"], lw=1.2, zorder=1)
                ax.plot([pair.ratio.low, pair.ratio.high], [row, row], color=time_colour, lw=4)
                ax.plot([count], [row], "s", ms=8, color=count_colour)
                ax.plot([time], [row], "o", ms=9, color=time_colour)
                left = count <= time
                for value, colour, before in (
                    (count, count_colour, left),
                    (time, time_colour, not left),
                ):
                    ax.annotate(
                        _written(value),
                        (value, row),
                        xytext=(-9 if before else 9, 0),
                        textcoords="offset points",
                        ha="right" if before else "left",
                        va="center",
                        fontsize=9,
                        color=colour,
                    )
            values = [value for p in self.pairs for value in (p.count_ratio, p.ratio.value)]
            ax.axvline(1, color=style.PALETTE["muted"], lw=1, ls="--", zorder=0)
            ax.set(xscale="log", xlim=(min(values) / 3, max(max(values), 1) * 3))
            ax.set_yticks(range(len(self.pairs)), [pair.name for pair in self.pairs])
            ax.set_ylim(len(self.pairs) - 0.4, -0.6)
            ax.tick_params(axis="y", length=0)
            ax.grid(visible=False, axis="y")
            ax.plot([], [], "s", color=count_colour, label="instructions executed")
            ax.plot([], [], "o", color=time_colour, label="time, with its 95 % interval")
        style.finish(
            ax, title="What was left of it", x="the second way as a multiple of the first", y=""
        )
        text = "The longer the grey line between square and circle, the worse the count guessed."
        style.caption(fig, text)
        return picture(fig, text)


def count_and_time(
    pairs: Mapping[str, tuple[Way, Way, tuple[Any, ...]]], *, rounds: int = 75
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
        names = (first.__name__, second.__name__)
        times = compare(
            {way.__name__: functools.partial(way, *arguments) for way in (first, second)},
            rounds=rounds,
            min_sample_time=MOMENT,
        )
        counts = (_count(first, arguments), _count(second, arguments))
        found.append(Pair(name, names, counts, times.ratio(names[1])))
    return CountsAndTimes(tuple(found))


def count_lines(function: FunctionType, *arguments: Any) -> Table:
    """Return the lines of a function, with the instructions that a call executed for each.

    Raises:
        LabError: if the source of the function cannot be found.
    """
    try:
        source, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        raise LabError(
            f"count_lines expects a function whose source can be found, got {describe(function)} "
            f"({error})."
        ) from None
    counts = Machine(max_steps=_MOST).trace(function, *arguments).lines
    rows = [[line.rstrip("\n"), counts[number]] for number, line in enumerate(source, start=first)]
    # A space that is not broken keeps the indentation on a page.
    shown = {
        "line": lambda text: text.replace(" ", "\N{NO-BREAK SPACE}"),
        "instructions": lambda count: f"{count:,}",
    }
    total = f"{counts.total():,} instructions executed in all."
    return Table(["line", "instructions"], rows, formats=shown, caption=total)


def _count(way: Way, arguments: tuple[Any, ...]) -> int:
    return len(Machine(max_steps=_MOST).trace(way, *arguments))


def _written(ratio: float) -> str:
    return f"{ratio:.3f}" if ratio < 0.095 else f"{ratio:.2f}"
