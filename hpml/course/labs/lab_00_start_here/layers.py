"""Draw the layers that decide how long a program takes, and where this course is among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.page import Page, picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAYERS = {
    "algorithm": "which algorithm is chosen",
    "hyperparameters": "which sizes, rates and limits it runs with",
    "implementation": "how the algorithm is written on top of a framework",
    "framework": "Python and PyTorch: what each operation costs before any arithmetic",
    "libraries": "mathematics (cuDNN), communication (MPI, Gloo)",
    "hardware": "CPU, DRAM, GPU, HBM, tensor units, disk, network",
}
"""What belongs to each layer, from the top. Source: the lecture, "Performance Factors"."""

HERE = "framework"


def draw_layers() -> Page:
    """Draw the layers as a stack, with the one that this course is about marked."""
    lines = [
        f"{name}{' (this course)' if name == HERE else ''}: {what}" for name, what in LAYERS.items()
    ]
    text = "The layers that decide how long a program takes, from the top:"
    return picture(_stack(), "\n".join([text, *lines]))


def _stack() -> Figure:
    # Without pyplot, which would choose a backend before the lab's head does.
    from matplotlib.figure import Figure

    fig = Figure(figsize=(8.6, 2.9), layout="constrained")
    ax = fig.add_subplot()
    for row, (name, what) in enumerate(LAYERS.items()):
        colour = style.ACCENT if name == HERE else style.tint(style.DATA, 0.15)
        ink = style.ink_on(colour)
        ax.barh(row, 1.0, height=0.9, color=colour)
        ax.text(0.015, row, name, va="center", color=ink, weight="bold", size=10)
        ax.text(0.23, row, what, va="center", color=ink, size=10)
    last = len(LAYERS) - 1
    marks = {0: "you design it", list(LAYERS).index(HERE): "◀ this course", last: "you select it"}
    for row, mark in marks.items():
        ax.text(1.015, row, mark, va="center", color=style.INK, size=10)
    ax.set(xlim=(0, 1.2), ylim=(last + 0.5, -0.5))
    ax.set_axis_off()
    return fig
