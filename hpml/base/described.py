"""A figure that carries words to the page, for readers who do not see it."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Figures are drawn on white; where the page is dark they are inverted, with their hues kept. The
# book says the same in its style sheet.
_DARK = (
    '<style>:is([data-jp-theme-light="false"], .vscode-dark) .hpml-figure '
    "{filter: invert(0.93) hue-rotate(180deg);}</style>"
)
# A tall picture fits between the toolbar and the end of a screen.
_FITS = "max-width: 100%; max-height: 85vh; object-fit: contain; object-position: left top;"


class DescribedFigure(Figure):
    """A figure whose `settings` hold when it is shown, as they did when it was drawn."""

    def __init__(self, *arguments: Any, settings: Mapping[Any, Any], **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._settings = settings
        self._texts: dict[Axes, str] = {}

    @property
    def description(self) -> str:
        """The title of each axes with what was said of it, or with the names of its directions."""
        parts = []
        for ax in self.axes:
            title = ax.get_title(loc="left") or ax.get_title()
            names = " against ".join(filter(None, [ax.get_ylabel(), ax.get_xlabel()]))
            parts.append(". ".join(filter(None, [title, self._texts.get(ax, names)])))
        return "\n".join(filter(None, parts)) or "A figure"

    def say(self, ax: Axes, text: str) -> None:
        """Keep what an axes shows, in words."""
        self._texts[ax] = text

    def _ipython_display_(self) -> None:
        from IPython.display import display

        text = self.description
        with matplotlib.rc_context(dict(self._settings)):
            shown, png = image(self, text)
        data = {"text/plain": text, "text/html": shown, "image/png": _base64(png)}
        publish: Any = display
        publish(data, raw=True)


def image(figure: Figure, text: str) -> tuple[str, bytes]:
    """Return a figure as HTML that says `text` where it is not seen, and as PNG."""
    stream = io.BytesIO()
    # Not bbox_inches="tight": the layout already leaves room for the caption.
    figure.savefig(stream, format="png")
    width = int(figure.get_size_inches()[0] * 100)
    shown = (
        f'{_DARK}<img class="hpml-figure" src="data:image/png;base64,{_base64(stream.getvalue())}" '
        f'alt="{html.escape(text)}" width="{width}" style="{_FITS}">'
    )
    return shown, stream.getvalue()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
