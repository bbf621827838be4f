"""A lab's open challenge: equal results in a fraction of the time, and no way suggested."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

from hpml.base.errors import describe
from hpml.base.page import Page, frame, sentence
from hpml.base.style import PALETTE
from hpml.base.tables import format_seconds
from hpml.benchmark import compare
from hpml.course.exercises.same import difference
from hpml.sandbox.plain import decode, encode


def challenge(
    given: Callable[..., Any],
    yours: Callable[..., Any],
    *arguments: Any,
    target: float,
    rounds: int = 15,
) -> Page:
    """Race a function against the given one on equal arguments, and say how far it is to go.

    Args:
        given: the function to be beaten.
        yours: the student's; it must return the same and leave its arguments as they are.
        arguments: what both are called with.
        target: how many times as fast is asked for.
        rounds: of the comparison, in which both take turns.

    Returns:
        What came of it. It is green only if the whole 95 % interval lies beyond the target.

    >>> def slow(n):
    ...     return sum(range(n))
    >>> challenge(slow, lambda n: n * (n - 1) // 2, 10_000, target=10, rounds=6).plain[:11]
    '✓ Reached: '
    >>> challenge(slow, lambda n: n, 10, target=10)
    ✗ Not equal: slow returns 45 and yours 10.
    """
    before = copy.deepcopy(arguments)
    try:
        expected = given(*copy.deepcopy(arguments))
        got = decode(encode(yours(*arguments)))
    except Exception as error:  # noqa: BLE001 - whatever a student's function raises is told
        return _page("✗", f"Not finished: yours raises {type(error).__name__}: {error}")
    if got is None and expected is not None:
        return _page("…", f"Not written yet: {target:g} times as fast is the target.")
    if difference(expected, got, tolerance=1e-9) is not None:
        name = getattr(given, "__name__", "the given one")
        said = f"{name} returns {describe(expected)} and yours {describe(got)}."
        return _page("✗", f"Not equal: {said}")
    if difference(list(before), decode(encode(list(arguments)))) is not None:
        return _page(
            "✗", "Not equal: yours changes its arguments, and the given function does not."
        )
    runs = {"given": given, "yours": yours}
    found = compare({name: functools.partial(way, *arguments) for name, way in runs.items()},
                    rounds=rounds, min_sample_time=1e-3)  # fmt: skip
    ratio = found.ratio("yours")
    times = " against ".join(format_seconds(found[name].median) for name in ("yours", "given"))
    said = f"{ratio.speed_up:.2g} times as fast ({times}); {target:g} times is the target."
    if ratio.high <= 1 / target:
        return _page("✓", f"Reached: {said}")
    return _page("…", f"Equal results, not there yet: {said}")


def _page(sign: str, text: str) -> Page:
    colour = {"✓": "codegen", "✗": "accent", "…": "muted"}[sign]
    return Page(f"{sign} {text}", frame("Challenge", sentence(f"{sign} {text}"), PALETTE[colour]))
