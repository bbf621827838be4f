"""Tables and figures of lab 01: duck typing, memory by container, the cost of a loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hpml.base import style
from hpml.base.charts import Bar, bars, show
from hpml.base.errors import describe
from hpml.base.page import Page
from hpml.base.tables import Table
from hpml.benchmark import Comparison, Estimate
from hpml.benchmark.estimate import estimate
from hpml.course.labs.lab_01_dynamic_typing.objects import Memory
from hpml.course.lesson.racing import format_interval

LEAST = 2e-9
"""Seconds: smaller differences are not visible in the table."""

_PARTS = {
    "container": style.INK,
    "pointers": style.ACCENT,
    "headers": style.MUTED,
    "numbers": style.SECOND,
}


def tried(function: Callable[[object], object], values: Mapping[str, object]) -> Table:
    """Call `function` with each value, and return a table of the results and errors."""
    rows = []
    for name, value in values.items():
        try:
            result = function(value)
            shown = f"{type(result).__name__}: {_short(result)}"
        except Exception as error:  # noqa: BLE001 - the error of any type is the result
            shown = f"{type(error).__name__}: {error}"
        rows.append([name, type(value).__name__, shown])
    name = getattr(function, "__name__", "function")
    return Table(["what", "type of x", f"{name if name.isidentifier() else 'function'}(x)"], rows)


def _short(value: object) -> str:
    from hpml.symbolic.compat import SymbolicTensor

    if isinstance(value, SymbolicTensor):
        return repr(value)  # with the unknown batch size as None, as in lab 05
    if hasattr(value, "tolist") and getattr(value, "ndim", 2) < 2:
        return describe(value.tolist())
    return describe(value)


class Written:
    """A symbolic number: it records the expression instead of computing it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __add__(self, other: object) -> Written:
        return Written(f"{self.text} + {other}")

    def __radd__(self, other: object) -> Written:
        return Written(f"{other} + {self.text}")

    def __mul__(self, other: object) -> Written:
        return Written(f"{_factor(self)} * {_factor(other)}")

    def __rmul__(self, other: object) -> Written:
        return Written(f"{_factor(other)} * {_factor(self)}")

    def __repr__(self) -> str:
        return self.text


def _factor(value: object) -> str:
    text = str(value)
    return f"({text})" if isinstance(value, Written) and " + " in text else text


def draw_memory(memories: Sequence[Memory]) -> Page:
    """Draw the bytes of the same numbers by purpose, one bar per container."""
    rows = [
        Bar(
            memory.kind,
            [(size / 1e6, _PARTS[part]) for part, size in memory.parts.items()],
            f"{memory.total / 1e6:.1f} MB, {memory.per_number:.1f} bytes a number",
        )
        for memory in memories
    ]
    largest = max(memories, key=lambda memory: memory.total)
    smallest = min(memories, key=lambda memory: memory.total)
    text = (
        f"The {largest.kind} takes {largest.total / smallest.total:.1f} times the bytes of the "
        f"{smallest.kind}. The containers themselves are too small to be seen."
    )
    title = f"{memories[0].n:,} different float64 numbers"
    chart = bars(rows, title=title, x="MB (millions of bytes)", legend=_PARTS)
    return show(chart, caption=text, text=text)


def extra_times(measured: Comparison) -> dict[str, Estimate]:
    """Return what the lab's hypotheses predict, by the name of the quantity."""
    few = measured.difference("array", "list")
    many = measured.difference("array, many", "list, many")
    adding = measured.difference("NumPy's numbers", "floats")
    # An iteration looks up twice and adds once.
    return {
        "a lookup with few numbers / with many": few / many,
        "looking up, of the extra time with few": estimate(
            [
                2 * a / (2 * a + b) if 2 * a + b else 1.0
                for a, b in zip(few.samples, adding.samples, strict=True)
            ]
        ),
    }


def shares(measured: Comparison) -> str:
    """Return how much each cause contributes to the extra time, as text for `say`."""
    look_up = measured.difference("array", "list")
    boxing = measured.difference("array.array", "list")
    adding = measured.difference("NumPy's numbers", "floats")
    share = extra_times(measured)["looking up, of the extra time with few"]
    both = all(each.against(LEAST) == "above" for each in (look_up, adding))
    lines = [
        f"With few elements, a lookup in the array takes {format_interval(look_up)} longer than in "
        f"the list, and an addition of its numbers {format_interval(adding)} longer."
    ]
    if both:
        lines.append(
            "**A** and **C** both contribute. An iteration looks up twice and adds once: of their "
            f"extra time, **{_percent(share.low, share.high)}** is lookup and "
            f"**{_percent(1 - share.high, 1 - share.low)}** is addition. Storing, "
            "`out[i] = ...`, is not included."
        )
    if boxing.against(0) == "above" and look_up.against(LEAST) == "above":
        part = boxing / look_up
        lines.append(
            "An `array.array` also creates an object at each lookup, a Python float. That costs "
            f"{_percent(part.low, part.high)} of the extra time of NumPy's lookup."
        )
    return "\n\n".join(lines)


def _percent(low: float, high: float) -> str:
    ends = f"{low:z.0%}", f"{high:z.0%}"
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)
