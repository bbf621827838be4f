"""Compare executed instructions and time for two versions of a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from types import FunctionType
from typing import Any, NamedTuple

from hpml.base import style
from hpml.base.charts import Dot, dots, show
from hpml.base.page import Page
from hpml.base.tables import Table, readable
from hpml.benchmark import Ratio, compare
from hpml.bytecode import Machine, count_instructions

MOMENT = 3e-4
"""The length of a sample in seconds: so short that other programs interrupt few samples."""


class Pair(NamedTuple):
    """The second version of a function as a multiple of the first."""

    instructions: float
    ratio: Ratio

    @property
    def in_words(self) -> str:
        """Both ratios as text, without the ratio of times if it is uncertain."""
        certain = self.ratio.answer != "cannot tell"
        time = f"{self.ratio.shown} × the time" if certain else "time: cannot tell"
        return f"{readable(self.instructions)} × the instructions, {time}"


Versions = tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]


def count_and_time(pairs: Mapping[str, Versions], *, rounds: int) -> dict[str, Pair]:
    """Count the instructions of both functions of each pair, and compare their times."""
    found = {}
    for name, (first, second, arguments) in pairs.items():
        runs = {"first": partial(first, *arguments), "second": partial(second, *arguments)}
        times = compare(runs, rounds=rounds, min_sample_time=MOMENT)
        counts = [count_instructions(function, *arguments) for function in (second, first)]
        found[name] = Pair(counts[0] / counts[1], times.ratio("second"))
    return found


def draw_counts(pairs: Mapping[str, Pair]) -> Page:
    """Draw the ratio of instructions and the ratio of times of each pair."""
    rows = []
    for name, (instructions, ratio) in pairs.items():
        text = f"{_written(instructions)} × instructions, {_written(ratio.value)} × time"
        rows.append(Dot(name, instructions, "", None, style.DATA, "s", "instructions executed"))
        rows.append(
            Dot(
                name,
                ratio.value,
                text,
                (ratio.low, ratio.high),
                style.ACCENT,
                "o",
                "time, with its 95 % interval",
            )
        )
    text = "The farther apart square and circle are, the worse the count predicts the time."
    x = "the second version as a multiple of the first"
    return show(dots(rows, title="Instructions and time", x=x, log="x", at=(1,)), caption=text)


def count_lines(function: FunctionType, *arguments: Any) -> Table:
    """Return the lines of a function with the number of instructions that a call executed."""
    source, first = inspect.getsourcelines(function)
    counts = Machine(max_steps=1_000_000).trace(function, *arguments).lines
    rows = [[line.rstrip("\n"), counts[number]] for number, line in enumerate(source, start=first)]
    # No-break spaces keep the indentation in HTML.
    shown = {
        "line": lambda text: text.replace(" ", "\N{NO-BREAK SPACE}"),
        "instructions": lambda count: f"{count:,}",
    }
    total = f"{counts.total():,} instructions executed in total."
    return Table(["line", "instructions"], rows, formats=shown, caption=total)


def _written(ratio: float) -> str:
    return f"{ratio:.3f}" if ratio < 0.095 else f"{ratio:.2f}"
