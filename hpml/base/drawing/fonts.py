"""Measure texts in pictures of graphs as matplotlib draws them."""

from __future__ import annotations

import functools
from typing import Any

from hpml.base import style

FONT: dict[str, Any] = {"family": "DejaVu Sans", "parse_math": False}
"""Included in matplotlib, so the same on all machines."""

BOX_POINTS, LABEL_POINTS = 9.0, 8.0


@functools.lru_cache(maxsize=1024)
def measured(text: str, points: float) -> tuple[float, float]:
    """Return width and height in inches of a text of font size `points`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with style.apply():
        figure = Figure(figsize=(1, 1), dpi=100)
        FigureCanvasAgg(figure)  # provides the figure's renderer
        extent = figure.text(0, 0, text, fontsize=points, **FONT).get_window_extent()
    return float(extent.width) / 100, float(extent.height) / 100
