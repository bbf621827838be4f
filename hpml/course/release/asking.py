"""Turn the predictions of an executed lab into forms, which a page answers without a kernel."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpml.base.page import frame, sentence
from hpml.base.style import ACCENT

if TYPE_CHECKING:
    from nbformat import NotebookNode

_FIELDS = re.compile(r'\A<div data-(asked|shown)="([^"]*)"')
_NO_RESULT = {"result": "This page has no result for it: run the lab to see one."}


def ask_on_page(cells: Sequence[NotebookNode]) -> None:
    """Replace each open prediction by a form that compares an answer with the result, in place.

    The result stays where it was measured, and says there too what was answered.
    """
    data = [o.data for cell in cells for o in cell.get("outputs", []) if "data" in o]
    found = [(each, _FIELDS.match(each.get("text/html", ""))) for each in data]
    fields = [
        (each, match[1], json.loads(html.unescape(match[2]))) for each, match in found if match
    ]
    results = {given["key"]: given for _, kind, given in fields if kind == "shown"}
    for each, kind, given in fields:
        key = given["key"]
        if kind == "asked":
            each["text/html"] = _form(given, results.get(key, _NO_RESULT))
        else:
            place = f'<div id="result-{html.escape(key)}"'
            each["text/html"] = _FIELDS.sub(place, each["text/html"])


def _form(asked: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    key = html.escape(asked["key"])
    if asked["choices"]:
        fields = "".join(
            f'<label><input type="radio" name="{key}" value="{html.escape(text)}" required> '
            f"{html.escape(text)}</label>"
            for text in asked["choices"]
        )
    else:
        ends = {"min": asked["at_least"], "max": asked["at_most"]}
        limits = "".join(f' {name}="{end:g}"' for name, end in ends.items() if end is not None)
        fields = (
            f"<label>in {html.escape(asked['unit'])}: "
            f'<input type="number" name="{key}" step="any" required{limits}></label>'
        )
    known = html.escape(json.dumps({**result, "key": asked["key"], "unit": asked["unit"]}))
    question = sentence(asked["question"]).removeprefix("<p>").removesuffix("</p>")
    body = (
        f'<form class="hpml-asked" data-known="{known}"><fieldset>'
        f"<legend>{question}</legend>{fields}"
        '<button type="submit">Lock in</button></fieldset>'
        '<p class="hpml-said" role="status" tabindex="-1"></p></form>'
    )
    return frame("Predict", body, ACCENT)
