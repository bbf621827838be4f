"""Show the result of a function, with a control for each argument."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hpml.base.errors import describe
from hpml.base.page import notebook_shell
from hpml.widgets.errors import WidgetError
from hpml.widgets.explore.states import Control, States, html_of

MOST_CHOICES = 100
"""Limit of combinations of values, since every one is computed when the cell runs."""
MOST_BYTES = 4_000_000
"""Limit of the HTML of all results, for the size of the notebook."""


def explore(show: Callable[..., object], **controls: Sequence[object]) -> None:
    """Show the value of `show`, and let the reader change its arguments.

    Every combination of values is computed now, so the controls also work without a kernel, as in
    the book. Texts are chosen from a list, other values with a slider. The picture of the previous
    choice stays below the new one, small and faint.

    Args:
        show: called with one value per control; returns anything that a cell can show.
        **controls: two or more values for each argument, at most `MOST_CHOICES` combinations. A
            control starts at the function's default if that is among them, otherwise at the first.

    Raises:
        WidgetError: if a control has fewer than two values, if there are too many combinations, or
            if their results take more than `MOST_BYTES`.

    >>> explore(lambda n: n * n, n=[3, 4, 5])
    9
    """
    choices = _choices(show, controls)
    shell = notebook_shell()
    if shell is None:
        print(show(**{each.name: each.values[each.start] for each in choices}))
        return
    states = compute(show, choices, shell.display_formatter.format)
    from IPython.display import display

    publish: Any = display
    publish({"text/plain": states.plain, "text/html": states.html}, raw=True)


def compute(
    show: Callable[..., object], controls: Sequence[Control], form: Callable[[object], Any]
) -> States:
    """Return the results for all combinations; `form` is IPython's ``format`` of a value."""
    plain, pages = "", list[str]()
    start = tuple(control.start for control in controls)
    for places in itertools.product(*(range(len(control.values)) for control in controls)):
        pairs = zip(controls, places, strict=True)
        data, _ = form(show(**{control.name: control.values[place] for control, place in pairs}))
        pages.append(html_of(data))
        plain = data.get("text/plain", "") if places == start else plain
    states = States(tuple(controls), tuple(pages), plain)
    if (size := len(states.html)) > MOST_BYTES:
        raise WidgetError(
            object="the results of explore",
            expected=f"at most {MOST_BYTES / 1e6:g} MB",
            received=f"{size / 1e6:.1f} MB for {len(pages)} combinations",
            remedy="Pass fewer values, or show smaller results.",
        )
    return states


def _choices(
    show: Callable[..., object], controls: Mapping[str, Sequence[object]]
) -> tuple[Control, ...]:
    for name, values in controls.items():
        if isinstance(values, str) or len(values) < 2:
            raise WidgetError(
                object=f"{name} of explore",
                expected="two or more values",
                received=describe(values),
                remedy=f"Pass {name}=[first, second].",
            )
    counts = [len(values) for values in controls.values()]
    if math.prod(counts) > MOST_CHOICES:
        raise WidgetError(
            object="controls of explore",
            expected=f"at most {MOST_CHOICES} combinations, since each is computed in advance",
            received=f"{' × '.join(map(str, counts))} = {math.prod(counts):,}",
            remedy="Pass fewer values, or fewer controls.",
        )
    parameters = inspect.signature(show).parameters
    defaults = {name: each.default for name, each in parameters.items()}
    return tuple(
        Control(
            name, tuple(values), list(values).index(d) if (d := defaults.get(name)) in values else 0
        )
        for name, values in controls.items()
    )
