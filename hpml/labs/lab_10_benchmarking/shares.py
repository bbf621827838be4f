"""One program, profiled and benchmarked: whom each holds responsible for the time."""

from __future__ import annotations

from collections.abc import Mapping

from hpml.base import style
from hpml.base.charts import Bar, bars
from hpml.base.page import Page, picture


def shares(seconds: Mapping[str, float]) -> dict[str, float]:
    """Return each part of a sum as a fraction of it.

    >>> shares({"a": 3.0, "b": 1.0})
    {'a': 0.75, 'b': 0.25}
    """
    return {name: part / sum(seconds.values()) for name, part in seconds.items()}


def draw_shares(
    profiled: Mapping[str, float], measured: Mapping[str, float], calls: Mapping[str, int]
) -> Page:
    """Draw the share of each function, by the profile and by the benchmark.

    Args:
        profiled: seconds by function, with the profiler.
        measured: seconds by function, without.
        calls: how many calls the profiler saw in each.
    """
    fig, ax = style.figure(width=7.6, height=3.6)
    rows, told = [], []
    by_profile, by_benchmark = shares(profiled), shares(measured)
    for name in profiled:
        for way, share, role in (
            ("profile", by_profile[name], "accent"),
            ("benchmark", by_benchmark[name], "handwritten"),
        ):
            text = f"{share:.0%}" + (f", {calls[name]:,} calls" if way == "profile" else "")
            rows.append(Bar(f"{name}, {way}", [(100 * share, style.PALETTE[role])], text))
        told.append(
            f"{name}: {by_profile[name]:.0%} by the profile, {by_benchmark[name]:.0%} by the "
            f"benchmark, {calls[name]:,} calls"
        )
    with style.apply():
        ax.set_xlim(0, 125 * max(*by_profile.values(), *by_benchmark.values()))
    bars(ax, rows)
    style.finish(ax, title="Who takes the time?", x="% of the program's time", y="")
    text = "; ".join(told) + "."
    style.caption(fig, "Above with the profiler, below without. Calls as the profiler saw them.")
    return picture(fig, text)
