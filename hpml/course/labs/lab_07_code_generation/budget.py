"""A time budget of one layer, whose parts are differences between timed loops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hpml.base import style
from hpml.base.charts import Bar, bars, show
from hpml.base.page import Page
from hpml.benchmark import Comparison
from hpml.benchmark.estimate import Estimate
from hpml.course.lesson.racing import format_interval

PARTS: Mapping[str, Mapping[str, float]] = {
    "container access": {"loop": 1},
    "calling a Python function": {"function": 1, "loop": -1},
    "nn.Module.__call__": {"module": 1, "function": -1},
    "F.linear: dispatch": {"linear, no rows": 1, "loop": -1},
    "F.linear: kernel": {"linear": 1, "linear, no rows": -1},
    "weights": {"whole": 1, "module": -1, "linear": -1, "loop": 1},
}
"""Each part of a layer's time as a linear combination of stages, loops over the same layers."""


@dataclass(frozen=True)
class Budget:
    """The parts of a layer's time, in seconds."""

    parts: Mapping[str, Estimate]
    whole: Estimate
    floor: Estimate

    def share(self, prefix: str) -> float:
        """Return the share of the parts whose names start with `prefix`."""
        return (
            sum(p.value for n, p in self.parts.items() if n.startswith(prefix)) / self.whole.value
        )

    def unsure(self, prefix: str) -> str:
        """Return why the share of these parts is too uncertain, or an empty text."""
        parts = [part for name, part in self.parts.items() if name.startswith(prefix)]
        low, high = sum(part.low for part in parts), sum(part.high for part in parts)
        if low > 0 and high <= 2 * low:
            return ""
        return "the intervals of its parts are too wide"

    @property
    def gap(self) -> float:
        """The time that the parts do not explain; negative if they add up to more."""
        return self.whole.value - sum(part.value for part in self.parts.values())

    def picture(self) -> Page:
        """Draw one layer as a stacked bar, its parts, the floor, and the rest."""
        rows, stack, left = [], [], 0.0
        shades = style.series(list(self.parts))
        for name, part in self.parts.items():
            time, share = 1e6 * part.value, _percent(part.value / self.whole.value)
            text = f"{format_interval(part)}, {share}"
            rows.append(Bar(name, time, text, start=left, colour=shades[name]))
            stack.append((max(time, 0.0), shades[name]))
            left += time
        floor = f"{format_interval(self.floor)}, {_percent(self.floor.value / self.whole.value)}"
        over = f"{1e9 * self.gap:.0f} ns, {_percent(self.gap / self.whole.value)}"
        rows = [
            Bar("one layer", stack, f"{format_interval(self.whole)}, 100%"),
            *rows,
            Bar("the floor", 1e6 * self.floor.value, floor, colour=style.INK),
            Bar("not attributed", 1e6 * self.gap, over, start=left, colour=style.MUTED),
        ]
        return show(bars(rows, title="Where the time of one layer goes", x="µs"), width=8.4)


def budget(stages: Comparison) -> Budget:
    """Return the parts of a layer's time, from loops that do increasing amounts of its work."""
    parts = {name: stages.sum_of(terms) for name, terms in PARTS.items()}
    return Budget(parts, stages.sum_of({"whole": 1}), stages.sum_of({"floor": 1}))


def costs_of(seconds: Mapping[str, Mapping[int, float]], few: int, many: int) -> dict[str, float]:
    """Return the costs of a forward in seconds, from its seconds by execution at two depths."""
    slopes = {name: (each[many] - each[few]) / (many - few) for name, each in seconds.items()}
    layer = slopes["handwritten"]
    costs = {"start": max(0.0, seconds["handwritten"][few] - few * layer), "layer": layer}
    return costs | {name: slope - layer for name, slope in slopes.items()}


def _percent(share: float) -> str:
    return f"{share:.1%}" if abs(share) < 0.1 else f"{share:.0%}"


def nothing(h: Any) -> Any:
    """Return the argument: a layer that is a plain function."""
    return h


def only_loop(layers: Iterable[object]) -> None:
    """Iterate over the layers of a container."""
    for _ in layers:
        pass
