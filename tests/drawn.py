"""Draw a chart into an axes of its own, laid out, to look at its marks and texts."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from matplotlib.text import Text

from hpml.base import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

    from hpml.base.charts import Chart


def drawn(chart: Chart, width: float = 7.0) -> Axes:
    """Return the axes of a drawn chart."""
    fig, ax = style.figure(width=width, height=chart.height)
    with style.apply():
        chart.on(ax)
        fig.canvas.draw()
    return ax


def extent(text: Text) -> Bbox:
    """Return where a text is in the picture, without its leader, in pixels."""
    return Text.get_window_extent(text)


def overlap(texts: Iterable[Text]) -> bool:
    """Return whether two texts of one picture overlap."""
    boxes = [extent(text) for text in texts if text.get_text()]
    return any(
        a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1
        for a, b in itertools.combinations(boxes, 2)
    )
