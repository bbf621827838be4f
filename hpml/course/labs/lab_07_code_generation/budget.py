"""A time budget of one layer, whose parts are differences between timed loops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base import style
from hpml.base.charts import Chart, name_rows, show
from hpml.base.page import Page
from hpml.benchmark import Comparison
from hpml.benchmark.estimate import Estimate
from hpml.benchmark.printed import too_wide
from hpml.course.lesson.racing import format_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        """Draw one layer as a stacked bar, the floor as a bracket below it, its parts, the rest.

        The floor is none of the parts: it is another loop, beside the parts of `F.linear`.
        """
        shades = style.series(list(self.parts))
        floor = f"{format_interval(self.floor)}, {self._share(self.floor)}"
        over = f"{1e9 * self.gap:.0f} ns, {_percent(self.gap / self.whole.value)}"
        texts = {
            "one layer": f"{format_interval(self.whole)}, 100%",
            **{
                n: f"{format_interval(part)}, {self._share(part)}" for n, part in self.parts.items()
            },
            "the floor": floor,
            "not attributed": over,
        }
        below = ["one layer", "the floor", *self.parts, "not attributed"]

        def draw(ax: Axes) -> None:
            left = above = 0.0
            starts = {}
            for row, (name, part) in enumerate(self.parts.items(), start=2):
                time, starts[name] = 1e6 * part.value, left
                ax.barh(row, time, left=left, height=0.66, color=shades[name])
                ax.barh(0, max(time, 0.0), left=above, height=0.66, color=shades[name])
                left, above = left + time, above + max(time, 0.0)
            ax.barh(len(below) - 1, 1e6 * self.gap, left=left, height=0.66, color=style.MUTED)
            start = starts["F.linear: dispatch"]
            end = start + 1e6 * self.floor.value
            ax.plot([start, start, end, end], [0.6, 0.9, 0.9, 0.6], color=style.INK, linewidth=1.6)
            name_rows(ax, below)
            for row, name in enumerate(below):
                ax.annotate(
                    texts[name],
                    (1.02, row),
                    va="center",
                    fontsize=9,
                    xycoords=("axes fraction", "data"),
                    annotation_clip=False,
                )

        text = "; ".join(f"{name}: {each}" for name, each in texts.items())
        chart = Chart(
            draw,
            f"{text}.",
            1.1 + 0.34 * len(below),
            title="Where the time of one layer goes",
            x="µs",
        )
        return show(
            chart, width=8.4, caption="Bracket: the floor, a loop of its own and none of the parts."
        )

    def _share(self, part: Estimate) -> str:
        """Return a part's percentage of the whole, a range where its interval is wide."""
        low, value, high = (each / self.whole.value for each in (part.low, part.value, part.high))
        return f"{_percent(low)} to {_percent(high)}" if too_wide(low, high) else _percent(value)


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
