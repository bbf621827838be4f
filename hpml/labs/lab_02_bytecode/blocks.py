"""A function's basic blocks as a picture: boxes of instructions, and arrows where it may go on."""

from __future__ import annotations

from collections import Counter
from types import FunctionType
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.page import Page, picture
from hpml.bytecode import Trace, disassemble

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hpml.bytecode.disassembly import Block, Disassembly


_LINE, _GAP, _HEAD = 0.21, 0.34, 0.27  # inches
_WIDTH = 3.6


def draw_blocks(function: FunctionType, trace: Trace | None = None) -> Page:
    """Draw the basic blocks of a function, from top to bottom as they stand in its code."""
    listing = disassemble(function)
    blocks = listing.blocks
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
        _arrows(ax, blocks, tops, _handlers(listing))
        ax.set_xlim(-1.9, _WIDTH + 1.9)
        ax.set_ylim(y, -0.2)
        ax.set_aspect("equal")
        ax.axis("off")
        ax.set_title(f"Basic blocks of {function.__name__}")
    text = _told(function, blocks, times)
    style.caption(fig, text)
    return picture(fig, text)


def _handlers(listing: Disassembly) -> list[tuple[Block, int]]:
    """Return each block in which an exception may be raised, with the block that it leads to."""
    ways = {
        (block.offset, entry.target): block
        for entry in listing.listings[0].exception_table
        for block in listing.blocks
        if any(entry.start <= step.offset < entry.end for step in block.instructions)
    }
    return [(block, target) for (_, target), block in ways.items()]


def _height(block: Block) -> float:
    return _HEAD + _LINE * len(block.instructions)


def _box(ax: Axes, block: Block, top: float, times: Counter[int] | None, most: int) -> None:
    from matplotlib.patches import FancyBboxPatch

    # Not the first instruction's count: from 3.12 on a finished loop goes on behind its END_FOR.
    count = None if times is None else max(times[step.offset] for step in block.instructions)
    share = 0.08 if count is None else 0.04 + 0.5 * count / max(most, 1)
    edge = style.MUTED if count == 0 else style.INK
    ax.add_patch(
        FancyBboxPatch(
            (0, top),
            _WIDTH,
            _height(block),
            boxstyle="round,pad=0,rounding_size=0.07",
            facecolor=style.tint(style.ACCENT, share),
            edgecolor=edge,
        )
    )
    head = f"block {block.offset}" + ("" if count is None else f"   executed {count:,} ×")
    ax.text(0.12, top + 0.16, head, fontsize=8.5, fontweight="bold", va="center", color=edge)
    for place, step in enumerate(block.instructions):
        y = top + _HEAD + _LINE * (place + 0.45)
        text = f"{step.offset:>3} {step}"
        skipped = times is not None and not times[step.offset]
        shade = style.MUTED if skipped else edge
        ax.text(0.12, y, text, fontsize=8.5, family="monospace", va="center", color=shade)


def _arrows(
    ax: Axes,
    blocks: tuple[Block, ...],
    tops: dict[int, float],
    handlers: list[tuple[Block, int]],
) -> None:
    jumps = [
        (tops[block.offset] + 0.13, tops[target] + 0.13, True, "raised")
        for block, target in handlers
    ]
    for place, block in enumerate(blocks):
        following = blocks[place + 1].offset if place + 1 < len(blocks) else None
        bottom = tops[block.offset] + _height(block)
        for target in block.successors:
            if target == following:
                _arrow(ax, (_WIDTH / 2, bottom), (_WIDTH / 2, tops[target]))
            else:
                forwards = target > block.offset
                label = "jump" if forwards else "back"
                jumps.append((bottom - 0.1, tops[target] + 0.13, forwards, label))
    # Forwards on the right, backwards on the left; the shorter a jump, the nearer to the boxes.
    sides = {True: 0, False: 0}
    for start, end, forwards, label in sorted(jumps, key=lambda jump: abs(jump[1] - jump[0])):
        sides[forwards] += 1
        out = 0.3 + 0.3 * sides[forwards]
        x = _WIDTH if forwards else 0.0
        level = end + 0.06 * (sides[forwards] - 1)
        _elbow(ax, (x, start), (x, level), out if forwards else -out, label)


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    line = {"arrowstyle": "-|>", "color": style.INK, "lw": 1.2}
    ax.annotate("", xy=end, xytext=start, arrowprops={**line, "shrinkA": 0, "shrinkB": 0})
    ax.text(start[0] + 0.1, (start[1] + end[1]) / 2, "next", fontsize=8, va="center")


def _elbow(
    ax: Axes, start: tuple[float, float], end: tuple[float, float], out: float, label: str
) -> None:
    colour = style.MUTED if label == "raised" else style.ACCENT
    x = start[0] + out
    ax.plot([start[0], x, x], [start[1], start[1], end[1]], color=colour, linewidth=1.3)
    line = {"arrowstyle": "-|>", "color": colour, "lw": 1.3, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", xy=end, xytext=(x, end[1]), arrowprops=line)
    side, way = ("left", 1) if out > 0 else ("right", -1)
    ax.text(start[0] + 0.06 * way, start[1] - 0.04, label, fontsize=8, ha=side, va="bottom")


def _told(function: FunctionType, blocks: tuple[Block, ...], times: Counter[int] | None) -> str:
    text = (
        f"{function.__name__}: {sum(len(b.instructions) for b in blocks)} instructions in "
        f"{len(blocks)} basic blocks. Straight arrows go on to the next block, the others jump."
    )
    if disassemble(function).listings[0].exception_table:
        text += " Grey arrows lead to where an exception goes on."
    if times is None:
        return text
    skipped = any(not times[step.offset] for block in blocks for step in block.instructions)
    grey = " Grey: not executed." if skipped else ""
    return f"{text} Executed in all: {times.total():,} instructions.{grey}"
