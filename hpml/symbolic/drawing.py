"""How a laid-out graph looks: colours, outlines, arrows and the legend, drawn by matplotlib.

Inputs, outputs and hidden values differ in colour and in outline, so that a black and white print
tells them apart.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from hpml.base import style

from .errors import ArgumentError
from .layout import CallLabel, Layout, Line, ValueBox
from .page import Point, Rectangle

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FONT: dict[str, Any] = {
    "family": "DejaVu Sans",
    "parse_math": False,
}  # ships with matplotlib: same everywhere
_BOX_POINTS, _LABEL_POINTS, _LEGEND_POINTS = 9.0, 8.0, 8.0
_MARGIN = 0.14
_LEGEND_HEIGHT = 0.36
_HEAD_LENGTH, _HEAD_WIDTH = 0.095, 0.085
_LINE = "#5A5A5A"


class _Kind(NamedTuple):
    """The look of one kind of box; lengths in points."""

    name: str
    fill: str
    edge: str
    thickness: float
    dashes: Any = "solid"
    is_double: bool = False


_KINDS = {
    "input": _Kind("input", "#C9E0F4", "#1B5E94", 2.0),
    "hidden": _Kind("hidden", "#FFFFFF", "#6A6A6A", 0.9),
    "output": _Kind("output", "#FCE2B4", "#8A5300", 1.1, is_double=True),
    "outside": _Kind("from elsewhere", "#FFFFFF", "#3A3A3A", 1.3, (0, (1.2, 1.6))),
    "folded": _Kind("several layers", "#EFEFEF", "#6A6A6A", 0.9, (0, (4, 2.5))),
    "lit": _Kind("highlighted", "#F7B48F", style.PALETTE["accent"], 3.2),
}


class Look(NamedTuple):
    """What is special about which value.

    Attributes:
        inputs: the values that are given.
        outputs: the values that are returned.
        outside: the values that come from outside what is drawn.
        lit: the values to light up.
        lit_calls: the calls that make them.
        rotate_labels: whether labels are turned a quarter.
    """

    inputs: frozenset[int]
    outputs: frozenset[int]
    outside: frozenset[int] = frozenset()
    lit: frozenset[int] = frozenset()
    lit_calls: frozenset[int] = frozenset()
    rotate_labels: bool = False

    def kind_of(self, value: int) -> str:
        """Return the name of the kind of a value; what it is first of several counts."""
        groups = {
            "lit": self.lit,
            "outside": self.outside,
            "input": self.inputs,
            "output": self.outputs,
        }
        return next((kind for kind, values in groups.items() if value in values), "hidden")


def measured_size(text: str, is_label: bool) -> tuple[float, float]:
    """Return width and height of a text in inches, as it is drawn at full size.

    >>> small, large = measured_size("ReLU", True), measured_size("Linear_250", True)
    >>> small[0] < large[0], small[1] > 0
    (True, True)
    """
    return _measured(text, _LABEL_POINTS if is_label else _BOX_POINTS)


@functools.lru_cache(maxsize=1024)
def _measured(text: str, points: float) -> tuple[float, float]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with style.apply():
        figure = Figure(figsize=(1, 1), dpi=100)
        FigureCanvasAgg(figure)  # the figure asks it for a renderer
        drawn = figure.text(0, 0, text, fontsize=points, **_FONT)
        extent = drawn.get_window_extent()
    return float(extent.width) / 100, float(extent.height) / 100


def draw(
    layout: Layout,
    look: Look,
    *,
    figsize: tuple[float, float] | None = None,
    ax: Axes | None = None,
    show: bool = False,
) -> Figure:
    """Draw a layout and return the figure; it is left open only to ``show`` it.

    Args:
        layout: places, lines and texts.
        look: which value is special, and how.
        figsize: width and height in inches instead of the layout's own.
        ax: draw here instead of on a new figure.
        show: call ``matplotlib.pyplot.show``.

    Raises:
        ArgumentError: ``ax`` is not an axes.
    """
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes

    if ax is not None and not isinstance(ax, Axes):
        raise ArgumentError(
            f"ax expected an axes of matplotlib, received {type(ax).__name__}: make one with "
            "fig, ax = style.figure()"
        )
    kinds = {look.kind_of(box.value) for box in layout.boxes}
    legend = [kind for kind in _KINDS if kind in kinds]
    legend_width = sum(_measured(_KINDS[kind].name, _LEGEND_POINTS)[0] + 0.55 for kind in legend)
    width = max(layout.width, legend_width) + 2 * _MARGIN
    height = layout.height + 2 * _MARGIN + _LEGEND_HEIGHT
    with style.apply():
        if ax is None:
            size = figsize or (width, height)
            figure, axes = style.figure(width=size[0], height=size[1], layout="none")
            axes.set_position((0.0, 0.0, 1.0, 1.0))
        else:
            figure, axes = cast("Figure", ax.get_figure(root=True)), ax
            if figsize:
                figure.set_size_inches(*figsize)
        painter = _Painter(axes, look, _prepare(axes, layout, width, height))
        painter.lines(layout)
        for label in layout.labels:
            painter.label(label)
        for box in layout.boxes:
            painter.value(box)
        painter.legend(legend, layout)
    if show:
        plt.show()
    elif ax is None:
        plt.close(figure)
    return figure


def _prepare(ax: Axes, layout: Layout, width: float, height: float) -> float:
    """Make an axes a white page in inches, y downwards; return the scale at which it is seen."""
    ax.set_facecolor("white")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    figure = cast("Figure", ax.get_figure(root=True))
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()  # only now the axes has the size that it is going to have
    extent = ax.get_window_extent()
    dots = figure.dpi
    wide, high = extent.width / dots, extent.height / dots
    scale = min(wide / width, high / height)
    middle_x, middle_y = layout.width / 2, height / 2 - _MARGIN
    ax.set_xlim(middle_x - wide / scale / 2, middle_x + wide / scale / 2)
    ax.set_ylim(middle_y + high / scale / 2, middle_y - high / scale / 2)
    ax.set_aspect("equal", adjustable="box")
    return scale


def _pieces(lines: Iterable[Line]) -> list[tuple[Point, ...]]:
    """Return the single curves of lines, each once, and what is straight without overlap."""
    curved: dict[tuple[Point, ...], None] = {}
    straight: dict[tuple[int, float], list[tuple[float, float]]] = {}
    for line in lines:
        for first in range(0, len(line.points) - 1, 3):
            piece = line.points[first : first + 4]
            (x1, y1), (x2, y2) = piece[0], piece[-1]
            if x1 == x2:
                straight.setdefault((0, x1), []).append((y1, y2))
            elif y1 == y2:
                straight.setdefault((1, y1), []).append((x1, x2))
            else:
                curved[piece] = None
    pieces = list(curved)
    for (direction, at), spans in straight.items():
        for start, end in _united(spans):
            ends = [(at, start), (at, end)] if direction == 0 else [(start, at), (end, at)]
            pieces.append((ends[0], ends[0], ends[1], ends[1]))
    return pieces


def _united(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return spans that overlap or touch as one.

    >>> _united([(4, 5), (0, 2), (1, 3)])
    [(0, 3), (4, 5)]
    """
    united: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(united[-1][1], end))
        else:
            united.append((start, end))
    return united


class _Painter:
    """Draws one layout on one axes; a scale below 1 makes texts and lines smaller."""

    def __init__(self, ax: Axes, look: Look, scale: float) -> None:
        self._ax = ax
        self._look = look
        self._scale = scale

    def lines(self, layout: Layout) -> None:
        """Draw the lines; one that leads to a box has an arrow head."""
        folded = {label.calls[0] for label in layout.labels if label.is_folded}
        groups: dict[bool, list[Line]] = {False: [], True: []}
        for line in layout.lines:
            groups[line.is_result and line.value in self._look.lit].append(line)
        for is_lit, lines in groups.items():
            colour, thickness = (_KINDS["lit"].edge, 2.2) if is_lit else (_LINE, 1.1)
            self._strokes(lines, colour, thickness * self._scale)
            for line in lines:
                if line.is_result or line.call in folded:
                    self._head(line, colour)

    def _strokes(self, lines: list[Line], colour: str, thickness: float) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        if not lines:
            return
        # A piece that two lines share is drawn once: twice, it would look thicker.
        points = [point for piece in _pieces(lines) for point in piece]
        codes = [Path.MOVETO, *[Path.CURVE4] * 3] * (len(points) // 4)
        path = Path(points, codes)
        self._ax.add_patch(
            PathPatch(
                path,
                fill=False,
                edgecolor=colour,
                linewidth=thickness,
                capstyle="round",
                joinstyle="round",
                zorder=1,
            )
        )

    def _head(self, line: Line, colour: str) -> None:
        from matplotlib.patches import Polygon

        x2, y2 = line.points[-1]
        along = (0.0, 1.0) if line.points[-2][0] == x2 else (1.0, 0.0)
        # The outline of an output lies mostly outside its box.
        back = 0.04 if line.is_result and line.value in self._look.outputs else 0.01
        x, y = x2 - back * along[0], y2 - back * along[1]
        base = (x - _HEAD_LENGTH * along[0], y - _HEAD_LENGTH * along[1])
        side = (_HEAD_WIDTH / 2 * along[1], _HEAD_WIDTH / 2 * along[0])
        corners = [
            (x, y),
            (base[0] + side[0], base[1] + side[1]),
            (base[0] - side[0], base[1] - side[1]),
        ]
        self._ax.add_patch(Polygon(corners, closed=True, color=colour, linewidth=0, zorder=2))

    def label(self, label: CallLabel) -> None:
        """Draw the name of a layer on its line, or the box of a folded chain."""
        is_lit = not self._look.lit_calls.isdisjoint(label.calls)
        if label.is_folded:
            self._box(label.place, label.text, _KINDS["lit" if is_lit else "folded"])
            return
        self._ax.text(
            label.place.x,
            label.place.y,
            label.text,
            fontsize=_LABEL_POINTS * self._scale,
            color=_KINDS["lit"].edge if is_lit else style.PALETTE["ink"],
            ha="center",
            va="center",
            rotation=270 if self._look.rotate_labels else 0,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2 * self._scale},
            zorder=3,
            **_FONT,
        )

    def value(self, box: ValueBox) -> None:
        """Draw the box of a value."""
        kind = _KINDS[self._look.kind_of(box.value)]
        # A value that is given and returned at once has the colour of one, the outline of both.
        self._box(box.place, box.text, kind._replace(is_double=box.value in self._look.outputs))

    def _box(self, place: Rectangle, text: str, kind: _Kind) -> None:
        from matplotlib.patches import FancyBboxPatch

        patch = FancyBboxPatch(
            (place.left, place.top),
            place.width,
            place.height,
            boxstyle="round,pad=0,rounding_size=0.08",
            zorder=4,
            **self._outline(kind),
        )
        self._ax.add_patch(patch)
        self._ax.text(
            place.x,
            place.y,
            text,
            fontsize=_BOX_POINTS * self._scale,
            color=style.PALETTE["ink"],
            ha="center",
            va="center",
            zorder=5,
            **_FONT,
        )

    def _outline(self, kind: _Kind) -> dict[str, Any]:
        from matplotlib.patheffects import Normal, Stroke

        thickness = kind.thickness * self._scale
        effects: list[Any] = [Normal()]
        if kind.is_double:
            # From the outermost in: a dark line, a white one over its middle, the box on top.
            outer = Stroke(linewidth=thickness + 4.4 * self._scale, foreground=kind.edge)
            gap = Stroke(linewidth=thickness + 2.2 * self._scale, foreground="white")
            effects = [outer, gap, Normal()]
        return {
            "facecolor": kind.fill,
            "edgecolor": kind.edge,
            "linewidth": thickness,
            "linestyle": kind.dashes,
            "path_effects": effects,
        }

    def legend(self, kinds: Iterable[str], layout: Layout) -> None:
        """Draw one row that says which box is what, below the graph."""
        from matplotlib.legend_handler import HandlerPatch
        from matplotlib.patches import FancyBboxPatch, Patch

        def rounded(*, width: float, height: float, **_: Any) -> FancyBboxPatch:
            shape = f"round,pad=0,rounding_size={0.3 * height}"
            return FancyBboxPatch((0, 0), width, height, boxstyle=shape)

        handles = [Patch(label=_KINDS[kind].name, **self._outline(_KINDS[kind])) for kind in kinds]
        legend = self._ax.legend(
            handles=handles,
            loc="center",
            bbox_to_anchor=(layout.width / 2, layout.height + _MARGIN + _LEGEND_HEIGHT / 2),
            bbox_transform=self._ax.transData,
            ncols=len(handles),
            frameon=False,
            handlelength=2.0,
            handleheight=0.9,
            handletextpad=0.7,
            columnspacing=1.6,
            borderpad=0.0,
            borderaxespad=0.0,
            prop={"family": _FONT["family"], "size": _LEGEND_POINTS * self._scale},
            handler_map={Patch: HandlerPatch(patch_func=rounded)},
        )
        for text in legend.get_texts():
            text.set_color(style.PALETTE["ink"])


__all__ = ["Look", "draw", "measured_size"]
