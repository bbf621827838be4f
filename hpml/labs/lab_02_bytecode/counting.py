"""Compare executed instructions and time for two versions of a function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from hpml.base import style
from hpml.base.charts import Dot, dots, show
from hpml.base.errors import describe
from hpml.base.page import Page
from hpml.base.tables import Table
from hpml.benchmark import Ratio, compare
from hpml.bytecode import Machine, count_instructions
from hpml.course.errors import LabError

MOMENT = 3e-4
"""The length of a sample in seconds: so short that other programs interrupt few samples."""


@dataclass(frozen=True)
class Pair:
    """Two versions of a function, counted and timed on the same arguments."""

    name: str
    counts: tuple[int, int]
    ratio: Ratio

    @property
    def count_ratio(self) -> float:
        """The second version's instructions as a multiple of the first's."""
        return self.counts[1] / self.counts[0]

    @property
    def in_words(self) -> str:
        """Both ratios as text, without the ratio of times if it is uncertain."""
        certain = self.ratio.answer != "cannot tell"
        time = f"{self.ratio.value:.2g} × the time" if certain else "time: cannot tell"
        return f"{self.count_ratio:.2g} × the instructions, {time}"


@dataclass(frozen=True)
class CountsAndTimes:
    """Pairs of versions, and their figure."""

    pairs: tuple[Pair, ...]

    def __getitem__(self, name: str) -> Pair:
        return next(pair for pair in self.pairs if pair.name == name)

    def draw(self) -> Page:
        """Draw the ratio of instructions and the ratio of times of each pair."""
        rows = []
        for pair in self.pairs:
            count, time = _written(pair.count_ratio), _written(pair.ratio.value)
            rows.append(Dot(pair.name, pair.count_ratio, "", None, style.DATA, "s",
                            "instructions executed"))  # fmt: skip
            rows.append(Dot(pair.name, pair.ratio.value, f"{count} × instructions, {time} × time",
                            (pair.ratio.low, pair.ratio.high), style.ACCENT, "o",
                            "time, with its 95 % interval"))  # fmt: skip
        text = "The farther apart square and circle are, the worse the count predicts the time."
        x = "the second version as a multiple of the first"
        chart = dots(rows, title="Instructions and time", x=x, log="x", at=(1,))
        return show(chart, caption=text)


def count_and_time(
    pairs: Mapping[str, tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]],
    *,
    rounds: int = 75,
) -> CountsAndTimes:
    """Count the instructions of both functions of each pair, and compare their times."""
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
