"""Where the time of one layer goes: parts that are differences of loops and add up to the whole."""

from __future__ import annotations

from hpml.base import style
from hpml.base.page import Page, picture
from hpml.base.tables import Table, format_seconds
from hpml.benchmark import Comparison
from hpml.course.errors import LabError

__all__ = ["STAGES", "budget", "draw_budget"]

STAGES = (
    "loop",
    "function",
    "module",
    "into C++",
    "linear, no rows",
    "linear",
    "whole",
)
"""The contenders of lab 07's time budget, each a loop over the same number of layers."""

_PARTS = (
    ("container access", {"loop": 1}),
    ("calling a Python function", {"function": 1, "loop": -1}),
    ("nn.Module.__call__", {"module": 1, "function": -1}),
    ("F.linear: argument parsing", {"into C++": 1, "loop": -1}),
    ("F.linear: dispatch", {"linear, no rows": 1, "into C++": -1}),
    ("F.linear: kernel", {"linear": 1, "linear, no rows": -1}),
    ("look-ups, and what remains", {"whole": 1, "module": -1, "linear": -1, "loop": 1}),
)
_ROLES = (
    "muted", "accent", "handwritten", "ordered", "codegen", "inlined", "compiled",
)  # fmt: skip


def budget(stages: Comparison, layers: int) -> Table:
    """Return the parts of a forward's time, per layer, from loops that do more and more of it.

    A part is the difference of two stages, of their fastest samples: whatever else the machine
    does only adds time, and a difference of two disturbed times is no part of anything. The parts
    add up to the whole.

    Args:
        stages: contenders named as in `STAGES`, from the same rounds.
        layers: how many each of them ran over.

    Raises:
        LabError: if a stage is missing.
    """
    missing = [name for name in STAGES if name not in stages.names]
    if missing:
        raise LabError(
            f"budget expects the stages {', '.join(STAGES)}, got {', '.join(stages.names)}."
        )
    whole = stages["whole"].minimum / layers
    rows = []
    for name, terms in _PARTS:
        fastest = sum(sign * stages[stage].minimum for stage, sign in terms.items()) / layers
        rows.append([name, fastest, fastest / whole])
    return Table(
        ["part", "time", "share"],
        rows,
        title="One layer of the generated forward",
        caption=f"Together {format_seconds(whole)} a layer, the fastest of {stages.rounds} "
        f"samples; by the medians {format_seconds(stages['whole'].median / layers)}.",
        formats={"time": format_seconds, "share": _percent},
    )


def draw_budget(parts: Table, floor: float) -> Page:
    """Draw the table of `budget`: a stacked bar, the same bar taken apart, and the floor.

    Args:
        parts: the table of `budget`.
        floor: seconds that PyTorch's operator alone takes for a layer, on tensors that lie ready.
    """
    names = [str(name) for name in parts.column("part")]
    times = [float(str(value)) * 1e9 for value in parts.column("time")]
    shares = [float(str(value)) for value in parts.column("share")]
    whole, lowest = sum(times), floor * 1e9
    fig, ax = style.figure(width=8.4, height=4.6)
    left = 0.0
    with style.apply():
        for row, (time, share, role) in enumerate(zip(times, shares, _ROLES, strict=True), 1):
            colour = style.PALETTE[role]
            ax.barh(0, max(time, 0.0), left=left, height=0.8, color=colour)
            ax.barh(row, time, left=left, height=0.7, color=colour)
            end = max(left, left + time)
            ax.text(end + 0.01 * whole, row, f"{time:,.0f} ns, {_percent(share)}",
                    va="center", fontsize=9)  # fmt: skip
            left += time
        last = len(names) + 1
        ax.barh(last, lowest, height=0.8, color=style.PALETTE["ink"])
        ax.text(lowest + 0.01 * whole, last, f"{lowest:,.0f} ns", va="center", fontsize=9)
        ax.set_yticks(range(last + 1), ["one layer", *names, "the floor"])
        ax.set_xlim(min(0.0, *times), 1.25 * max(whole, lowest))
        ax.invert_yaxis()
        ax.grid(visible=False, axis="y")
        ax.tick_params(axis="y", length=0)
    style.finish(ax, title="Where the time of one layer goes", x="ns", y="")
    first, second = sorted(zip(times, names, strict=True), reverse=True)[:2]
    text = (
        f"Of {whole:,.0f} ns a layer, {first[1]} takes {first[0]:,.0f} ns and {second[1]} "
        f"{second[0]:,.0f} ns; the floor is {lowest:,.0f} ns."
    )
    style.caption(fig, text)
    return picture(fig, text)


def _percent(share: float) -> str:
    return f"{share:.1%}" if abs(share) < 0.1 else f"{share:.0%}"
