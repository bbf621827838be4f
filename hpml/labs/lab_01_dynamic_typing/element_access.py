"""Which hypotheses on a loop over an array fit what was measured of looking up and adding."""

from __future__ import annotations

from hpml.base.tables import format_seconds
from hpml.benchmark import Comparison

LEAST = 2e-9
"""Seconds: a difference below this is nothing that a student could see in the table."""


def what_fits(measured: Comparison) -> str:
    """Say which of the lab's hypotheses the measurement supports, as text for `say`.

    Args:
        measured: in seconds for each element, all in the same rounds: looking up in a ``"list"``,
            an ``"array"`` and an ``"array.array"`` with few elements, in ``"list, many"`` and
            ``"array, many"``, and adding ``"floats"`` and ``"NumPy's numbers"``.
    """
    look_up = measured.difference("array", "list")
    boxing = measured.difference("array.array", "list")
    adding = measured.difference("NumPy's numbers", "floats")
    lines = [
        f"With few elements a look-up in the array takes {format_seconds(look_up.value)} more "
        f"than in the list, and an addition of its numbers {format_seconds(adding.value)} more."
    ]
    parts = {"A": look_up.against(LEAST) == "above", "C": adding.against(LEAST) == "above"}
    if all(parts.values()):
        # A turn of the loop looks up twice and adds once.
        share = 2 * look_up.value / (2 * look_up.value + adding.value)
        lines.append(
            "**A** and **C** both have a part. A turn looks up twice and adds once: of what that "
            f"takes more, **{share:.0%}** is looking up and **{1 - share:.0%}** adding."
        )
    elif any(parts.values()):
        lines.append(f"Only **{'A' if parts['A'] else 'C'}** is clearly seen to have a part.")
    else:
        lines.append("Neither is clearly longer here: this measurement cannot tell.")
    if parts["A"] and boxing.against(0) == "above":
        lines.append(
            "An `array.array` makes an object at each look-up as well, one of Python's floats. "
            f"That takes {boxing.value / look_up.value:.0%} of what NumPy's look-up takes more."
        )
    lines.append(_memory(measured, look_up.value))
    return "\n\n".join(lines)


def _memory(measured: Comparison, before: float) -> str:
    slower = {
        name: format_seconds(measured.difference(f"{name}, many", name).value)
        for name in ("list", "array")
    }
    grown = measured.sum_of({"array, many": 1, "list, many": -1, "array": -1, "list": 1})
    said = (
        f"With many elements, visited in no order, a look-up in the list takes {slower['list']} "
        f"more than with few, in the array {slower['array']} more. "
    )
    if grown.against(LEAST) == "above":
        return said + "The difference has grown: **B** has a part in it."
    if grown.high < max(before / 2, 2 * LEAST):
        return said + "The difference has not grown, so **B** has no part in it."
    return said + "On **B** this measurement cannot tell."
