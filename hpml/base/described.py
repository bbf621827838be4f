"""A matplotlib figure with a text description for screen readers."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.figure import Figure

from hpml.base.tables import fold

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Figures have a white ground; a dark page inverts them and keeps the hues. The book's style sheet
# does the same.
_DARK = (
    '<style>:is([data-jp-theme-light="false"], .vscode-dark) .hpml-figure '
    "{filter: invert(0.93) hue-rotate(180deg);}</style>"
)
# Fit a tall picture between the toolbar and the bottom of the screen.
_FITS = "max-width: 100%; max-height: 85vh; object-fit: contain; object-position: left top;"


class DescribedFigure(Figure):
    """A figure that is drawn and shown with the same matplotlib `settings`."""

    def __init__(self, *arguments: Any, settings: Mapping[Any, Any], **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._settings = settings
        self._texts: dict[Axes, str] = {}
        self._notes = ("", "")

    @property
    def description(self) -> str:
        """The title of each axes with its description, or with its axis labels."""
        parts = []
        for ax in self.axes:
            title = ax.get_title(loc="left") or ax.get_title()
            labels = " against ".join(filter(None, [ax.get_ylabel(), ax.get_xlabel()]))
            parts.append(". ".join(filter(None, [title, self._texts.get(ax, labels)])))
        return "\n".join(filter(None, parts)) or "A figure"

    def describe(self, ax: Axes, text: str) -> None:
        self._texts[ax] = text

    def fold(self, summary: str, text: str) -> None:
        """Show a text folded below the figure on a page, and after its description in words."""
        self._notes = (summary, text)

    def _ipython_display_(self) -> None:
        from IPython.display import display

        text = self.description
        with matplotlib.rc_context(dict(self._settings)):
            shown, png = image(self, text)
        summary, notes = self._notes
        if notes:
            shown, text = shown + fold(summary, notes), f"{text}\n{summary}. {notes}"
        data = {"text/plain": text, "text/html": shown, "image/png": _base64(png)}
        publish: Any = display
        publish(data, raw=True)


def image(figure: Figure, text: str) -> tuple[str, bytes]:
    """Return a figure as HTML, with `text` as its alternative text, and as PNG.

    The HTML also has the titles of the axes, for a caption.
    """
    stream = io.BytesIO()
    # Not bbox_inches="tight": the layout already reserves space for the caption.
    figure.savefig(stream, format="png")
    width = int(figure.get_size_inches()[0] * 100)
    titles = [ax.get_title(loc="left") or ax.get_title() for ax in figure.axes]
    title = "; ".join(dict.fromkeys(filter(None, titles)))
    shown = (
        f'{_DARK}<img class="hpml-figure" src="data:image/png;base64,{_base64(stream.getvalue())}" '
        f'alt="{html.escape(text)}" data-title="{html.escape(title)}" width="{width}" '
        f'style="{_FITS}">'
    )
    return shown, stream.getvalue()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
