"""Number the pictures of a lab's page, and show one of them at its top."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbformat import NotebookNode

HEROES = {
    "01": "boxes-and-arrows",
    "02": "02-15",
    "03": "03-16",
    "04": "04-26",
    "05": "05-21",
    "06": "06-13",
    "07": "07-51",
    "08": "08-12",
    "09": "09-12",
    "10": "10-41",
    "11": "11-21",
    "12": "12-24",
    "13": "13-05",
    "14": "14-21",
    "15": "15-08",
}
"""The cell of each lab whose first picture is also shown at the top of the page.

It shows what the lab is about. A lab without an entry has a picture near its top already.
"""

_IMAGE = re.compile(r'<img class="hpml-figure"[^>]* alt="([^"]*)"[^>]*>')
_WIDGET = re.compile(r'<div class="hpml-(?:animation|icicle)[ "]')
_TITLE = re.compile(r' data-title="([^"]+)"')
_ICICLE = re.compile(r'<div class="hpml-icicle-picture"><svg [^>]*aria-label="([^"]*)"')
_NUMBERED = re.compile(r'<figure [^>]*id="figure-([\d.]+)">(.*?)<figcaption>', re.DOTALL)
_FIRST_SENTENCE = re.compile(r"(.+?)(?:[.:;]?\n+|[.:;] +(?=\S)|\.?$)(.*)", re.DOTALL)


def has_figure(output: NotebookNode) -> bool:
    """Return whether an output of a cell shows a picture or a widget."""
    shown = output.get("data", {}).get("text/html", "")
    return any(form.search(shown) for form in (_WIDGET, _IMAGE))


def number_figures(lab: str, cells: Iterable[NotebookNode]) -> None:
    """Number the pictures and widgets of a lab, whose number is such as "02", in place."""
    numbers = itertools.count(1)

    def numbered(found: re.Match[str]) -> str:
        return _figure(f"{lab}.{next(numbers)}", found[0], *_caption(found))

    for cell in cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            shown = data.get("text/html", "")
            if _WIDGET.search(shown):
                title = _ICICLE.search(shown)  # which has no heading
                data["text/html"] = _figure(
                    f"{lab}.{next(numbers)}", shown, title[1] if title else ""
                )
            elif shown:
                data["text/html"] = _IMAGE.sub(numbered, shown)


def hero(lab: str, cells: Iterable[NotebookNode]) -> str:
    """Return the numbered picture for the top of a page as HTML, with a link to it; "" if none."""
    outputs = [o for cell in cells if cell.get("id") == HEROES.get(lab) for o in cell.outputs]
    shown = "".join(output.get("data", {}).get("text/html", "") for output in outputs)
    found = _NUMBERED.search(shown)
    if found is None:
        return ""
    # Two regions of one name would confuse a screen reader.
    copied = found[2].replace(' aria-label="', ' aria-label="At the top: ')
    return (
        f'<figure class="hpml-hero">{copied}<figcaption>This is '
        f'<a href="#figure-{found[1]}">Figure {found[1]}</a>.</figcaption></figure>'
    )


def _figure(number: str, shown: str, title: str = "", more: str = "") -> str:
    caption = f'<a href="#figure-{number}">Figure {number}</a>'
    caption += f". {title.removesuffix('.')}." if title else ""
    if more:
        caption += f"<details><summary>In words</summary><p>{more}</p></details>"
    return (
        f'<figure class="hpml-numbered" id="figure-{number}"><div>{shown}</div>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _caption(image: re.Match[str]) -> tuple[str, str]:
    """Return the title of a picture and its description in HTML.

    A picture without a title has the first sentence of its description instead.
    """
    description = html.unescape(image[1]).strip()
    if titled := _TITLE.search(image[0]):
        title = html.unescape(titled[1])
        rest = description.removeprefix(f"{title}.").strip()
    else:
        found = _FIRST_SENTENCE.fullmatch(description)
        title, rest = found.groups() if found else ("", "")
    more = "<br>".join(html.escape(line) for line in rest.split("\n") if line.strip())
    return html.escape(title), more
