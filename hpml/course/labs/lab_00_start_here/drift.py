"""Simulated drift: why two programs are measured in turns and not one after the other."""

from __future__ import annotations

import random
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base import style
from hpml.base.charts import Chart, Line, lines, show
from hpml.base.page import Page
from hpml.base.tables import Table, format_seconds

if TYPE_CHECKING:
    from hpml.benchmark import Measurement

_TITLES = {"blocks": "One after the other", "turns": "In turns"}


@dataclass(frozen=True)
class Drift:
    """Samples of A and B from a simulated machine, taken in two orders: (name, µs) by sample."""

    orders: dict[str, list[tuple[str, float]]]
    slowdown: float
    largest: float | None = None

    def ratio(self, order: str) -> float:
        """Return B's median as a multiple of A's, for ``"blocks"`` or ``"turns"``."""
        a, b = (statistics.median(t for n, t in self.orders[order] if n == name) for name in "AB")
        return b / a

    @property
    def table(self) -> Table:
        """The ratio that each order would report."""
        rows = [
            [title.lower(), self.ratio(order), f"{abs(self.ratio(order) - 1):.1%}"]
            for order, title in _TITLES.items()
        ]
        caption = "A and B are the same program: the true ratio is 1."
        return Table(["order", "B as a multiple of A", "error"], rows, caption=caption)

    def __repr__(self) -> str:
        return str(self.table)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        text = (
            "Simulated: one program under two names, while the machine becomes "
            f"{self.slowdown:.0%} slower. Lines: medians."
        )
        charts = [self._chart(order) for order in _TITLES]
        drawn = show(*charts, beside=True, width=8.0, caption=text)
        return Page(repr(self), drawn.html + self.table._repr_html_(), drawn.png).bundle()

    def _chart(self, order: str) -> Chart:
        drawn = []
        for name, colour, marker in (("A", style.DATA, "o"), ("B", style.ACCENT, "s")):
            places, times = zip(
                *((k, t) for k, (n, t) in enumerate(self.orders[order], 1) if n == name),
                strict=True,
            )
            middle = [statistics.median(times)] * 2
            drawn.append(Line(name, places, times, "", colour, marker))
            drawn.append(Line(name, [1, len(self.orders[order])], middle, "-", colour))
        title = f"{_TITLES[order]}: B/A = {self.ratio(order):.3f}"
        y = "time (µs)" if order == "blocks" else ""
        limits = None if self.largest is None else (9.0, 10.8 * (1 + self.largest))
        return lines(drawn, title=title, x="sample, in the order taken", y=y, ylim=limits)


def simulate_drift(
    *,
    slowdown: float = 0.2,
    noise: float = 0.015,
    rounds: int = 20,
    largest: float | None = None,
) -> Drift:
    """Simulate timing one program under two names on a machine that becomes slower and slower.

    The axis of the picture has room for a slowdown of `largest`, by default for its own samples.
    """
    rng = random.Random(0)
    # Alternate the order within a round, or B would always be a little later.
    orders = {"blocks": "A" * rounds + "B" * rounds, "turns": ("ABBA" * rounds)[: 2 * rounds]}
    last = 2 * rounds - 1

    def sample(place: int) -> float:
        return 10.0 * (1 + slowdown * place / last) * (1 + rng.gauss(0, noise))

    taken = {
        order: [(name, sample(place)) for place, name in enumerate(names)]
        for order, names in orders.items()
    }
    return Drift(taken, slowdown, largest)


def in_order(measurement: Measurement) -> Page:
    """Draw the samples of a measurement in order, and compare the medians of its two halves."""
    samples = [1e6 * sample for sample in measurement.samples]
    half, count = len(samples) // 2, len(samples)
    first, second = statistics.median(samples[:half]), statistics.median(samples[half:])
    text = (
        f"Median: {format_seconds(1e-6 * first)} in the first half, {second / first:.3f} times "
        "that in the second. Nothing in the program changed."
    )
    drawn = [
        Line("samples", range(1, count + 1), samples, "", style.ACCENT, "."),
        Line("median of each half", [1, half], [first, first], "-", style.INK),
        Line("median of each half", [half + 1, count], [second, second], "-", style.INK),
    ]
    title = f"{measurement.name}, {count} times in a row"
    chart = lines(drawn, title=title, x="sample, in the order taken", y="time (µs)", height=3.2)
    return show(chart, caption=text, text=text)
