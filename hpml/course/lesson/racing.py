"""Time a student's functions next to the given ones, after checking that the results are equal."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from hpml.base import style
from hpml.base.charts import Dot, dots, show
from hpml.base.environment import flag
from hpml.base.errors import describe
from hpml.base.page import Page, put, say
from hpml.base.tables import format_seconds
from hpml.benchmark import BenchmarkError, Comparison, compare
from hpml.benchmark.agreement import same_results
from hpml.benchmark.estimate import Estimate
from hpml.benchmark.ratio import RESOLUTION
from hpml.course.lesson.predictions.prediction import current_lab
from hpml.course.lesson.reference import keep_revealed, recorded
from hpml.course.this_run import quick


def rounds() -> int:
    """Return the number of rounds of a lab's comparisons, fewer with HPML_QUICK."""
    return 9 if quick() else 25


def race(
    runs: Mapping[str, Callable[[], Any]],
    baseline: str | None = None,
    *,
    times: int = 1,
    resolution: float = RESOLUTION,
) -> Comparison:
    """Compare in interleaved rounds.

    With `times` above 1 it takes that many times the rounds and never stops early, for estimates of
    a difference: a clear ratio does not mean a precise difference. A coarser `resolution` suits
    tables in which smaller changes vary from process to process.
    """
    # Two warm-up calls, because in labs the first call may compile.
    return compare(
        dict(runs),
        baseline=baseline,
        rounds=times * rounds(),
        warm_up=2,
        stop_early=times == 1,
        resolution=resolution,
        progress=not flag("HPML_HEADLESS"),
    )


def answering(
    runs: Mapping[str, Callable[[], Any]], expected: object
) -> dict[str, Callable[[], Any]]:
    """Return the student's functions that return the expected value, and report the others."""
    ready = {}
    for name, run in runs.items():
        try:
            result = run()
            same_results()({"expected": expected, name: result})
        except BenchmarkError:
            problem = f"it returned {describe(result)}"
        except Exception as error:  # noqa: BLE001 - unfinished code may raise anything
            problem = f"{type(error).__name__}: {error}"[:200]
        else:
            ready[name] = run
            continue
        put(say(f"**{name}** is left out: {problem}."), uuid.uuid4().hex)
    return ready


def draw_per_item(
    times: Comparison, title: str, item: str, limits: tuple[float, float] | None = None
) -> Page:
    """Draw the times per item on a logarithmic axis."""
    rows, shades = [], style.series(times.names)
    for each in times:
        low, middle, high = each.quartiles
        colour, marker, text = shades[each.name], style.marker(each.name), format_seconds(middle)
        rows.append(Dot(each.name, 1e9 * middle, text, (1e9 * low, 1e9 * high), colour, marker))
    fastest, *_, slowest = sorted(times, key=lambda each: each.median)
    factor = float(f"{slowest.median / fastest.median:.2g}")
    text = (
        f"Fastest: {fastest.name}, {format_seconds(fastest.median)}; slowest: {slowest.name}, "
        f"{format_seconds(slowest.median)}, about {factor:,g} times as long. "
        f"Median of {times.rounds} rounds; the line is the 25–75 % band."
    )
    x = f"ns per {item}, on a logarithmic axis"
    return show(dots(rows, title=title, x=x, log="x", xlim=limits), caption=text)


def conclude(
    changes: Mapping[str, tuple[Estimate, Estimate]],
    fits: Mapping[tuple[str, ...], str],
    factor: float = 1.5,
) -> Page:
    """Report how each time changed between two estimates, and which hypothesis this supports."""
    found = tuple(before.change_to(after, factor) for before, after in changes.values())
    endings = {
        "cannot tell": "this cannot be told apart from no change",
        "stays": f"it stays within a factor of {factor:g}",
    }
    seen = "\n\n".join(
        f"{name[0].upper()}{name[1:]}: from {format_interval(before)} to {format_interval(after)}; "
        f"{endings.get(change, f'it {change}')}."
        for (name, (before, after)), change in zip(changes.items(), found, strict=True)
    )
    if "cannot tell" in found:
        verdict = "The intervals are too wide to explain anything: measure on a quieter machine. "
        verdict += recorded(current_lab().name, "explanation")
    else:
        fitting = f"fits **{fits.get(found, 'none of them alone')}**"
        keep_revealed("explanation", f"{'; '.join(found)}: {fitting}")
        verdict = f"That {fitting}."
    return say(f"{seen}\n\n{verdict}")


def format_interval(estimate: Estimate) -> str:
    """Return a time with its 95 % interval."""
    value, low, high = map(format_seconds, (estimate.value, estimate.low, estimate.high))
    return f"{value} ({low} to {high})"
