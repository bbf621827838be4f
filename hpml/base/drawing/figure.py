"""How a laid-out graph looks on a figure: colours, outlines, arrows and the legend."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from hpml.base import style
from hpml.base.drawing.fonts import BOX_POINTS, FONT, LABEL_POINTS, measured
from hpml.base.drawing.grid import Rectangle
from hpml.base.drawing.layout import CallLabel, Layout, Line, ValueBox, arrow_head

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEGEND_POINTS = 8.0
_MARGIN = 0.14
_LEGEND_HEIGHT = 0.36
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
    "plain": _Kind("", "#FFFFFF", style.PALETTE["ink"], 1.0),
}


class Look(NamedTuple):
    """What is special about which value.

    Attributes:
        inputs: the values that are given.
        outputs: the values that are returned.
        outside: the values that come from outside what is drawn.
        lit: the values to light up.
        lit_calls: the calls that make them.
        turn_labels: whether labels are turned a quarter.
        tints: the colour of each box; then there is no legend, and nothing else is special.
    """

    inputs: Collection[int] = ()
    outputs: Collection[int] = ()
    outside: Collection[int] = ()
    lit: Collection[int] = ()
    lit_calls: Collection[int] = ()
    turn_labels: bool = False
    tints: Mapping[int, str] | None = None

    def kind_of(self, value: int) -> str:
        """Return the name of the kind of a value; what it is first of several counts."""
        if self.tints is not None:
            return "plain"
        groups = {
            "lit": self.lit,
            "outside": self.outside,
            "input": self.inputs,
            "output": self.outputs,
        }
        return next((kind for kind, values in groups.items() if value in values), "hidden")


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
    """
    import matplotlib.pyplot as plt

    kinds = {look.kind_of(box.value) for box in layout.boxes}
    legend = [kind for kind in _KINDS if kind in kinds and _KINDS[kind].name]
    legend_width = sum(measured(_KINDS[kind].name, _LEGEND_POINTS)[0] + 0.55 for kind in legend)
    width = max(layout.width, legend_width) + 2 * _MARGIN
    height = layout.height + 2 * _MARGIN + (_LEGEND_HEIGHT if legend else 0.0)
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
        if legend:
            painter.legend(legend, layout)
    style.describe(axes, _summary(layout))
    if show:
        plt.show()
    elif ax is None:
        plt.close(figure)
    return figure


def _summary(layout: Layout) -> str:
    """Return which values each call reads and makes, in words."""
    texts = {box.value: " ".join(box.text.split()) for box in layout.boxes}
    summary = []
    for label in layout.labels:
        ends = [line for line in layout.lines if line.call == label.calls[0]]
        reads, makes = (
            ", ".join(texts[line.value] for line in ends if line.is_result is results)
            for results in (False, True)
        )
        summary.append(" → ".join(filter(None, [reads, " ".join(label.text.split()), makes])))
    return f"Graph of {len(texts)} values. {'; '.join(summary)}"


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
    wide, high = extent.width / figure.dpi, extent.height / figure.dpi
    scale = min(wide / width, high / height)
    middle_x, middle_y = layout.width / 2, height / 2 - _MARGIN
    ax.set_xlim(middle_x - wide / scale / 2, middle_x + wide / scale / 2)
    ax.set_ylim(middle_y + high / scale / 2, middle_y - high / scale / 2)
    ax.set_aspect("equal", adjustable="box")
    return scale


class _Painter:
    """Draws one layout on one axes; a scale below 1 makes texts and lines smaller."""

    def __init__(self, ax: Axes, look: Look, scale: float) -> None:
        self._ax = ax
        self._look = look
        self._scale = scale

    def lines(self, layout: Layout) -> None:
        """Draw the lines; one that leads to a box has an arrow head."""
        lit = [line for line in layout.lines if line.is_result and line.value in self._look.lit]
        self._strokes(layout, _LINE, 1.1)
        self._strokes(layout._replace(lines=tuple(lit), labels=()), _KINDS["lit"].edge, 2.2)
        folded = {label.calls[0] for label in layout.labels if label.is_folded}
        for line in layout.lines:
            if line.is_result or line.call in folded:
                self._head(line, _KINDS["lit"].edge if line in lit else _LINE)

    def _strokes(self, layout: Layout, colour: str, thickness: float) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        points = [point for curve in layout.curves() for point in curve]
        if not points:
            return
        codes = [Path.MOVETO, *[Path.CURVE4] * 3] * (len(points) // 4)
        self._ax.add_patch(
            PathPatch(
                Path(points, codes),
                fill=False,
                edgecolor=colour,
                linewidth=thickness * self._scale,
                capstyle="round",
                joinstyle="round",
                zorder=1,
            )
        )

    def _head(self, line: Line, colour: str) -> None:
        from matplotlib.patches import Polygon

        # The outline of an output lies mostly outside its box.
        outlined = line.is_result and line.value in self._look.outputs
        corners = arrow_head(line, back=0.04 if outlined else 0.01)
        self._ax.add_patch(Polygon(corners, closed=True, color=colour, linewidth=0, zorder=2))

    def label(self, label: CallLabel) -> None:
        """Draw the name of a layer on its line, or the box of a folded chain."""
        is_lit = any(call in self._look.lit_calls for call in label.calls)
        if label.is_folded:
            self._box(label.place, label.text, _KINDS["lit" if is_lit else "folded"])
        elif label.text:
            self._ax.text(
                label.place.x,
                label.place.y,
                label.text,
                fontsize=LABEL_POINTS * self._scale,
                color=_KINDS["lit"].edge if is_lit else style.PALETTE["ink"],
                ha="center",
                va="center",
                rotation=270 if self._look.turn_labels else 0,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2 * self._scale},
                zorder=3,
                **FONT,
            )

    def value(self, box: ValueBox) -> None:
        """Draw the box of a value."""
        kind = _KINDS[self._look.kind_of(box.value)]
        if self._look.tints is not None:
            kind = kind._replace(fill=self._look.tints.get(box.value, kind.fill))
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
            fontsize=BOX_POINTS * self._scale,
            color=style.ink_on(kind.fill),
            ha="center",
            va="center",
            zorder=5,
            **FONT,
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

    def legend(self, kinds: list[str], layout: Layout) -> None:
        """Draw one row that says which box is what, below the graph."""
        from matplotlib.legend_handler import HandlerPatch
        from matplotlib.patches import FancyBboxPatch, Patch

        def rounded(*, width: float, height: float, **_: Any) -> FancyBboxPatch:
            shape = f"round,pad=0,rounding_size={0.3 * height}"
            return FancyBboxPatch((0, 0), width, height, boxstyle=shape)

        handles = [Patch(label=_KINDS[kind].name, **self._outline(_KINDS[kind])) for kind in kinds]
        self._ax.legend(
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
            prop={"family": FONT["family"], "size": _LEGEND_POINTS * self._scale},
            labelcolor=style.PALETTE["ink"],
            handler_map={Patch: HandlerPatch(patch_func=rounded)},
        )
