"""Draw a function's control-flow graph: its basic blocks, and arrows to their successors."""

from __future__ import annotations

from collections import Counter
from types import FunctionType
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.page import Page, picture
from hpml.bytecode import Trace, disassemble

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hpml.bytecode.disassembly import Block


_LINE, _GAP, _HEAD = 0.21, 0.34, 0.27  # inches
_WIDTH = 3.6
_ARROW = {"arrowstyle": "-|>", "lw": 1.3, "shrinkA": 0, "shrinkB": 0}


def draw_blocks(function: FunctionType, trace: Trace | None = None) -> Page:
    """Draw the basic blocks of a function; with a trace, also how often each was executed."""
    blocks = disassemble(function).blocks
    times = None
    if trace is not None:
        times = Counter(step.offset for step in trace if step.depth == 0)
    tops, y = {}, 0.0
    for block in blocks:
        tops[block.offset] = y
        y += _height(block) + _GAP
    fig, ax = style.figure(width=7.4, height=max(y, 2.0) + 0.9)
    with style.apply():
        most = max(times.values(), default=1) if times is not None else 1
        for block in blocks:
            _box(ax, block, tops[block.offset], times, most)
        _arrows(ax, blocks, tops)
        ax.set(xlim=(-1.9, _WIDTH + 1.9), ylim=(y, -0.2), aspect="equal")
        ax.axis("off")
        ax.set_title(f"Basic blocks of {function.__name__}")
    text = (
        f"{sum(len(b.instructions) for b in blocks)} instructions in {len(blocks)} basic blocks. "
        "Straight arrows: to the next block. Others: jumps."
    )
    if times is not None:
        text += f"\nExecuted in total: {times.total():,} instructions. Grey: not executed."
    style.caption(fig, text)
    return picture(fig, f"{function.__name__}: {text}")


def _height(block: Block) -> float:
    return _HEAD + _LINE * len(block.instructions)


def _box(ax: Axes, block: Block, top: float, times: Counter[int] | None, most: int) -> None:
    from matplotlib.patches import FancyBboxPatch

    # Not the first instruction's count: since 3.12 a finished loop continues after its END_FOR.
    count = None if times is None else max(times[step.offset] for step in block.instructions)
    share = 0.08 if count is None else 0.04 + 0.5 * count / max(most, 1)
    edge = style.MUTED if count == 0 else style.INK
    ground = style.tint(style.ACCENT, share)
    rounded = "round,pad=0,rounding_size=0.07"
    ax.add_patch(
        FancyBboxPatch(
            (0, top), _WIDTH, _height(block), boxstyle=rounded, facecolor=ground, edgecolor=edge
        )
    )
    head = f"block {block.offset}" + ("" if count is None else f"   executed {count:,} ×")
    ax.text(0.12, top + 0.16, head, fontsize=8.5, fontweight="bold", va="center", color=edge)
    for place, step in enumerate(block.instructions):
        y = top + _HEAD + _LINE * (place + 0.45)
        shade = style.MUTED if times is not None and not times[step.offset] else edge
        text = f"{step.offset:>3} {step}"
        ax.text(0.12, y, text, fontsize=8.5, family="monospace", va="center", color=shade)


def _arrows(ax: Axes, blocks: tuple[Block, ...], tops: dict[int, float]) -> None:
    jumps = []
    for place, block in enumerate(blocks):
        following = blocks[place + 1].offset if place + 1 < len(blocks) else None
        bottom = tops[block.offset] + _height(block)
        for target in block.successors:
            if target == following:
                line = _ARROW | {"color": style.INK}
                ax.annotate("", (_WIDTH / 2, tops[target]), (_WIDTH / 2, bottom), arrowprops=line)
                ax.text(
                    _WIDTH / 2 + 0.1, (bottom + tops[target]) / 2, "next", fontsize=8, va="center"
                )
            else:
                jumps.append((bottom - 0.1, tops[target] + 0.13, target > block.offset))
    # Forward jumps on the right, backward on the left; shorter jumps are closer to the boxes.
    sides = {True: 0, False: 0}
    for start, end, forwards in sorted(jumps, key=lambda jump: abs(jump[1] - jump[0])):
        sides[forwards] += 1
        side, sign, label = (_WIDTH, 1, "jump") if forwards else (0.0, -1, "back")
        x, level = side + sign * (0.3 + 0.3 * sides[forwards]), end + 0.06 * (sides[forwards] - 1)
        ax.plot([side, x, x], [start, start, level], color=style.ACCENT, linewidth=1.3)
        ax.annotate("", (side, level), (x, level), arrowprops=_ARROW | {"color": style.ACCENT})
        ax.text(
            side + 0.06 * sign,
            start - 0.04,
            label,
            fontsize=8,
            va="bottom",
            ha="left" if forwards else "right",
        )
