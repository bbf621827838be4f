"""Which hypotheses on a loop over an array fit what was measured of looking up and adding."""

from __future__ import annotations

from collections.abc import Mapping

from hpml.base.tables import format_seconds
from hpml.benchmark import Comparison

LEAST = 2e-9
"""Seconds: a difference below this is nothing that a student could see in the table."""


def what_fits(measured: Mapping[int, Comparison]) -> str:
    """Say which of the lab's hypotheses the measurement supports, as text for `say`.

    Args:
        measured: by number of elements, the smallest first: ``"look up, list"``, ``"look up,
            array"``, ``"look up, array.array"``, ``"add, floats"`` and ``"add, NumPy's"``, in
            seconds for each element.
    """
    (few, small), *_, (many, large) = measured.items()
    look_up = small.difference("look up, array", "look up, list")
    boxing = small.difference("look up, array.array", "look up, list")
    adding = small.difference("add, NumPy's", "add, floats")
    later = large.difference("look up, array", "look up, list")
    lines = [
        f"At {few:,} elements a look-up in the array takes {format_seconds(look_up.value)} more "
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
        lines.append(f"That fits **{'A' if parts['A'] else 'C'}** alone.")
    else:
        lines.append("Neither is clearly longer here: this measurement cannot tell.")
    if parts["A"] and boxing.value > 0:
        lines.append(
            "An `array.array` makes an object at each look-up as well, one of Python's floats. "
            f"That takes {boxing.value / look_up.value:.0%} of what NumPy's look-up takes more."
        )
    lines.append(
        f"At {many:,} elements, visited in no order, that look-up takes "
        f"{format_seconds(abs(later.value))} {'more' if later.value > 0 else 'less'} than in the "
        f"list. {_MEMORY[look_up.change_to(later)]}"
    )
    return "\n\n".join(lines)


_MEMORY = {
    "shrinks": "**B** predicted a larger difference, so it has no part in it. It is the list that "
    "waits for memory: its objects lie apart, the array's numbers side by side.",
    "stays": "That is about as before, so **B** has no part in it.",
    "grows": "That is more than before: **B** has a part in it as well.",
    "cannot tell": "On **B** this measurement cannot tell.",
}
