"""The results of a function for all choices of its arguments, as HTML that needs no kernel."""

from __future__ import annotations

import base64
import html
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hpml.base.page import asset
from hpml.widgets.errors import WidgetError

_SHARED = re.compile(r"<style>.*?</style>", re.DOTALL)
_PNG = re.compile(r"(?<=data:image/png;base64,)[A-Za-z0-9+/=]+")


@dataclass(frozen=True)
class Control:
    """One argument, its values, and the index of the first shown."""

    name: str
    values: tuple[object, ...]
    start: int = 0

    @property
    def is_ordered(self) -> bool:
        """Whether the values are on a slider; texts have no order to slide along."""
        return not all(isinstance(value, str) for value in self.values)

    @property
    def texts(self) -> list[str]:
        return [f"{v:,}" if type(v) is int else str(v) for v in self.values]


@dataclass(frozen=True)
class States:
    """The HTML of each combination, with the last control changing fastest.

    >>> shown = States((Control("n", (3, 4)),), ("<p>9</p>", "<p>16</p>"), plain="9")
    >>> shown.html.count("data-state=")
    2
    """

    controls: tuple[Control, ...]
    pages: tuple[str, ...]
    plain: str

    @cached_property
    def html(self) -> str:
        """Controls and results as self-contained HTML; what results share is stored once."""
        shared = "".join(
            dict.fromkeys(part for page in self.pages for part in _SHARED.findall(page))
        )
        different = dict.fromkeys(_SHARED.sub("", page) for page in self.pages)
        number = {page: index for index, page in enumerate(different)}
        places = [number[_SHARED.sub("", page)] for page in self.pages]
        start = 0
        for control in self.controls:
            start = start * len(control.values) + control.start
        states = "".join(
            f'<div data-state="{index}"{"" if index == places[start] else " hidden"}>{page}</div>'
            for page, index in number.items()
        )
        data: dict[str, Any] = {
            "controls": [
                [c.name.replace("_", " "), c.texts, c.is_ordered, c.start] for c in self.controls
            ],
            "places": places,
        }
        choices = html.escape(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
        names = html.escape(", ".join(name for name, *_ in data["controls"]))
        css = asset("hpml.widgets.animation", "animation.css") + asset(__package__, "explore.css")
        return (
            f'<div class="hpml-animation hpml-explore" data-choices="{choices}" role="group" '
            f'aria-label="Choose {names}" data-lm-suppress-shortcuts="true">'
            f"<style>{css}</style>{shared}{states}"
            f"<script>{asset(__package__, 'explore.js')}</script></div>"
        )


def html_of(data: Mapping[str, str]) -> str:
    """Return the HTML of a cell's output by MIME type, with small pictures.

    Raises:
        WidgetError: if the output is neither text, HTML nor a PNG picture.
    """
    if "text/html" in data:
        return _PNG.sub(lambda found: _small(found[0]), data["text/html"])
    if "image/png" in data:
        text = html.escape(data.get("text/plain", "A picture"))
        return f'<img alt="{text}" src="data:image/png;base64,{_small(data["image/png"])}">'
    if "text/plain" in data:
        return f"<pre>{html.escape(data['text/plain'])}</pre>"
    raise WidgetError(
        object="a result of explore",
        expected="a value that is shown as text, HTML or a PNG picture",
        received=", ".join(data) or "one that displays itself",
        remedy="Return the value from the function and do not display it there.",
    )


def _small(png: str) -> str:
    """Return a PNG with a palette, which takes about a third of the bytes, if it is smaller."""
    from PIL import Image

    stream = io.BytesIO()
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    picture.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        stream, format="png", optimize=True
    )
    small = base64.b64encode(stream.getvalue()).decode("ascii")
    return min(small, png, key=len)
