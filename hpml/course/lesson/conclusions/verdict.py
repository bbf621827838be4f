"""A verdict on hypotheses: each predicts ranges, and the measured intervals decide which stand.

The ranges are written in a lab's ``texts.toml``, before any measurement. A hypothesis stands if
each measured interval overlaps its range, and falls if one of them is disjoint from it. It is
supported if it stands alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.charts import Chart, name_rows, show, write_beside
from hpml.base.page import Page
from hpml.base.tables import Table, format_seconds, readable
from hpml.benchmark import printed
from hpml.benchmark.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Range = tuple[float, float]

AND = " and "
"""What the name of a mixture contains, such as "A and B": both hypotheses contribute.

A lab whose truth is a mixture gives it the range between those of its parts. So an interval that
reaches from one part into the mixture supports neither.
"""

TIMES = "times"
"""The unit of a change: the later quantity over the earlier one."""


@dataclass(frozen=True)
class Quantity:
    """One result of an experiment, and the range that each hypothesis predicts for it.

    Attributes:
        name: what is measured, as the beginning of a sentence.
        unit: `TIMES`, "s" for seconds, "share" for a fraction, or another word.
        ranges: the lower and the upper end by hypothesis; one that is missing predicts nothing.
    """

    name: str
    unit: str
    ranges: Mapping[str, Range]

    def text(self, value: float) -> str:
        """Return a value of this quantity as text."""
        if self.unit == "share":
            return f"{value:z.0%}"  # z: 0%, not -0%
        if self.unit == "s":
            return format_seconds(value)
        return readable(value)

    def of(self, measured: Estimate) -> str:
        """Return a measured value with its interval, as far as the interval supports it."""
        low, high = measured.low, measured.high
        as_one = self.unit == "share" and self.text(low) == self.text(high)  # 68% to 68%
        if low == high or as_one:
            ending = "" if self.unit in ("s", "share") else f" {self.unit}"
            return f"{self.text(low)}{ending}"
        if math.isinf(low) or math.isinf(high) or math.isnan(low):
            return "unknown"
        if self.unit == TIMES:
            return f"{printed.with_interval(measured.value, low, high)} times"
        ends = f"{self.text(low)} to {self.text(high)}"
        unit = "" if self.unit in ("share", "s") else f" {self.unit}"
        if printed.too_wide(low, high):
            return f"{ends}{unit}"
        return f"{self.text(measured.value)} ({ends}){unit}"

    def predicted(self, hypothesis: str) -> str:
        """Return the range that a hypothesis predicts, as text."""
        if hypothesis not in self.ranges:
            return "–"
        low, high = self.ranges[hypothesis]
        shown = self.text if self.unit in ("s", "share") else "{:,g}".format
        if low == high:
            return shown(low)
        return f"above {shown(low)}" if math.isinf(high) else f"{shown(low)} to {shown(high)}"


@dataclass(frozen=True)
class Verdict:
    """Which hypotheses stand after a measurement.

    >>> change = Quantity("with sixteen times the pixels", TIMES, {"A": (0.7, 1.4), "B": (12, 20)})
    >>> def after(low, high):
    ...     return Verdict((change,), {change.name: Estimate((low + high) / 2, low, high)})
    >>> after(0.9, 1.2).fits, after(1.0, 13.0).fits, after(1.9, 2.5).fits
    ('A', 'cannot tell', 'none of them alone')
    """

    quantities: Sequence[Quantity]
    measured: Mapping[str, Estimate]

    def of(self, name: str) -> str:
        """Return a measured quantity with its interval, as far as the interval supports it."""
        quantity = next(each for each in self.quantities if each.name == name)
        return quantity.of(self.measured[name])

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """The hypotheses that predict anything, in order."""
        names = {name for each in self.quantities for name in each.ranges}
        return tuple(sorted(names, key=lambda name: (AND in name, name)))

    def stands(self, hypothesis: str) -> bool:
        """Return whether each measured interval overlaps the range that a hypothesis predicts."""
        return all(
            _overlap(self.measured[each.name], each.ranges[hypothesis])
            for each in self.quantities
            if hypothesis in each.ranges
        )

    @property
    def standing(self) -> tuple[str, ...]:
        """The hypotheses that stand."""
        return tuple(name for name in self.hypotheses if self.stands(name))

    @property
    def fits(self) -> str:
        """The only hypothesis that stands, "cannot tell" or "none of them alone"."""
        standing = self.standing
        if len(standing) > 1:
            return "cannot tell"
        return standing[0] if standing and AND not in standing[0] else "none of them alone"

    @property
    def conclusion(self) -> str:
        """The verdict in a sentence."""
        if self.fits == "cannot tell":
            *first, last = self.standing
            return f"{', '.join(first)} or {last}: this measurement **cannot tell**."
        if self.fits in self.standing:
            return f"That fits **{self.fits}**."
        seen = "; ".join(f"{each.name}: {self.of(each.name)}" for each in self.quantities)
        both = f" {self.standing[0]} both contribute." if self.standing else ""
        return f"That fits **{self.fits}** ({seen}).{both}"

    @property
    def seen(self) -> str:
        """What was measured and what it means, in one line, for a record."""
        found = [self.of(each.name) for each in self.quantities]
        ending = "cannot tell" if self.fits == "cannot tell" else f"fits **{self.fits}**"
        return f"{'; '.join(found)}: {ending}"

    @property
    def table(self) -> Table:
        """What each hypothesis predicts beside what was measured."""
        rows: list[list[object]] = [
            [
                name,
                *(each.predicted(name) for each in self.quantities),
                "stands" if self.stands(name) else "falls",
            ]
            for name in self.hypotheses
        ]
        measured = [self.of(each.name) for each in self.quantities]
        rows.append(["measured", *measured, ""])
        columns = ["predicts", *(each.name for each in self.quantities), ""]
        return Table(columns, rows, align=["left"] * len(columns))

    def picture(self) -> Page | None:
        """Draw the predicted ranges and the measured intervals; None if no change was measured."""
        drawn = [each for each in self.quantities if each.unit == TIMES]
        ends = [end for each in drawn for range_ in each.ranges.values() for end in range_]
        ends += [end for each in drawn for end in self._ends(each)]
        positive = [end for end in ends if 0 < end < math.inf]
        # One axis for all, on which no range and no measured interval is cut.
        axis = min(positive, default=0.5) / 1.5, 1.5 * max(positive, default=2.0)
        charts = [self._chart(each, *axis) for each in drawn]
        if not charts:
            return None
        charts[-1] = replace(charts[-1], x="times, on a logarithmic axis")
        caption = "Bars: what is predicted, in colour where it fits what was measured."
        return show(*charts, caption=caption)

    def _ends(self, quantity: Quantity) -> Range:
        found = self.measured[quantity.name]
        return found.low, found.high

    def _chart(self, quantity: Quantity, left: float, right: float) -> Chart:
        found = self.measured[quantity.name]
        names = [name for name in self.hypotheses if name in quantity.ranges]

        def draw(ax: Axes) -> None:
            for row, name in enumerate(names):
                low, high = _within(quantity.ranges[name], left, right)
                colour = style.DATA if _overlap(found, quantity.ranges[name]) else style.MUTED
                ax.barh(row, high - low, 0.5, left=low, color=colour, alpha=0.5, linewidth=0)
                write_beside(ax, row, quantity.predicted(name))
            low, high = _within(self._ends(quantity), left, right)
            ax.plot([low, high], [len(names)] * 2, color=style.INK, lw=3, solid_capstyle="butt")
            if found.value < left:  # such as 0, which has no place on a logarithmic axis
                ax.plot(left, len(names), "<", color=style.INK, ms=9, clip_on=False)
            elif not printed.too_wide(found.low, found.high):
                ax.plot(found.value, len(names), "o", color=style.INK, ms=7)
            ax.axvspan(low, high, color=style.INK, alpha=0.08, linewidth=0)
            write_beside(ax, len(names), quantity.of(found))
            name_rows(ax, [*names, "measured"])
            ax.tick_params(axis="y", pad=8)  # beside a mark at the edge

        said = "; ".join(f"{name} predicts {quantity.predicted(name)}" for name in names)
        return Chart(
            draw,
            f"{said}; measured: {quantity.of(found)}.",
            0.9 + 0.3 * len(names),
            title=f"{quantity.name[0].upper()}{quantity.name[1:]}".replace("`", ""),
            log="x",
            xlim=(left, right),
        )


def _overlap(measured: Estimate, ends: Range) -> bool:
    # An unknown end (NaN) excludes nothing.
    return not (measured.low > ends[1] or measured.high < ends[0])


def _within(ends: Range, left: float, right: float) -> Range:
    low, high = (min(max(end, left), right) for end in ends)
    return low, high
