"""Machines drift: why two programs are measured in turns and not one after the other.

A processor warms up and lowers its clock, another user starts a job. Whoever is measured later
meets another machine. `simulate_drift` shows what that does to a comparison of two equal programs,
on a machine whose drift is known because it is made up; `in_order` shows the samples of a real
measurement in the order in which they were taken.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hpml.base.errors import describe
from hpml.base.page import Page, picture
from hpml.base.tables import Table, format_seconds
from hpml.course.errors import LabError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Drift", "Sampled", "in_order", "simulate_drift"]


class Sampled(Protocol):
    """What `in_order` needs of a measurement."""

    @property
    def name(self) -> str:
        """What was measured."""
        ...

    @property
    def samples(self) -> Sequence[float]:
        """Seconds per call, in the order taken."""
        ...


@dataclass(frozen=True)
class Drift:
    """One simulated machine, on which A and B were measured in two different orders.

    Attributes:
        blocks: (name, microseconds) of each sample with all of A before all of B.
        turns: the same with A and B in turns.
        slowdown: how much slower the machine was at the end, as a fraction.
    """

    blocks: tuple[tuple[str, float], ...]
    turns: tuple[tuple[str, float], ...]
    slowdown: float

    def ratio(self, order: str) -> float:
        """Return B's median as a multiple of A's, for ``"blocks"`` or ``"turns"``."""
        taken = self._taken(order)
        return statistics.median(_of("B", taken)) / statistics.median(_of("A", taken))

    @property
    def table(self) -> Table:
        """What each order would have reported."""
        rows = [
            [name, self.ratio(order), f"{abs(self.ratio(order) - 1):.1%}"]
            for order, name in (("blocks", "one after the other"), ("turns", "in turns"))
        ]
        return Table(
            ["order", "B as a multiple of A", "error"],
            rows,
            caption="A and B are the same program: the true ratio is 1.",
        )

    def __repr__(self) -> str:
        return str(self.table)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        drawn = self._drawn()
        return Page(repr(self), drawn.html + self.table._repr_html_(), drawn.png).bundle()

    def _taken(self, order: str) -> tuple[tuple[str, float], ...]:
        if order not in ("blocks", "turns"):
            raise LabError(f"order expects 'blocks' or 'turns', got {describe(order)}.")
        return self.blocks if order == "blocks" else self.turns

    def _drawn(self) -> Page:
        from hpml.base import style

        fig, axes = style.figure(1, 2, width=8.0, height=3.6, sharey=True)
        with style.apply():
            _draw_order(axes[0], self.blocks)
            _draw_order(axes[1], self.turns)
        for ax, order, title in zip(
            axes, ("blocks", "turns"), ("One after the other", "In turns"), strict=True
        ):
            style.finish(
                ax,
                title=f"{title}: B/A = {self.ratio(order):.3f}",
                x="sample, in the order taken",
                y="time (µs)" if order == "blocks" else "",
            )
        text = (
            f"Simulated: a machine that grows {self.slowdown:.0%} slower while it measures the "
            "same program under two names. Lines are medians."
        )
        style.caption(fig, text)
        return picture(fig, text)


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
    last = 2 * rounds - 1

    def sample(place: int) -> float:
        return 10.0 * (1 + slowdown * place / last) * (1 + chance.gauss(0, noise))

    blocks = tuple(("A" if k < rounds else "B", sample(k)) for k in range(2 * rounds))
    # Which of the two goes first changes every round, or the second would always be a bit later.
    order = ["A", "B", "B", "A"]
    turns = tuple((order[k % 4], sample(k)) for k in range(2 * rounds))
    return Drift(blocks, turns, slowdown)


def in_order(measurement: Sampled) -> Page:
    """Draw the samples of a measurement in the order taken, and compare its two halves.

    Args:
        measurement: anything with ``name`` and ``samples`` (seconds per call, at least 4).

    Returns:
        The picture; its caption says by how much the second half differs from the first.

    Raises:
        LabError: if there are fewer than 4 samples.
    """
    from hpml.base import style

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
        ax.plot(
            range(1, len(samples) + 1),
            [1e6 * x for x in samples],
            ".",
            color=style.PALETTE["accent"],
        )
        for start, stop, middle in ((1, half, first), (half + 1, len(samples), second)):
            ax.hlines(1e6 * middle, start, stop, color=style.PALETTE["ink"], lw=1.4)
    style.finish(
        ax,
        title=f"{measurement.name}, {len(samples)} times in a row",
        x="sample, in the order taken",
        y="time (µs)",
    )
    style.caption(fig, text)
    return picture(fig, text)


def _of(name: str, taken: Sequence[tuple[str, float]]) -> list[float]:
    return [value for label, value in taken if label == name]


def _draw_order(ax: Axes, taken: Sequence[tuple[str, float]]) -> None:
    from hpml.base import style

    for name, role, mark in (("A", "handwritten", "o"), ("B", "accent", "s")):
        places = [place for place, (label, _) in enumerate(taken, start=1) if label == name]
        values = _of(name, taken)
        ax.plot(places, values, mark, ms=4.5, color=style.PALETTE[role], label=name)
        ax.axhline(statistics.median(values), color=style.PALETTE[role], lw=1.2)
