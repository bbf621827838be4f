"""The bytes of the same numbers in every kind of container, as one picture."""

from __future__ import annotations

from collections.abc import Sequence

from hpml.base import style
from hpml.base.old_charts import Bar, bars
from hpml.base.page import Page, picture
from hpml.profiling import MemoryOf

_ROLES = {"container": "ink", "pointers": "compiled", "elements": "sequential"}


def draw_memory(memories: Sequence[MemoryOf]) -> Page:
    """Draw what the bytes are for, a bar a kind."""
    fig, ax = style.figure(width=7.4, height=3.0)
    rows = []
    for memory in memories:
        parts = [(part.bytes / 1e6, style.PALETTE[_ROLES[part.name]]) for part in memory.parts]
        text = f"{memory.total / 1e6:.1f} MB, {memory.per_number:.1f} bytes a number"
        rows.append(Bar(memory.kind, parts, text))
    bars(ax, rows)
    with style.apply():
        for name, role in _ROLES.items():
            ax.barh(0, 0, color=style.PALETTE[role], label=name)
        ax.set_xlim(0, 1.45 * max(memory.total for memory in memories) / 1e6)
    title = f"{memories[0].n:,} different numbers of float64"
    style.finish(ax, title=title, x="MB (millions of bytes)", y="")
    with style.apply():
        ax.legend(loc="lower right")
    largest = max(memories, key=lambda memory: memory.total)
    smallest = min(memories, key=lambda memory: memory.total)
    text = (
        f"The {largest.kind} takes {largest.total / smallest.total:.1f} times the bytes of the "
        f"{smallest.kind}. The containers themselves are too small to be seen."
    )
    style.caption(fig, text)
    return picture(fig, text)
