"""The stack of performance factors: what decides how long a program takes.

The six layers are those of the lecture (U. Finkler, "PyTorch performance", CSCI-GA.3033-020 HPML,
"Performance Factors"), from the choice of algorithm down to the hardware.
"""

from __future__ import annotations

from hpml.base.page import Page, picture
from hpml.base.tables import Table

__all__ = ["FACTORS", "performance_factors"]

FACTORS: tuple[tuple[str, str], ...] = (
    ("algorithm", "which algorithm is chosen"),
    ("hyperparameters", "which sizes, rates and limits it is run with"),
    ("implementation", "how the algorithm is written on top of a framework"),
    ("framework", "Python and PyTorch: what each operation costs before any arithmetic"),
    ("libraries", "mathematics (cuDNN), communication (MPI, Gloo)"),
    ("hardware", "CPU, DRAM, GPU, HBM, tensor units, disk, network"),
)
"""The layers from top to bottom, each with what belongs to it."""

_HERE = "framework"
_TITLE = "The stack of performance factors"


def performance_factors() -> Page:
    """Draw the stack of performance factors, with this course's layer marked.

    Returns:
        The picture, with the same stack as a table below it for a terminal and a screen reader.

    >>> print(performance_factors().plain.splitlines()[0])
    The stack of performance factors
    """
    import matplotlib.pyplot as plt

    from hpml.base import style

    fig, ax = style.figure(width=7.4, height=3.6)
    with style.apply():
        for place, (name, content) in enumerate(FACTORS):
            here = name == _HERE
            colour = style.PALETTE["accent"] if here else style.PALETTE["handwritten"]
            bottom = len(FACTORS) - 1 - place
            ax.barh(bottom, 10, height=0.86, color=colour, alpha=1.0 if here else 0.12)
            ink = "white" if here else style.PALETTE["ink"]
            ax.text(0.15, bottom, name, va="center", weight="bold", color=ink)
            ax.text(2.35, bottom, content, va="center", fontsize=9, color=ink)
        ax.set(xlim=(0, 10), xticks=[], yticks=[])
        ax.grid(visible=False)
        plt.setp(ax.spines.values(), visible=False)
        ax.set_title("The stack of performance factors: this course works on the marked layer")
    rows = [[name, content, "this course" if name == _HERE else ""] for name, content in FACTORS]
    table = Table(["layer", "what belongs to it", ""], rows, title=_TITLE)
    return picture(fig, str(table))
