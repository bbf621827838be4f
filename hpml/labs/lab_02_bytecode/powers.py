"""The experiment that closes lab 02: where the time of ``x ** 2`` goes that ``x * x`` lacks."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from hpml.base.tables import Table, format_seconds
from hpml.benchmark import Comparison, compare
from hpml.labs.lab_02_bytecode.counting import MOMENT

__all__ = ["Powers", "measure_powers"]


def product(values: Sequence[int]) -> None:
    """Multiply each value by itself."""
    for x in values:
        x * x


def power(values: Sequence[int]) -> None:
    """Raise each value to the power of 2."""
    for x in values:
        x**2


def doubled(values: Sequence[int]) -> None:
    """Multiply each value by a constant."""
    for x in values:
        x * 2


def both_bits(values: Sequence[int]) -> None:
    """Keep the bits that a value has in common with itself: hardly any work, and no form for it."""
    for x in values:
        x & x


def nothing(values: Sequence[int]) -> None:
    """Go through the values."""
    for _ in values:
        pass


_WAYS = {"x * x": product, "x ** 2": power, "x * 2": doubled, "x & x": both_bits, "x": nothing}


@dataclass(frozen=True)
class Powers:
    """Four expressions of equally many instructions, measured in the same rounds.

    Attributes:
        comparison: the expressions, and the loop alone (``x``), in seconds a call.
        n: how many values a call goes through.
    """

    comparison: Comparison
    n: int

    @property
    def table(self) -> Table:
        """Time for each value without the loop's own, and how that compares with ``x * x``."""
        loop = self.comparison["x"].median
        rows: list[list[object]] = []
        for name in _SQUARES:
            ratio = self.comparison.ratio(name)
            first = name == _SQUARES[0]
            alone = (self.comparison[name].median - loop) / self.n
            rows.append([name, 1e9 * alone, None if first else ratio.answer])
        return Table(
            ["expression", "ns", "than x * x"], rows, formats={"ns": lambda value: f"{value:.1f}"}
        )

    def share(self, name: str) -> tuple[float, float]:
        """Return which part of the power's extra time another expression takes as well.

        Returns:
            The ends of an interval, made of the expression's 95 % interval and the power's ratio.
        """
        gap = self.comparison.ratio("x ** 2").value - 1
        ratio = self.comparison.ratio(name)
        return (ratio.low - 1) / gap, (ratio.high - 1) / gap

    def what_fits(self) -> str:
        """Say which explanation the measurement supports, as text for `say`."""
        power = self.comparison.ratio("x ** 2")
        if power.answer != "slower":
            return (
                "In these rounds `x ** 2` was not clearly slower, so there is nothing to explain. "
                "Run the cell above again when the machine is less busy."
            )
        extra = (power.value - 1) * self.comparison["x * x"].median / self.n
        lines = [f"`x ** 2` takes {format_seconds(extra)} more than `x * x`."]
        found = {}
        for claim, name, what in _TESTS:
            low, high = self.share(name)
            found[claim] = "no" if high < 0.5 else "yes" if low > 0.5 else "cannot tell"
            lines[0] += f" {what} `{name}` takes {max(0.0, (low + high) / 2):.0%} of that more."
        lines.append(_VERDICTS[found["B"]].format("B", "a form is missing"))
        lines.append(_VERDICTS[found["C"]].format("C", "a constant is loaded"))
        if set(found.values()) == {"no"}:
            lines.append(
                "So **A** remains: what happens inside the one instruction takes longer. That the "
                "power has no form of its own was a true fact, and not the reason."
            )
        return "\n\n".join(lines)


_SQUARES = ("x * x", "x ** 2", "x * 2", "x & x")
_TESTS = (
    ("B", "x & x", "Without a form of its own, and with little to compute,"),
    ("C", "x * 2", "With the same constant,"),
)
_VERDICTS = {
    "no": "**{0}** is not the reason: that {1} explains less than half of it.",
    "yes": "**{0}** is a reason: that {1} explains more than half of it.",
    "cannot tell": "**{0}**: cannot tell. The interval is too wide; more rounds, or a machine that "
    "is less busy, would decide.",
}


def measure_powers(values: Sequence[int], *, rounds: int = 75) -> Powers:
    """Measure the four expressions in a loop over `values`, and the loop alone."""
    runs = {name: functools.partial(way, values) for name, way in _WAYS.items()}
    return Powers(compare(runs, rounds=rounds, min_sample_time=MOMENT), len(values))
