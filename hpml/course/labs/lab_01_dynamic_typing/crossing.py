"""The number of elements from which a vector call is faster than a Python loop."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hpml.base import style
from hpml.base.charts import Line as Drawn
from hpml.base.charts import lines, show
from hpml.base.page import Page
from hpml.base.tables import Table, readable
from hpml.benchmark import Comparison, compare_sizes
from hpml.course.labs.lab_01_dynamic_typing.loops import add_loop

LOOP = "loop over a list"
CALLS = ("NumPy call", "torch call")


class Line(NamedTuple):
    """A linear cost model: `overhead` once and `per_item` for each element, in seconds."""

    overhead: float
    per_item: float


@dataclass(frozen=True)
class SmallSizes:
    """The loop and the vector calls at increasing sizes, measured in the same rounds."""

    compared: Mapping[int, Comparison]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of elements."""
        return tuple(self.compared)

    def times(self, variant: str) -> tuple[float, ...]:
        """Return the shortest time of a variant at each size, of rounds that all sizes share."""
        return tuple(found[variant].minimum for found in self.compared.values())

    def line(self, variant: str) -> Line:
        """Return the least-squares line through a variant's times, by relative error."""
        import numpy as np

        times = np.array(self.times(variant))
        per_item, overhead = np.polyfit(self.sizes, times, 1, w=1 / times)
        return Line(float(overhead), float(per_item))

    def overtakes(self, variant: str) -> float:
        """Return the number of elements at which a call becomes as fast as the loop."""
        gaps = [a - b for a, b in zip(self.times(variant), self.times(LOOP), strict=True)]
        if gaps[-1] > 0:
            return math.inf
        last = max((k for k, gap in enumerate(gaps) if gap > 0), default=None)
        if last is None:
            return float(self.sizes[0])
        share = gaps[last] / (gaps[last] - gaps[last + 1])
        return self.sizes[last] + share * (self.sizes[last + 1] - self.sizes[last])

    @property
    def table(self) -> Table:
        """The overhead, the time per element and the crossing point of each variant."""
        rows = []
        for variant in (LOOP, *CALLS):
            line = self.line(variant)
            crossing = None if variant == LOOP else self.overtakes(variant)
            rows.append([variant, 1e9 * line.overhead, 1e9 * line.per_item, crossing])
        return Table(
            ["variant", "overhead, ns", "ns per element", "overtakes the loop at"],
            rows,
            caption=f"Lines fitted to all sizes, {self.sizes[0]} to {self.sizes[-1]:,} elements.",
            formats={
                "overhead, ns": lambda ns: f"{ns:,.0f}",
                "ns per element": lambda ns: readable(ns, 3) if ns > 0 else "cannot tell",
                "overtakes the loop at": elements,
            },
        )


def measure_small_sizes(sizes: Sequence[int], *, rounds: int = 15) -> SmallSizes:
    """Time ``a + b`` as a loop over lists, and as one call on arrays and tensors, at each size."""
    import numpy as np
    import torch

    def at(n: int) -> dict[str, Any]:
        array = np.arange(1.0, n + 1)
        tensor, numbers, out = torch.from_numpy(array.copy()), array.tolist(), [0.0] * n
        return {
            LOOP: lambda: add_loop(numbers, numbers, out),
            "NumPy call": lambda: array + array,
            "torch call": lambda: tensor + tensor,
        }

    return SmallSizes(compare_sizes(at, sizes, rounds=rounds, min_sample_time=1e-3))


def elements(count: float) -> str:
    """Return a number of elements as text."""
    if math.isinf(count):
        return "no measured size"
    return f"{count:.0f} element{'' if round(count) == 1 else 's'}"


def draw_crossing(small: SmallSizes) -> Page:
    """Draw the times against the size on logarithmic axes, and mark the crossings."""
    import numpy as np

    drawn, texts, crossings = [], [], []
    between = np.geomspace(small.sizes[0], small.sizes[-1], 400).tolist()
    for variant in (LOOP, *CALLS):
        least = [1e6 * time for time in small.times(variant)]
        drawn.append(Drawn(variant, small.sizes, least, "", marker=style.marker(variant)))
        # Linear interpolation, as in `overtakes`; on logarithmic axes it is a curve.
        drawn.append(Drawn(variant, between, np.interp(between, small.sizes, least).tolist()))
        if variant != LOOP:
            crossings.append(small.overtakes(variant))
            texts.append(f"the {variant} at {elements(crossings[-1])}")
    text = (
        f"As fast as the loop: {', '.join(texts)}. "
        f"Marks: shortest of {small.compared[small.sizes[0]].rounds} rounds."
    )
    chart = lines(
        drawn,
        title="a + b: one call against a loop",
        x="elements",
        y="µs in total",
        log="xy",
        sizes=small.sizes,
        at=[size for size in crossings if math.isfinite(size)],
    )
    return show(chart, caption=text, text=text)
