"""Recorded samples (see ``data/recorded``) as values, figures and tables."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from hpml.base import style
from hpml.base.charts import Line, histogram, lines, show
from hpml.base.page import Page
from hpml.base.tables import Table
from hpml.benchmark.robust import quartiles
from hpml.course.files import recorded

NAMES = ("outliers", "quiet", "equal", "drift", "wander", "modes")


@dataclass(frozen=True)
class Recording:
    """Times of two programs in µs per call, in turns; b does `truth` times the work of a."""

    name: str
    about: str
    truth: float
    a: tuple[float, ...]
    b: tuple[float, ...]
    machine: Mapping[str, str | int | float | None]
    command: str

    @property
    def where(self) -> str:
        """The machine and the versions in one line."""
        m = self.machine
        return f"{m['cpu']}, {m['logical_cores']} cores, {m['platform']}, Python {m['python']}"


@cache
def recording(name: str) -> Recording:
    """Return the recording of a situation."""
    data = recorded(f"noise_{name}")
    given = {key: data[key] for key in ("about", "truth", "machine", "command")}
    return Recording(name, a=tuple(data["a"]), b=tuple(data["b"]), **given)


def draw_noise(found: Recording) -> Page:
    """Draw the samples of program a in order, and their histogram."""
    samples = list(found.a)
    levels = [
        ("minimum", min(samples), style.PASS, "-"),
        ("median", statistics.median(samples), style.INK, "-"),
        ("mean", statistics.mean(samples), style.ACCENT, "--"),
    ]
    drawn = [Line("samples", range(1, len(samples) + 1), samples, "", style.SECOND, "o")]
    drawn += [
        Line(name, [1, len(samples)], [level, level], form, colour)
        for name, level, colour, form in levels
    ]
    highest = max(max(recording(name).a) for name in NAMES)
    bins = [20 * k for k in range(26, int(highest / 20) + 2)]
    summary = ", ".join(f"{name} {level:.0f} µs" for name, level, *_ in levels)
    beside = f"The second process: {found.about}."
    if found.name in ("quiet", "equal"):
        beside = f"{found.about[0].upper()}{found.about[1:]}."
    return show(
        lines(
            drawn,
            title=f"{found.name}: {len(samples)} samples",
            x="in the order taken",
            y="µs per call",
            ylim=(540, 1.03 * highest),
        ),  # the same in all situations
        histogram(samples, bins, title="How often", x="samples"),
        beside=True,
        ratios=(2, 1),
        width=9.4,
        caption=f"{beside} Recorded: {found.where}.",
        text=f"{found.name}: {summary}. {beside}",
    )


def summaries() -> Table:
    """Return the minimum, quartiles and mean of program a in each situation."""
    rows = []
    for name in NAMES:
        samples = recording(name).a
        rows.append([name, min(samples), *quartiles(samples), statistics.mean(samples)])
    columns = ["situation", "minimum", "25 %", "median", "75 %", "mean"]
    formats = dict.fromkeys(columns[1:], "{:,.0f}".format)
    where = recording(NAMES[0]).where
    return Table(columns, rows, caption=f"µs per call, recorded: {where}.", formats=formats)
