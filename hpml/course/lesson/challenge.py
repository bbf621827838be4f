"""A lab's open challenge: compute the same results several times as fast, by any means."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable
from typing import Any

from hpml.base.errors import describe
from hpml.base.page import Page, frame, sentence
from hpml.base.style import FAIL, PASS, UNKNOWN
from hpml.benchmark import Ratio, compare
from hpml.course.lesson.exercises.same import difference
from hpml.course.sandbox.plain import as_plain


def challenge(
    given: Callable[..., Any],
    yours: Callable[..., Any],
    *arguments: Any,
    target: float,
    others: Iterable[tuple[Any, ...]] = (),
    tolerance: float = 1e-9,
) -> Page:
    """Time a function against the given one on equal arguments, and compare with the target.

    Args:
        given: the function to beat.
        yours: the student's function; it must return the same and must not change its arguments.
        arguments: the arguments of both calls.
        target: the required speed-up.
        others: more arguments, one tuple a call, on which both must agree; they are not timed.
        tolerance: the allowed difference of floats, relative for those above 1.

    Returns:
        The verdict. It is green only if the whole 95 % interval and the ratio of the medians reach
        the target, and "cannot tell" if the target is between them.

    >>> def slow(n):
    ...     return sum(range(n))
    >>> challenge(slow, lambda n: n * (n - 1) // 2, 10_000, target=10, others=[(-1,)])
    ✗ Not equal: called with -1, slow returns 0 and yours 1.
    """
    for tried in (arguments, *others):
        page = _difference(given, yours, tried, target, tolerance)
        if page is not None:
            return page
    runs = {"given": given, "yours": yours}
    found = compare(
        {name: functools.partial(function, *arguments) for name, function in runs.items()},
        rounds=15,
        min_sample_time=1e-3,
    )
    return _page_of_race(
        found.ratio("yours"), found["yours"].median / found["given"].median, target
    )


def _difference(
    given: Callable[..., Any],
    yours: Callable[..., Any],
    arguments: tuple[Any, ...],
    target: float,
    tolerance: float,
) -> Page | None:
    """Return how the student's function behaves differently, or None."""
    passed = copy.deepcopy(arguments)
    try:
        expected = as_plain(given(*copy.deepcopy(arguments)))
        got = as_plain(yours(*passed))
    except Exception as error:  # noqa: BLE001 - any exception of a student's function is reported
        return _page("✗", f"Not finished: your function raises {type(error).__name__}: {error}")
    if got is None and expected is not None:
        return _page("…", f"Not written yet: {target:g} times as fast is the target.")
    called = f"called with {', '.join(map(describe, arguments))}"
    if difference(expected, got, tolerance=tolerance, absolute=tolerance) is not None:
        name = getattr(given, "__name__", "the given one")
        text = f"{name} returns {describe(expected)} and yours {describe(got)}."
        return _page("✗", f"Not equal: {called}, {text}")
    if difference(list(arguments), as_plain(list(passed))) is not None:
        text = "your function changes its arguments, but the given function does not."
        return _page("✗", f"Not equal: {called}, {text}")
    return None


def _page_of_race(ratio: Ratio, medians: float, target: float) -> Page:
    """Return the verdict on a race; `medians` is the ratio of the two medians."""
    low, high = min(ratio.low, medians), max(ratio.high, medians)
    wide = high > 100 * low  # too wide to be worth showing
    between = "" if wide else f"{_plain_number(1 / high)} to {_plain_number(1 / low)}"
    if low <= 1 / target < high:
        seen = f"it was {between} times as fast; {target:g} times is the target"
        if wide:
            seen = f"its rounds differ too much to say whether {target:g} times is reached"
        again = "Run the cell again when fewer programs run."
        return _page("…", f"Equal results. This measurement cannot tell: {seen}. {again}")
    faster = f"{_plain_number(ratio.speed_up)} times as fast"
    text = f"{faster}{f' ({between})' if between else ''}; {target:g} times is the target."
    if high <= 1 / target:
        return _page("✓", f"Reached: {text}")
    return _page("…", f"Equal results, not there yet: {text}")


def _plain_number(x: float) -> str:
    """Return a number with three significant digits and no exponent: 12,300,000."""
    return f"{float(f'{x:.3g}'):,.12g}"


def _page(sign: str, text: str) -> Page:
    colour = {"✓": PASS, "✗": FAIL, "…": UNKNOWN}[sign]
    return Page(f"{sign} {text}", frame("Challenge", sentence(f"{sign} {text}"), colour))
