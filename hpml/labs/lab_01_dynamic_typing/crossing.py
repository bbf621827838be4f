"""Where a vector call pays: its overhead is paid once, what it saves is saved for each element."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hpml.base import style
from hpml.base.charts import Line as Drawn
from hpml.base.charts import lines, show
from hpml.base.page import Page
from hpml.base.tables import Table
from hpml.benchmark import Comparison, compare
from hpml.labs.lab_01_dynamic_typing.loops import add_loop

LOOP = "loop over a list"
CALLS = ("NumPy call", "torch call")


class Line(NamedTuple):
    """A time that grows evenly: `overhead` once and `per_item` for each element, in seconds."""

    overhead: float
    per_item: float


@dataclass(frozen=True)
class SmallSizes:
    """The loop and the vector calls, compared at rising sizes, in seconds a call."""

    sizes: tuple[int, ...]
    comparisons: tuple[Comparison, ...]

    def times(self, way: str) -> tuple[float, ...]:
        """Return the shortest times of one way, one a size."""
        return tuple(found[way].minimum for found in self.comparisons)

    def line(self, way: str) -> Line:
        """Return the line that misses all times by the least, each miss a share of its time."""
        import numpy as np

        times = np.array(self.times(way))
        per_item, overhead = np.polyfit(self.sizes, times, 1, w=1 / times)
        return Line(float(overhead), float(per_item))

    def overtakes(self, way: str) -> float:
        """Return at how many elements a call takes as long as the loop, as measured."""
        gaps = [a - b for a, b in zip(self.times(way), self.times(LOOP), strict=True)]
        if gaps[-1] > 0:
            return math.inf
        last = max((k for k, gap in enumerate(gaps) if gap > 0), default=None)
        if last is None:
            return float(self.sizes[0])
        share = gaps[last] / (gaps[last] - gaps[last + 1])
        return self.sizes[last] + share * (self.sizes[last + 1] - self.sizes[last])

    @property
    def table(self) -> Table:
        """For each way the overhead, the time an element, and where it overtakes the loop."""
        rows = []
        for way in (LOOP, *CALLS):
            line = self.line(way)
            crossing = None if way == LOOP else self.overtakes(way)
            rows.append([way, 1e9 * line.overhead, 1e9 * line.per_item, crossing])
        return Table(
            ["variant", "overhead, ns", "ns per element", "overtakes the loop at"],
            rows,
            caption=f"Lines fitted to all sizes, {self.sizes[0]} to {self.sizes[-1]:,} elements.",
            formats={
                "overhead, ns": lambda ns: f"{ns:,.0f}",
                "ns per element": lambda ns: f"{ns:.3g}" if ns > 0 else "cannot tell",
                "overtakes the loop at": elements,
            },
        )


def measure_small_sizes(sizes: Sequence[int], *, rounds: int = 15) -> SmallSizes:
    """Measure ``a + b`` on lists by a loop, and on arrays and tensors by one call, size by size."""
    import numpy as np
    import torch

    def at(n: int) -> Comparison:
        array = np.arange(1.0, n + 1)
        tensor, numbers, out = torch.from_numpy(array.copy()), array.tolist(), [0.0] * n
        runs: dict[str, Any] = {
            LOOP: lambda: add_loop(numbers, numbers, out),
            "NumPy call": lambda: array + array,
            "torch call": lambda: tensor + tensor,
        }
        return compare(runs, rounds=rounds, min_sample_time=1e-3)

    return SmallSizes(tuple(sizes), tuple(map(at, sizes)))


def elements(count: float) -> str:
    """Return a number of elements as text."""
    if math.isinf(count):
        return "no measured size"
    return f"{count:.0f} element{'' if round(count) == 1 else 's'}"


def draw_crossing(small: SmallSizes) -> Page:
    """Draw the times against the size, both on logarithmic axes, and mark where they cross."""
    import numpy as np

    drawn, texts, crossings = [], [], []
    between = np.geomspace(small.sizes[0], small.sizes[-1], 400).tolist()
    for way in (LOOP, *CALLS):
        least = [1e6 * time for time in small.times(way)]
        drawn.append(Drawn(way, small.sizes, least, "", marker=style.marker(way)))
        # Straight between two sizes, as `overtakes` has it; on these axes that is a curve.
        drawn.append(Drawn(way, between, np.interp(between, small.sizes, least).tolist()))
        if way != LOOP and math.isinf(small.overtakes(way)):
            texts.append(f"the {way} never overtakes the loop")
        elif way != LOOP:
            crossings.append(small.overtakes(way))
            texts.append(f"the {way} overtakes the loop at about {elements(crossings[-1])}")
    text = f"{'; '.join(texts)}. Marks: the shortest of {small.comparisons[0].rounds} samples."
    text = text[0].upper() + text[1:]
    chart = lines(
        drawn, title="a + b: one call against a loop", x="elements", y="µs in total",
        log="xy", sizes=small.sizes, at=crossings,
    )  # fmt: skip
    return show(chart, caption=text, text=text)
