"""Draw the layout of a graph with matplotlib."""

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
_AROUND = 0.035
"""Distance between the two outlines of an output."""

_LINE = "#5A5A5A"


class _Kind(NamedTuple):
    """The look of one kind of box; lengths in points."""

    name: str
    fill: str
    edge: str
    thickness: float
    dashes: Any = "solid"

    def patch(self, scale: float) -> dict[str, Any]:
        """Return the options of a matplotlib patch."""
        return {
            "facecolor": self.fill,
            "edgecolor": self.edge,
            "linewidth": self.thickness * scale,
            "linestyle": self.dashes,
        }


_KINDS = {
    "input": _Kind("input", "#C9E0F4", "#1B5E94", 2.0),
    "hidden": _Kind("hidden", "#FFFFFF", "#6A6A6A", 0.9),
    "output": _Kind("output", "#FCE2B4", "#8A5300", 1.1),
    "outside": _Kind("from elsewhere", "#FFFFFF", "#3A3A3A", 1.3, (0, (1.2, 1.6))),
    "folded": _Kind("several layers", "#EFEFEF", "#6A6A6A", 0.9, (0, (4, 2.5))),
    "lit": _Kind("highlighted", "#F7B48F", style.PALETTE["accent"], 3.2),
    "plain": _Kind("", "#FFFFFF", style.PALETTE["ink"], 1.0),
}


class Look(NamedTuple):
    """The values and calls that are drawn in a special way.

    `outside` are values from outside the drawn part, `lit` and `lit_calls` are highlighted,
    `turn_labels` rotates labels by 90 degrees. `tints` replaces colours and legend.
    """

    inputs: Collection[int] = ()
    outputs: Collection[int] = ()
    outside: Collection[int] = ()
    lit: Collection[int] = ()
    lit_calls: Collection[int] = ()
    turn_labels: bool = False
    tints: Mapping[int, str] | None = None

    def kind_of(self, value: int) -> str:
        """Return the name of the first kind that applies to a value."""
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
    """Draw a layout into `ax` or a new figure; return the figure, which stays open with `show`.

    `figsize` is in inches; by default the size of the layout.
    """
    import matplotlib.pyplot as plt

    kinds = {look.kind_of(box.value) for box in layout.boxes}
    legend = [kind for name, kind in _KINDS.items() if name in kinds and kind.name]
    legend_width = sum(measured(kind.name, _LEGEND_POINTS)[0] + 0.6 for kind in legend)
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
        folded = {label.calls[0] for label in layout.labels if label.is_folded}
        for line in layout.lines:
            painter.line(line, has_head=line.is_result or line.call in folded)
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
    """Return a description of the graph: the values that each call reads and makes."""
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
    """Clear an axes and set its limits to inches, with y downwards; return its scale."""
    ax.set_facecolor("white")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    figure = cast("Figure", ax.get_figure(root=True))
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()  # sets the final size of the axes
    extent = ax.get_window_extent()
    ax_width, ax_height = extent.width / figure.dpi, extent.height / figure.dpi
    scale = min(ax_width / width, ax_height / height)
    middle_x, middle_y = layout.width / 2, height / 2 - _MARGIN
    ax.set_xlim(middle_x - ax_width / scale / 2, middle_x + ax_width / scale / 2)
    ax.set_ylim(middle_y + ax_height / scale / 2, middle_y - ax_height / scale / 2)
    ax.set_aspect("equal", adjustable="box")
    return scale


class _Painter:
    """Draws one layout on one axes; a scale below 1 makes texts and lines smaller."""

    def __init__(self, ax: Axes, look: Look, scale: float) -> None:
        self._ax = ax
        self._look = look
        self._scale = scale

    def line(self, line: Line, *, has_head: bool) -> None:
        from matplotlib.patches import PathPatch, Polygon
        from matplotlib.path import Path

        lit = line.is_result and line.value in self._look.lit
        colour, width = (_KINDS["lit"].edge, 2.2) if lit else (_LINE, 1.1)
        codes = [Path.MOVETO, *[Path.CURVE4] * (len(line.points) - 1)]
        self._ax.add_patch(
            PathPatch(
                Path(line.points, codes),
                fill=False,
                edgecolor=colour,
                linewidth=width * self._scale,
                capstyle="round",
                zorder=1 + lit,
            )
        )
        if has_head:
            # The second outline of an output is outside its box.
            outlined = line.is_result and line.value in self._look.outputs
            corners = arrow_head(line, back=_AROUND if outlined else 0.01)
            self._ax.add_patch(Polygon(corners, closed=True, color=colour, linewidth=0, zorder=2))

    def label(self, label: CallLabel) -> None:
        is_lit = any(call in self._look.lit_calls for call in label.calls)
        if label.is_folded:
            self._box(label.rectangle, label.text, _KINDS["lit" if is_lit else "folded"])
        elif label.text:
            self._text(
                label.rectangle,
                label.text,
                LABEL_POINTS,
                _KINDS["lit"].edge if is_lit else style.PALETTE["ink"],
                rotation=270 if self._look.turn_labels else 0,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2 * self._scale},
            )

    def value(self, box: ValueBox) -> None:
        kind = _KINDS[self._look.kind_of(box.value)]
        if self._look.tints is not None:
            kind = kind._replace(fill=self._look.tints.get(box.value, kind.fill))
        # An input that is also an output has the colour of an input and the second outline.
        if box.value in self._look.outputs:
            self._rectangle(box.rectangle, kind._replace(fill="white"), _AROUND)
        self._box(box.rectangle, box.text, kind)

    def _box(self, rectangle: Rectangle, text: str, kind: _Kind) -> None:
        self._rectangle(rectangle, kind, 0.0)
        self._text(rectangle, text, BOX_POINTS, style.ink_on(kind.fill))

    def _rectangle(self, rectangle: Rectangle, kind: _Kind, around: float) -> None:
        from matplotlib.patches import FancyBboxPatch

        self._ax.add_patch(
            FancyBboxPatch(
                (rectangle.left, rectangle.top),
                rectangle.width,
                rectangle.height,
                boxstyle=f"round,pad={around},rounding_size={0.08 + around}",
                zorder=4,
                **kind.patch(self._scale),
            )
        )

    def _text(
        self, rectangle: Rectangle, text: str, points: float, colour: str, **options: Any
    ) -> None:
        self._ax.text(
            rectangle.x,
            rectangle.y,
            text,
            fontsize=points * self._scale,
            color=colour,
            ha="center",
            va="center",
            zorder=5,
            **FONT,
            **options,
        )

    def legend(self, kinds: list[_Kind], layout: Layout) -> None:
        from matplotlib.patches import Patch

        self._ax.legend(
            handles=[Patch(label=kind.name, **kind.patch(self._scale)) for kind in kinds],
            loc="center",
            bbox_to_anchor=(layout.width / 2, layout.height + _MARGIN + _LEGEND_HEIGHT / 2),
            bbox_transform=self._ax.transData,
            ncols=len(kinds),
            frameon=False,
            columnspacing=1.6,
            prop={"family": FONT["family"], "size": _LEGEND_POINTS * self._scale},
            labelcolor=style.PALETTE["ink"],
        )
