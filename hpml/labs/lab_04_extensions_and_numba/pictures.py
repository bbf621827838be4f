"""The lab's pictures: time for each number, and when the time of compiling is won back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from hpml.base import style
from hpml.base.old_charts import name_rows
from hpml.base.page import Page, picture
from hpml.benchmark import Comparison
from hpml.course.racing import race


def draw_per_number(times: Comparison, title: str) -> Page:
    """Draw ns for each number on a logarithmic axis; `times` is for each number already."""
    fig, ax = style.figure(width=7.6, height=1.4 + 0.33 * len(times.names))
    shades = style.colours(times.names)
    told = []
    with style.apply():
        ax.set_xscale("log")
        for row, way in enumerate(times):
            # A dot: on this axis there is no 0 from which a bar could begin.
            low, middle, high = (1e9 * time for time in way.quartiles)
            ax.plot([low, high], [row, row], color=style.PALETTE["ink"], linewidth=1.2)
            ax.plot(middle, row, style.marker(way.name), color=shades[way.name], markersize=9)
            ax.annotate(f"{middle:,.3g} ns", (max(middle, high), row), xytext=(10, 0),
                        textcoords="offset points", va="center")  # fmt: skip
            told.append(f"{way.name} {middle:,.3g} ns")
        ax.set_xlim(0.4 * min(way.median for way in times) * 1e9,
                    6e9 * max(way.median for way in times))  # fmt: skip
    name_rows(ax, times.names)
    style.finish(ax, title=title, x="ns per number (each line to the right: ten times)", y="")
    text = f"{'; '.join(told)}. Median of {times.rounds} rounds; the line is the 25–75 % band."
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
