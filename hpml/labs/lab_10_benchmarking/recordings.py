"""Samples that were really taken (see `record`), as values, as a picture and as a table."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from hpml.base import style
from hpml.base.files import data_file
from hpml.base.page import Page, picture
from hpml.base.tables import Table
from hpml.benchmark.robust import quartiles

NAMES = ("outliers", "quiet", "equal", "drift", "wander", "modes")


@dataclass(frozen=True)
class Recording:
    """Microseconds a call of two programs, in turns; b does `truth` times the work of a."""

    name: str
    about: str
    truth: float
    a: tuple[float, ...]
    b: tuple[float, ...]
    machine: Mapping[str, str | int | float | None]
    command: str

    @property
    def where(self) -> str:
        """Machine and versions in one line."""
        m = self.machine
        return f"{m['cpu']}, {m['logical_cores']} cores, {m['platform']}, Python {m['python']}"


@cache
def recording(name: str) -> Recording:
    """Return a recording, by the name of its situation.

    >>> quiet = recording("quiet")
    >>> quiet.truth, len(quiet.a) == len(quiet.b)
    (1.1, True)
    """
    data = json.loads(data_file(f"recorded/noise_{name}.json").read_text(encoding="utf-8"))
    given = {key: data[key] for key in ("about", "truth", "machine", "command")}
    return Recording(name, a=tuple(data["a"]), b=tuple(data["b"]), **given)


def draw_noise(found: Recording) -> Page:
    """Draw the samples of program a in the order taken, and how often each time came."""
    fig, (left, right) = style.figure(
        1, 2, width=9.4, height=3.6, sharey=True, gridspec_kw={"width_ratios": [2, 1]}
    )
    samples = list(found.a)
    lines = [("minimum", min(samples), "codegen", "-"),
             ("median", statistics.median(samples), "ink", "-"),
             ("mean", statistics.mean(samples), "accent", "--")]  # fmt: skip
    with style.apply():
        left.plot(range(1, len(samples) + 1), samples, "o", ms=4, color=style.PALETTE["sequential"])
        highest = max(max(recording(name).a) for name in NAMES)
        bins = [20 * k for k in range(26, int(highest / 20) + 2)]
        right.hist(samples, bins, orientation="horizontal", color=style.PALETTE["sequential"])
        for ax in (left, right):
            for name, value, role, form in lines:
                label = name if ax is right else None
                ax.axhline(value, color=style.PALETTE[role], ls=form, lw=1.3, label=label)
        left.set_ylim(540, 1.03 * highest)  # the same in all situations
    style.finish(left, title=f"{found.name}: {len(samples)} samples", x="in the order taken",
                 y="µs a call")  # fmt: skip
    style.finish(right, title="How often", x="samples", y="")
    said = ", ".join(f"{name} {value:.0f} µs" for name, value, *_ in lines)
    beside = f"Beside it a second process: {found.about}."
    if found.name in ("quiet", "equal"):
        beside = f"{found.about[0].upper()}{found.about[1:]}."
    style.caption(fig, f"{beside} Recorded: {found.where}.")
    return picture(fig, f"{found.name}: {said}. {beside}")


def summaries(names: Sequence[str] = NAMES) -> Table:
    """Return minimum, quartiles and mean of one program in each situation."""
    rows = []
    for name in names:
        samples = recording(name).a
        rows.append([name, min(samples), *quartiles(samples), statistics.mean(samples)])
    columns = ["situation", "minimum", "25 %", "median", "75 %", "mean"]
    formats = dict.fromkeys(columns[1:], "{:,.0f}".format)
    where = recording(names[0]).where
    return Table(columns, rows, caption=f"µs a call, recorded: {where}.", formats=formats)
