"""Machines drift: why two programs are measured in turns and not one after the other.

Whoever is measured later meets another machine. `simulate_drift` shows what that does to a
comparison of two equal programs, on a machine whose drift is known because it is made up;
`in_order` shows the samples of a real measurement in the order in which they were taken.
"""

from __future__ import annotations

import random
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.errors import describe
from hpml.base.page import Page, picture
from hpml.base.tables import Table, format_seconds
from hpml.course.errors import LabError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hpml.benchmark import Measurement

_TITLES = {"blocks": "One after the other", "turns": "In turns"}
_COLOURS = {"A": ("handwritten", "o"), "B": ("accent", "s")}


@dataclass(frozen=True)
class Drift:
    """One simulated machine, on which A and B were measured in two different orders.

    Attributes:
        orders: for ``"blocks"`` and ``"turns"`` the (name, microseconds) of each sample.
        slowdown: how much slower the machine was at the end, as a fraction.
    """

    orders: dict[str, list[tuple[str, float]]]
    slowdown: float

    def times(self, order: str, name: str) -> list[float]:
        """Return the samples of A or of B in one order, in microseconds."""
        return [time for label, time in self.orders[order] if label == name]

    def ratio(self, order: str) -> float:
        """Return B's median as a multiple of A's, for ``"blocks"`` or ``"turns"``."""
        a, b = (statistics.median(self.times(order, name)) for name in "AB")
        return b / a

    @property
    def table(self) -> Table:
        """What each order would have reported."""
        rows = [
            [title.lower(), self.ratio(order), f"{abs(self.ratio(order) - 1):.1%}"]
            for order, title in _TITLES.items()
        ]
        caption = "A and B are the same program: the true ratio is 1."
        return Table(["order", "B as a multiple of A", "error"], rows, caption=caption)

    def __repr__(self) -> str:
        return str(self.table)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        fig, axes = style.figure(1, 2, width=8.0, height=3.6, sharey=True)
        for ax, (order, title) in zip(axes, _TITLES.items(), strict=True):
            with style.apply():
                self._draw(ax, order)
            title = f"{title}: B/A = {self.ratio(order):.3f}"
            y = "time (µs)" if order == "blocks" else ""
            style.finish(ax, title=title, x="sample, in the order taken", y=y)
        text = (
            f"Simulated: a machine that grows {self.slowdown:.0%} slower while it measures the "
            "same program under two names. Lines are medians."
        )
        style.caption(fig, text)
        drawn = picture(fig, text)
        return Page(repr(self), drawn.html + self.table._repr_html_(), drawn.png).bundle()

    def _draw(self, ax: Axes, order: str) -> None:
        for name, (role, mark) in _COLOURS.items():
            places = [
                place for place, (label, _) in enumerate(self.orders[order], 1) if label == name
            ]
            times = self.times(order, name)
            ax.plot(places, times, mark, ms=4.5, color=style.PALETTE[role], label=name)
            ax.axhline(statistics.median(times), color=style.PALETTE[role], lw=1.2)


def simulate_drift(
    *, slowdown: float = 0.2, noise: float = 0.015, rounds: int = 20, seed: int = 0
) -> Drift:
    """Measure one program under two names on a made-up machine that grows slower all the while.

    Args:
        slowdown: how much slower the machine is at the end, as a fraction of its first speed.
        noise: relative scatter of a single sample.
        rounds: samples of each name.
        seed: of the scatter; equal seeds give equal results.

    Raises:
        LabError: if a size is negative or there are no rounds.

    >>> drift = simulate_drift(slowdown=0.2)
    >>> drift.ratio("blocks") > 1.05, abs(drift.ratio("turns") - 1) < 0.03
    (True, True)
    """
    if rounds < 2 or slowdown < 0 or noise < 0:
        raise LabError(
            "simulate_drift expects at least 2 rounds and no negative slowdown or noise, got "
            f"rounds={describe(rounds)}, slowdown={describe(slowdown)}, noise={describe(noise)}."
        )
    chance = random.Random(seed)
    # In turns the first of a round changes, or the second would always be a bit later.
    orders = {"blocks": "A" * rounds + "B" * rounds, "turns": ("ABBA" * rounds)[: 2 * rounds]}
    last = 2 * rounds - 1

    def sample(place: int) -> float:
        return 10.0 * (1 + slowdown * place / last) * (1 + chance.gauss(0, noise))

    taken = {
        order: [(name, sample(place)) for place, name in enumerate(names)]
        for order, names in orders.items()
    }
    return Drift(taken, slowdown)


def in_order(measurement: Measurement) -> Page:
    """Draw the samples of a measurement in the order taken, and compare its two halves.

    Raises:
        LabError: if there are fewer than 4 samples.
    """
    samples = list(measurement.samples)
    if len(samples) < 4:
        raise LabError(f"in_order expects at least 4 samples, got {len(samples)}; measure more.")
    half = len(samples) // 2
    first, second = statistics.median(samples[:half]), statistics.median(samples[half:])
    change = second / first - 1
    text = (
        f"{measurement.name}: the first half took {format_seconds(first)}, the second "
        f"{format_seconds(second)} in the median, {abs(change):.1%} "
        f"{'more' if change > 0 else 'less'}. Nothing in the program changed."
    )
    fig, ax = style.figure(width=7.0, height=3.2)
    with style.apply():
        places = range(1, len(samples) + 1)
        ax.plot(places, [1e6 * x for x in samples], ".", color=style.PALETTE["accent"])
        for start, stop, middle in ((1, half, first), (half + 1, len(samples), second)):
            ax.hlines(1e6 * middle, start, stop, color=style.PALETTE["ink"], lw=1.4)
    title = f"{measurement.name}, {len(samples)} times in a row"
    style.finish(ax, title=title, x="sample, in the order taken", y="time (µs)")
    style.caption(fig, text)
    return picture(fig, text)
