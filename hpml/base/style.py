"""The style of all figures, legible in print and with any colour vision.

The colours of the contenders, most of them from Paul Tol's "muted" scheme (SRON/EPS/TN/09-002),
differ by a CIELAB distance of at least 12 in normal, protanope and deuteranope vision (Machado,
Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency",
IEEE TVCG 2009).
"""

from __future__ import annotations

import textwrap
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


INK, MUTED, ACCENT = "#1A1A1A", "#8A8A8A", "#C4500B"
PASS, FAIL, UNKNOWN = "#117733", ACCENT, MUTED
"""A right answer, a wrong answer, and an undecided or missing one."""
INDIGO, BLUE, ROSE, OLIVE, GREEN = "#332288", "#5AA9D6", "#CC6677", "#999933", "#117733"
TEAL, WINE, PURPLE, GOLD = "#44AA99", "#882255", "#AA4499", "#D99A00"
DATA, SECOND = INDIGO, BLUE
"""Measurements, and those of a second kind."""
CPU, GPU = BLUE, ACCENT
"""The processor that issues work, and the one that executes it."""

CONTENDERS: dict[str, tuple[str, str]] = {
    "handwritten": (INDIGO, "o"),
    "sequential": (BLUE, "s"),
    "lazy": (ROSE, "^"),
    "ordered": (OLIVE, "v"),
    "codegen": (GREEN, "D"),
    "inlined": (TEAL, "P"),
    "numba": (WINE, "X"),
    "peer": (PURPLE, "<"),
    "compiled": (GOLD, ">"),
    "cudagraph": (INK, "*"),
}
"""Colour and marker of each way to run a model, in all figures."""

PALETTE = {name: colour for name, (colour, _) in CONTENDERS.items()}
PALETTE |= {"accent": ACCENT, "muted": MUTED, "ink": INK}
"""The colours by name."""

_ALIASES = {
    "pytorchsymbolic": "peer",
    "nnsequential": "sequential",
    "torchcompile": "compiled",
    "compile": "compiled",
    "cudagraphs": "cudagraph",
    "handwrittenmodule": "handwritten",
}

_SETTINGS: dict[str, Any] = {
    "figure.facecolor": "white",
    "figure.dpi": 110,
    "savefig.facecolor": "white",
    "savefig.transparent": False,
    "savefig.dpi": 160,
    "axes.facecolor": "white",
    "axes.edgecolor": PALETTE["ink"],
    "axes.labelcolor": PALETTE["ink"],
    "axes.titlecolor": PALETTE["ink"],
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 10,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#D9D9D9",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.5,
    "text.color": PALETTE["ink"],
    "xtick.color": PALETTE["ink"],
    "ytick.color": PALETTE["ink"],
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "legend.frameon": False,
    # Keep text searchable and accessible in saved drawings.
    "svg.fonttype": "none",
    # Deterministic output: a committed picture changes only with its data.
    "svg.hashsalt": "hpml",
}


def draw_as(names: Mapping[str, str]) -> None:
    """Draw contenders of other names with the colour and the marker of those in `CONTENDERS`.

    Args:
        names: for each name the one in `CONTENDERS`. Case, spaces and punctuation do not matter.

    >>> draw_as({"my own engine": "codegen"})
    >>> colour("My own engine") == colour("codegen")
    True
    """
    _ALIASES.update({_plain(name): role for name, role in names.items()})


def colour(name: str) -> str:
    """Return the colour of a contender or role, always the same for the same name."""
    role = _role(name)
    return PALETTE[role] if role in PALETTE else PALETTE[_fallback(role)]


def series(names: Sequence[str]) -> dict[str, str]:
    """Return a colour for each line of one figure: those of contenders, then unused ones."""
    fixed = {name: colour(name) for name in names if _role(name) in CONTENDERS}
    shades = dict.fromkeys((DATA, ACCENT, SECOND, PASS, *PALETTE.values()))  # without duplicates
    free = [shade for shade in shades if shade not in fixed.values()]
    others = [name for name in names if name not in fixed]
    return fixed | {name: free[index % len(free)] for index, name in enumerate(others)}


def marker(name: str) -> str:
    """Return the matplotlib marker of a contender."""
    role = _role(name)
    return CONTENDERS[role if role in CONTENDERS else _fallback(role)][1]


def tint(colour: str, share: float) -> str:
    """Return a colour mixed with white; a share of 0 is white."""
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = (1 - share * (1 - part) for part in to_rgb(colour))
    return to_hex((red, green, blue))


def ink_on(background: str) -> str:
    """Return the colour for text on a background: ink, or white on dark ones."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(background)
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.62 else PALETTE["ink"]


@contextmanager
def apply() -> Iterator[None]:
    """Use this style inside the ``with`` block."""
    import matplotlib

    # The typed keys differ between versions of matplotlib.
    with matplotlib.rc_context(cast("Any", _SETTINGS)):
        yield


def figure(
    rows: int = 1, columns: int = 1, *, width: float = 7.0, height: float = 4.0, **keywords: Any
) -> tuple[Figure, Any]:
    """Return a new figure and its axes in this style."""
    import matplotlib.pyplot as plt

    from hpml.base.described import DescribedFigure

    keywords.setdefault("layout", "constrained")
    keywords.update(FigureClass=DescribedFigure, settings=_SETTINGS)
    with apply():
        fig, axes = plt.subplots(rows, columns, figsize=(width, height), **keywords)
    return fig, axes


def finish(ax: Axes, *, title: str, x: str, y: str) -> None:
    """Set title and axis labels, and add a legend if there are labels."""
    with apply():
        ax.set_title(title, loc="left")
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        handles, _ = ax.get_legend_handles_labels()
        if handles:
            ax.legend()


def describe(ax: Axes, text: str) -> None:
    """Describe an axes in words for screen readers."""
    from hpml.base.described import DescribedFigure

    fig = ax.get_figure(root=True)
    if isinstance(fig, DescribedFigure):
        fig.describe(ax, text)


def fold(ax: Axes, summary: str, text: str) -> None:
    """Show a text folded below the figure of an axes, where the figure is on a page."""
    from hpml.base.described import DescribedFigure

    fig = ax.get_figure(root=True)
    if isinstance(fig, DescribedFigure):
        fig.fold(summary, text)


def caption(fig: Figure, text: str) -> None:
    """Write a caption under a figure, wrapped to its width; a second call replaces the first."""
    # A letter of 9 points is about 0.07 inches wide.
    columns = max(20, int(fig.get_size_inches()[0] / 0.0715))
    wrapped = "\n".join(textwrap.fill(line, columns) for line in text.splitlines())
    # The layout reserves space only for the figure's x label.
    fig.supxlabel(wrapped, x=0.01, ha="left", fontsize=9, color=PALETTE["ink"])


def _role(name: str) -> str:
    plain = _plain(name)
    return _ALIASES.get(plain, plain)


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _fallback(role: str) -> str:
    # Not hash(), which differs between processes.
    return list(CONTENDERS)[zlib.crc32(role.encode("utf-8")) % len(CONTENDERS)]
