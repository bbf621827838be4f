"""Time a student's functions next to the given ones, after checking that the results are equal."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hpml.base import accelerator, style
from hpml.base.charts import Dot, dots, show
from hpml.base.environment import flag
from hpml.base.errors import describe
from hpml.base.page import Page, put, say
from hpml.base.tables import format_seconds
from hpml.benchmark import BenchmarkError, Comparison, Estimate, Ratio, compare
from hpml.benchmark.agreement import same_results
from hpml.benchmark.printed import too_wide
from hpml.benchmark.ratio import RESOLUTION
from hpml.course.lesson.conclusions.concluding import judge, recorded_verdict
from hpml.course.lesson.predictions.prediction import current_lab
from hpml.course.lesson.reference import keep_closing, keep_revealed
from hpml.course.this_run import quick

Measured = Estimate | Ratio | float | tuple[Estimate, ...]
"""A quantity, or the two between which the experiment looks for a change."""


SAMPLE = 3e-4
"""Seconds of the shortest sample of a race.

On a busy machine the operating system takes the processor away every few milliseconds. Most samples
of this length escape that, most of 2 ms do not. ``python -m tests.benchmarks.racing`` simulates it.
"""

MOST_ROUNDS = 225
"""Rounds of a race of short calls, unless it is clear before."""

BUDGET = 0.15
"""Seconds for each contender, which limit the rounds of long calls."""


def rounds() -> int:
    """Return the least number of rounds of a lab's comparisons, fewer with HPML_QUICK."""
    return 9 if quick() else 25


def rounds_for(seconds: Iterable[float], times: int = 1) -> int:
    """Return the rounds for contenders whose calls take so many seconds.

    >>> rounds_for([1e-6, 2e-6]) > rounds_for([1e-3, 2e-3]) > rounds_for([1.0, 2.0])
    True
    """
    samples = [max(SAMPLE, each) for each in seconds]
    share = rounds() / 25
    affordable = int(share * BUDGET * len(samples) / sum(samples))
    return times * min(max(rounds(), affordable), int(share * MOST_ROUNDS))


def race(
    runs: Mapping[str, Callable[[], Any]],
    baseline: str | None = None,
    *,
    times: int = 1,
    resolution: float = RESOLUTION,
) -> Comparison:
    """Compare in interleaved rounds.

    It takes many rounds of short samples, and of long calls as many as `BUDGET` allows, and stops
    when the answer is clear. With `times` above 1 it takes that many times the rounds and never
    stops early, for estimates of a difference: a clear ratio does not mean a precise difference. A
    coarser `resolution` suits tables in which smaller changes vary from process to process.
    """
    # Two warm-up calls, because in labs the first call may compile.
    return compare(
        dict(runs),
        baseline=baseline,
        rounds=rounds_for(map(_seconds, runs.values()), times),
        min_sample_time=SAMPLE,
        warm_up=2,
        stop_early=times == 1,
        resolution=resolution,
        progress=not flag("HPML_HEADLESS"),
    )


def _seconds(run: Callable[[], Any]) -> float:
    """Return the seconds of a call; 0 if it fails, which `compare` reports with its name."""
    now, taken = accelerator.clock(time.perf_counter), []
    for _ in range(2):  # the first call may compile
        start = now()
        try:
            run()
        except Exception:  # noqa: BLE001 - any exception of a contender
            return 0.0
        taken.append(now() - start)
    return min(taken)


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


def engine_name(function: Callable[..., Any]) -> str:
    """Return the name of a function in a race: the student's, or the course's own version."""
    owner = "the course's" if function.__module__.startswith("hpml.") else "your"
    return f"{owner} {function.__name__}"


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
    factor = times.ratio(slowest.name, fastest.name).shown
    text = (
        f"{slowest.name} takes {factor} times as long as {fastest.name}. "
        f"Median of {times.rounds} rounds; line: quartiles."
    )
    x = f"ns per {item}, on a logarithmic axis"
    return show(dots(rows, title=title, x=x, log="x", xlim=limits), caption=text)


def conclude(measured: Mapping[str, Measured], also: str = "") -> Page:
    """Return which of the open lab's hypotheses its measurement supports.

    Args:
        measured: by the name of each quantity in the lab's ``texts.toml``: an `Estimate`, or the
            estimates before and after a change, of which the quotient is judged; a number is exact.
        also: text before the verdict, such as the share of each cause where both contribute.

    Returns:
        What was measured, what each hypothesis predicted, and which stand, as text and picture.
        If the measurement cannot tell, the recorded verdict is shown as well.

    Raises:
        LabError: if `measured` has other names than the lab's texts.
    """
    lab = current_lab().name
    verdict = judge(lab, {name: _estimate(each) for name, each in measured.items()})
    keep_closing({name: (e.value, e.low, e.high) for name, e in verdict.measured.items()})
    changes = [
        f"{name[0].upper()}{name[1:]}: from {format_interval(each[0])} to "
        f"{format_interval(each[1])}, {verdict.of(name)}."
        for name, each in measured.items()
        if isinstance(each, tuple)
    ]
    ending = verdict.conclusion
    if verdict.fits == "cannot tell":
        ending += f" Measure on a quieter machine. {recorded_verdict(lab)}"
    else:
        keep_revealed("explanation", verdict.seen)
    last = say("\n\n".join(filter(None, [also, ending])))
    first, table, drawn = say("\n\n".join(changes)), verdict.table, verdict.picture()
    return Page(
        "\n\n".join(filter(None, [first.plain, str(table), last.plain])),
        first.html + table._repr_html_() + (drawn.html if drawn else "") + last.html,
        drawn.png if drawn else None,
    )


def format_interval(estimate: Estimate) -> str:
    """Return a time with its 95 % interval, or the interval alone if it is too wide.

    >>> format_interval(Estimate(2e-6, 1.9e-6, 2.1e-6))
    '2.00 µs (1.90 µs to 2.10 µs)'
    >>> format_interval(Estimate(1e-6, -1e-6, 3e-6))
    '-1.00 µs to 3.00 µs'
    """
    value, low, high = map(format_seconds, (estimate.value, estimate.low, estimate.high))
    if too_wide(estimate.low, estimate.high):
        return f"{low} to {high}"
    return f"{value} ({low} to {high})"


def _estimate(measured: Measured) -> Estimate:
    if isinstance(measured, tuple):
        before, after = measured
        return after / before
    if isinstance(measured, Ratio):
        return Estimate(measured.value, measured.low, measured.high)
    if isinstance(measured, Estimate):
        return measured
    return Estimate(float(measured), float(measured), float(measured))
