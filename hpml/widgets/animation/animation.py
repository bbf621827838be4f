"""Steps that a reader plays and goes through: computed beforehand, shown without a kernel.

A template is HTML, given once. Each keyframe says which parts of it are marked and how its
placeholders are filled; only the changes from keyframe to keyframe are stored. So an animation is
one output: plain text, HTML whose first keyframe needs no script, and a table of all steps.
"""

from __future__ import annotations

import functools
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hpml.base.errors import describe
from hpml.base.page import asset
from hpml.base.tables import Table
from hpml.widgets.errors import WidgetError

MOST_KEYFRAMES = 2000
"""More would make the notebook large, and no reader steps through them."""

_PLAIN_LINES = 30
_PART = re.compile(r'data-part="([^"]*)"')
_PLACEHOLDER = re.compile(r'data-fill="([^"]*)">(?=</)')


@dataclass(frozen=True)
class Keyframe:
    """What one step shows.

    Attributes:
        line: the step in one line of plain text, for the table and for screen readers.
        marks: words for parts of the template, such as ``"lit"``, which the style sheet selects
            with ``[data-on~="lit"]``. The word ``"here"`` scrolls a part into view within its
            ``class="hpml-animation-scroll"``.
        texts: text for placeholders of the template.
        pieces: HTML for placeholders of the template; escape what comes from outside.

    >>> Keyframe("3 is pushed", marks={"row4": "lit"}).line
    '3 is pushed'
    """

    line: str
    marks: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    pieces: Mapping[str, str] = field(default_factory=dict)

    @property
    def fills(self) -> dict[str, str]:
        """The HTML of each placeholder."""
        return {name: html.escape(text) for name, text in self.texts.items()} | {**self.pieces}


@dataclass(frozen=True)
class Animation:
    """Steps of one template, to be shown as the result of a cell.

    The reader plays, steps and moves a slider, by mouse or keyboard (Space, Left, Right, Home,
    End); with `labels` there is a list to choose from in place of the player. In the template and
    in pieces, an element with ``data-go="7"`` leads to keyframe 7 when it is clicked, one with
    ``data-go="7 9"`` to the next of these. Elements of the template that have an ``aria-label`` as
    well are reached by Tab. A ``<select class="hpml-animation-go">`` leads to its options' values.

    Attributes:
        title: what is shown; also its name for a screen reader.
        template: HTML; `part` names an element that can be marked, `placeholder` one to fill.
        keyframes: one or more, at most `MOST_KEYFRAMES`.
        style: a style sheet whose selectors begin with ``&``, which stands for this kind of
            animation; colours are the variables of ``animation.css``.
        kind: a word, the name of this style sheet's class.
        table: all steps; a table of the keyframes' lines if None.
        labels: a name for each keyframe, to choose it by.
        columns: of keyframes that are a grid; then Up and Down move by a row.

    Raises:
        WidgetError: if there is no keyframe or too many.

    >>> keyframes = [Keyframe("one", texts={"n": "1"}), Keyframe("two")]
    >>> Animation("Counting", f"<p {placeholder('n')}></p>", keyframes)
    Counting: 2 steps
      1. one
      2. two
    """

    title: str
    template: str
    keyframes: Sequence[Keyframe]
    style: str = ""
    kind: str = "plain"
    table: Table | None = None
    labels: Sequence[str] | None = None
    columns: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "keyframes", tuple(self.keyframes))
        if not 0 < len(self.keyframes) <= MOST_KEYFRAMES:
            raise WidgetError(
                f"The animation {describe(self.title)} expects 1 to {MOST_KEYFRAMES:,} keyframes, "
                f"got {len(self.keyframes):,}; show a part of it."
            )

    def __repr__(self) -> str:
        count = len(self.keyframes)
        lines = [
            f"{i:>3}. {keyframe.line}"
            for i, keyframe in enumerate(self.keyframes[:_PLAIN_LINES], 1)
        ]
        if count > _PLAIN_LINES:
            lines.append(f"     … and {count - _PLAIN_LINES:,} more")
        return "\n".join([f"{self.title}: {self._counted()}", *lines])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html}

    @functools.cached_property
    def html(self) -> str:
        """The animation as HTML that needs nothing else."""
        data = self._data()
        # The same animation has the same name, so that a notebook run again is stored the same.
        name = hashlib.sha256(_script_text(data).encode()).hexdigest()[:12]
        title, first = html.escape(self.title), self.keyframes[0]
        style = self.style.replace("&", f".hpml-animation.{self.kind}")
        summary = f"{self._counted().capitalize()} as a table"
        return (
            f'<div class="hpml-animation {html.escape(self.kind)}" data-animation="{name}" '
            f'role="group" aria-label="{title}" data-lm-suppress-shortcuts="true">'
            f"<style>{asset(__package__, 'animation.css')}{style}</style>"
            f'<p class="hpml-animation-title"><b>{title}</b></p>'
            f'<div class="hpml-animation-template">{baked(self.template, first)}</div>'
            f'<p class="hpml-animation-caption" role="status">{html.escape(first.line)}</p>'
            f"<details><summary>{summary}</summary>{self._steps()._repr_html_()}</details>"
            f"<script>{asset(__package__, 'animation.js')}({_script_text({'id': name, **data})});"
            "</script></div>"
        )

    def _steps(self) -> Table:
        if self.table is not None:
            return self.table
        rows = [[i, keyframe.line] for i, keyframe in enumerate(self.keyframes, 1)]
        return Table(["step", "what happens"], rows)

    def _data(self) -> dict[str, Any]:
        strings: dict[str, int] = {}
        frames = [(keyframe.marks, keyframe.fills) for keyframe in self.keyframes]
        numbers = [{name: 0 for frame in frames for name in frame[kind]} for kind in (0, 1)]
        numbers = [{name: place for place, name in enumerate(used)} for used in numbers]
        before: Sequence[Mapping[str, str]] = ({}, {})
        keyframes = []
        for keyframe, frame in zip(self.keyframes, frames, strict=True):
            row: list[object] = [strings.setdefault(keyframe.line, len(strings))]
            for old, new, number in zip(before, frame, numbers, strict=True):
                row.append(changes := [])
                for name in dict.fromkeys([*old, *new]):
                    text = new.get(name, "")
                    if old.get(name, "") != text:
                        changes += [number[name], strings.setdefault(text, len(strings))]
            keyframes.append(row)
            before = frame
        return {
            "parts": list(numbers[0]),
            "fills": list(numbers[1]),
            "labels": self.labels,
            "columns": self.columns,
            "keyframes": keyframes,
            "strings": list(strings),
        }

    def _counted(self) -> str:
        noun = "step" if self.labels is None else "state"
        return f"{len(self.keyframes):,} {noun}{'s' * (len(self.keyframes) != 1)}"


def baked(template: str, keyframe: Keyframe) -> str:
    """Return a template as it is in one keyframe, for a page without scripts."""

    def marked(match: re.Match[str]) -> str:
        on = keyframe.marks.get(html.unescape(match[1]), "")
        return f'{match[0]} data-on="{html.escape(on)}"' if on else match[0]

    fills = keyframe.fills
    template = _PART.sub(marked, template)
    return _PLACEHOLDER.sub(lambda m: m[0] + fills.get(html.unescape(m[1]), ""), template)


def part(name: str) -> str:
    """Return the attribute of an element that keyframes can mark."""
    return f'data-part="{html.escape(name)}"'


def placeholder(name: str) -> str:
    """Return the attribute of an empty element that keyframes fill; write it last."""
    return f'data-fill="{html.escape(name)}"'


def _script_text(data: object) -> str:
    """Return data as JavaScript that no text in it can end."""
    text = json.dumps(data, separators=(",", ":"))  # ASCII only: no line separators either
    # HTML looks for an end tag, a comment or a script here.
    return re.sub(r"<(?=[/!sS])", r"\\u003c", text)
