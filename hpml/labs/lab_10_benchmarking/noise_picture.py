"""Recorded samples as they came and as a histogram, with what one number would make of them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from hpml.base import style
from hpml.base.page import Page, picture
from hpml.base.tables import Table
from hpml.benchmark.robust import quartiles
from hpml.labs.lab_10_benchmarking.recordings import NAMES, Recording, recording


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
