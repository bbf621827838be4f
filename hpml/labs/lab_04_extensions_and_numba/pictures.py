"""The lab's pictures: time for each number, and when the time of compiling is won back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from hpml.base import style
from hpml.base.charts import Bar, bars
from hpml.base.page import Page, picture
from hpml.benchmark import Comparison
from hpml.course.racing import race


def draw_per_number(times: Comparison, title: str) -> Page:
    """Draw ns for each number as bars on a logarithmic axis; `times` is for each number already."""
    middles = [1e9 * way.median for way in times]
    lower, upper = 0.4 * min(middles), 6 * max(middles)
    fig, ax = style.figure(width=7.6, height=1.4 + 0.33 * len(middles))
    shades = style.colours(times.names)
    rows = []
    for name, middle in zip(times.names, middles, strict=True):
        low, _, high = (1e9 * time for time in times[name].quartiles)
        rows.append(Bar(name, [(middle - lower, shades[name])], f"{middle:,.3g} ns", (low, high),
                        lower))  # fmt: skip
    with style.apply():
        ax.set_xscale("log")
        ax.set_xlim(lower, upper)
    bars(ax, rows)
    style.finish(ax, title=title, x="ns per number (each line to the right: ten times)", y="")
    told = "; ".join(f"{row.name} {row.text}" for row in rows)
    text = f"{told}. Median of {times.rounds} rounds; the line at a bar's end is the 25–75 % band."
    style.caption(fig, text)
    return picture(fig, text)


def times_by_size(
    functions: Mapping[str, Callable[[Any], object]], sizes: Sequence[int]
) -> dict[int, Comparison]:
    """Return a comparison for each size: calls with an array of 100 columns and so many numbers."""
    import numpy as np

    generator = np.random.default_rng(0)
    arrays = {size: generator.random((size // 100, 100)) for size in sizes}
    return {
        size: race({name: partial(run, a) for name, run in functions.items()})
        for size, a in arrays.items()
    }


def draw_break_even(
    calls_to: Callable[[float, float, float], float | None],
    compile_times: Mapping[str, float],
    times: Comparison,
    title: str,
) -> Page:
    """Draw the time of all calls together, compiling included, against the number of calls.

    Args:
        calls_to: the student's function; it may not be written yet.
        compile_times: in seconds, by name; the baseline of `times` is not compiled.
        times: seconds a call.
        title: of the picture.
    """
    slow = times[times.baseline].median
    counts = [10 ** (step / 10) for step in range(61)]
    fig, ax = style.figure(width=7.6, height=4.2)
    shades = style.colours(times.names)
    told = []
    with style.apply():
        for way in times:
            once = compile_times.get(way.name, 0.0)
            total = [once + count * way.median for count in counts]
            ax.plot(counts, total, color=shades[way.name], label=way.name)
            if way.name == times.baseline:
                continue
            answer = calls_to(once, slow, way.median)
            if answer is None:
                continue
            told.append(f"{way.name} pays {_from(answer)}")
            if 1 <= answer <= counts[-1]:
                spent = once + answer * way.median
                ax.plot([answer], [spent], "o", color=shades[way.name], markersize=8)
        ax.set(xscale="log", yscale="log", xlim=(1, counts[-1]))
        ax.legend(loc="upper left")
    style.finish(ax, title=title, x="calls", y="seconds in all, compiling included")
    said = "; ".join(told) or "your calls_to_break_even is not written yet"
    text = f"By your formula: {said}." if told else f"No marks: {said}."
    style.caption(fig, text)
    return picture(fig, text)


def _from(calls: float) -> str:
    if math.isinf(calls):
        return "never"
    return f"from call {calls:,.0f} on"
