"""One program, profiled and benchmarked: whom each holds responsible for the time."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpml.base import style
from hpml.base.old_charts import Bar, bars
from hpml.base.page import Page, picture, say
from hpml.benchmark import Comparison
from hpml.profiling import FunctionProfile, profile


@dataclass(frozen=True)
class Blame:
    """The share of each part of a program, with and without the profiler, and its calls."""

    profiled: Mapping[str, float]
    measured: Mapping[str, float]
    calls: Mapping[str, int]

    @property
    def worst(self) -> str:
        """The part to whose share the profile adds most."""
        return max(self.profiled, key=lambda name: self.profiled[name] - self.measured[name])

    def __repr__(self) -> str:
        name = self.worst
        return (
            f"{name} is blamed too much: {self.profiled[name]:.0%} by the profile, "
            f"{self.measured[name]:.0%} by the benchmark."
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        fig, ax = style.figure(width=7.6, height=3.4)
        rows = []
        for name, calls in self.calls.items():
            text = f"{self.profiled[name]:.0%}, {calls:,} call{'s' * (calls > 1)}"
            share = [(100 * self.profiled[name], style.PALETTE["accent"])]
            rows.append(Bar(f"{name}, profile", share, text))
            share = [(100 * self.measured[name], style.PALETTE["handwritten"])]
            rows.append(Bar("benchmark", share, f"{self.measured[name]:.0%}"))
        bars(ax, rows)
        ax.set_xlim(0, 100)
        style.finish(ax, title="Who takes the time?", x="% of the program's time", y="")
        told = "; ".join(f"{bar.name} {bar.text}" for bar in rows)
        drawn = picture(fig, f"Shares of the time: {told}.")
        return Page(repr(self), drawn.html + say(repr(self)).html, drawn.png).bundle()


def blame(
    program: Callable[[], object],
    measured: Comparison,
    parts: Mapping[str, Callable[[], object]],
    times: int = 9,
) -> Blame:
    """Profile a program of some parts several times, and compare with what was measured of them."""
    profiles = [_seconds(profile(program), parts) for _ in range(times)]
    rounds = zip(*(measured[name].samples for name in parts), strict=True)
    alone = [dict(zip(parts, row, strict=True)) for row in rounds]
    calls = {name: profile(part).calls for name, part in parts.items()}
    return Blame(_shares(profiles), _shares(alone), calls)


def _seconds(found: FunctionProfile, parts: Iterable[str]) -> dict[str, float]:
    return {name: entry[3] for (_, _, name), entry in found.stats.items() if name in parts}


def _shares(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the median share of each part, taken within runs: the machine may change between."""
    middle = {
        name: statistics.median(run[name] / sum(run.values()) for run in runs) for name in runs[0]
    }
    return {name: share / sum(middle.values()) for name, share in middle.items()}
