"""Which hypotheses on ``x ** 2`` and ``x * x`` fit what was measured of four expressions."""

from __future__ import annotations

from hpml.base.tables import format_seconds
from hpml.benchmark import Comparison

_TESTS = {
    "B": ("x & x", "a form is missing"),
    "C": ("x * 2", "a constant is loaded"),
}
_VERDICTS = {
    "below": "**{0}** is not the reason: that {1} explains less than half of it.",
    "above": "**{0}** is a reason: that {1} explains more than half of it.",
    "cannot tell": "**{0}**: this measurement cannot tell. Its interval is too wide.",
}


def what_fits(expressions: Comparison) -> str:
    """Say which explanation the measurement supports, as text for `say`.

    Args:
        expressions: ``x * x``, ``x ** 2``, ``x * 2`` and ``x & x``, in seconds for each value.
    """
    power = expressions.difference("x ** 2", "x * x")
    if power.against(0) != "above":
        return (
            "In these rounds `x ** 2` was not clearly slower, so there is nothing to explain. "
            "Run the cell again when the machine is less busy."
        )
    lines = [f"`x ** 2` takes {format_seconds(power.value)} more than `x * x`."]
    answers = []
    for claim, (name, reason) in _TESTS.items():
        share = expressions.difference(name, "x * x") / power
        answers.append(share.against(0.5))
        lines[0] += f" `{name}` takes {max(0.0, share.value):.0%} of that more."
        lines.append(_VERDICTS[answers[-1]].format(claim, reason))
    if set(answers) == {"below"}:
        lines.append(
            "So **A** remains: what happens inside the one instruction takes longer. That the "
            "power has no form of its own is true, and not the reason."
        )
    return "\n\n".join(lines)
