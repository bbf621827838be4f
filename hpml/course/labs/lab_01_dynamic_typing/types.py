"""Tables and figures of lab 01: duck typing, memory by container, the cost of a loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hpml.base import style
from hpml.base.charts import Bar, bars, show
from hpml.base.errors import describe
from hpml.base.page import Page
from hpml.base.tables import Table, format_seconds
from hpml.benchmark import Comparison
from hpml.course.labs.lab_01_dynamic_typing.objects import Memory
from hpml.course.lesson.reference import recorded_conclusion

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


def what_fits(measured: Comparison) -> str:
    """Return which of the lab's hypotheses the measurement supports, as text for `say`."""
    look_up = measured.difference("array", "list")
    boxing = measured.difference("array.array", "list")
    adding = measured.difference("NumPy's numbers", "floats")
    lines = [
        f"With few elements, a lookup in the array takes {format_seconds(look_up.value)} longer "
        f"than in the list, and an addition of its numbers {format_seconds(adding.value)} longer."
    ]
    parts = {"A": look_up.against(LEAST) == "above", "C": adding.against(LEAST) == "above"}
    if all(parts.values()):
        share = 2 * look_up.value / (2 * look_up.value + adding.value)
        lines.append(
            "**A** and **C** both contribute. An iteration looks up twice and adds once: of "
            f"their extra time, **{share:.0%}** is lookup and **{1 - share:.0%}** is addition. "
            "Storing, `out[i] = ...`, is not included."
        )
    elif any(parts.values()):
        lines.append(f"Only **{'A' if parts['A'] else 'C'}** clearly contributes.")
    else:
        lines.append("Neither is clearly longer here: this measurement cannot tell.")
    if parts["A"] and boxing.against(0) == "above":
        lines.append(
            "An `array.array` also creates an object at each lookup, a Python float. That "
            f"costs {boxing.value / look_up.value:.0%} of the extra time of NumPy's lookup."
        )
    lines.append(_memory(measured, look_up.value))
    return "\n\n".join(lines)


def _memory(measured: Comparison, before: float) -> str:
    slower = {}
    for name in ("list", "array"):
        more = measured.difference(f"{name}, many", name).value
        slower[name] = format_seconds(more) if abs(more) > LEAST else "less than 2 ns"
    grown = measured.sum_of({"array, many": 1, "list, many": -1, "array": -1, "list": 1})
    message = (
        "With many elements instead of few, new ones in each call, the time of a lookup changes "
        f"by {slower['list']} in the list and by {slower['array']} in the array. "
    )
    if grown.against(LEAST) == "above":
        return message + "The difference has grown: **B** contributes to it."
    if grown.high < max(before / 2, 2 * LEAST):
        return message + "The difference has not grown, so **B** does not contribute."
    return f"{message}This measurement cannot tell about **B**. {recorded_conclusion('01')}"
