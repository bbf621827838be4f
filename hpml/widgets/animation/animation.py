"""Precomputed animations that play without a kernel.

An animation has one HTML template. Each keyframe marks parts of it and fills placeholders; only the
changes between keyframes are stored. The keyframe shown first and the table need no script.
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
"""Limit of keyframes, for the size of the notebook."""

_PLAIN_LINES = 30
_PART = re.compile(r'data-part="([^"]*)"')
_PLACEHOLDER = re.compile(r'data-fill="([^"]*)">(?=</)')


@dataclass(frozen=True)
class Keyframe:
    """One step of an animation.

    Attributes:
        line: the step in one line of plain text, for the table and for screen readers.
        marks: words for parts of the template, such as ``"lit"``, which the style sheet selects
            with ``[data-on~="lit"]``. The word ``"here"`` scrolls a part into view within its
            ``class="hpml-animation-scroll"``.
        texts: text for placeholders of the template.
        pieces: HTML for placeholders of the template; escape text in it.

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
    """Keyframes of one template, to show as the value of a cell.

    The reader plays, steps and moves a slider, by mouse or keyboard (Space, Left, Right, Home,
    End); with `labels`, a list replaces the player. Clicking an element of the template or of
    pieces with ``data-go="7"`` shows keyframe 7, with ``data-go="7 9"`` the next of these. Tab
    stops at such elements of the template if they have an ``aria-label``.

    Attributes:
        title: title, also for screen readers.
        template: HTML; `part` names an element that can be marked, `placeholder` one to fill.
        keyframes: one or more, at most `MOST_KEYFRAMES`.
        style: style sheet whose selectors begin with ``&``, which is replaced by the class of this
            kind of animation; colours are the variables of ``animation.css``.
        kind: name of that class.
        table: table of all steps; None makes one from the keyframes' lines.
        labels: name of each keyframe, for the list.
        columns: number of columns of a grid of keyframes; Up and Down move by a row.
        start: index of the keyframe shown first.

    Raises:
        WidgetError: if there is no keyframe, or more than `MOST_KEYFRAMES`.

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
    start: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "keyframes", tuple(self.keyframes))
        if not 0 < len(self.keyframes) <= MOST_KEYFRAMES:
            raise WidgetError(
                object=f"animation {describe(self.title)}",
                expected=f"1 to {MOST_KEYFRAMES:,} keyframes",
                received=f"{len(self.keyframes):,}",
                remedy="Show a part of it." if self.keyframes else "Show at least one.",
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
        """The animation as self-contained HTML."""
        data = self._data()
        # Deterministic, so that running a notebook again does not change its file.
        name = hashlib.sha256(_script_text(data).encode()).hexdigest()[:12]
        title, first = html.escape(self.title), self.keyframes[self.start]
        style = self.style.replace("&", f".hpml-animation.{self.kind}")
        summary = f"{self._counted().capitalize()} as a table"
        table = self.table
        if table is None:
            rows = [[number, each.line] for number, each in enumerate(self.keyframes, 1)]
            table = Table(["step", "what happens"], rows)
        return (
            f'<div class="hpml-animation {html.escape(self.kind)}" data-animation="{name}" '
            f'role="group" aria-label="{title}" data-lm-suppress-shortcuts="true">'
            f"<style>{asset(__package__, 'animation.css')}{style}</style>"
            f'<p class="hpml-animation-title"><b>{title}</b></p>'
            f'<div class="hpml-animation-template">{baked(self.template, first)}</div>'
            f'<p class="hpml-animation-caption" role="status">{html.escape(first.line)}</p>'
            f"<details><summary>{summary}</summary>{table._repr_html_()}</details>"
            f"<script>{asset(__package__, 'animation.js')}({_script_text({'id': name, **data})});"
            "</script></div>"
        )

    def _data(self) -> dict[str, Any]:
        strings: dict[str, int] = {}
        frames = [(keyframe.marks, keyframe.fills) for keyframe in self.keyframes]
        numbers = [{name: 0 for frame in frames for name in frame[kind]} for kind in (0, 1)]
        numbers = [{name: index for index, name in enumerate(used)} for used in numbers]
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
            "start": self.start,
            "keyframes": keyframes,
            "strings": list(strings),
        }

    def _counted(self) -> str:
        noun = "step" if self.labels is None else "state"
        return f"{len(self.keyframes):,} {noun}{'s' * (len(self.keyframes) != 1)}"


def baked(template: str, keyframe: Keyframe) -> str:
    """Return the template with the marks and fills of a keyframe, for a page without scripts."""

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
    """Return data as JavaScript in which no text can end the script element."""
    text = json.dumps(data, separators=(",", ":"))  # ASCII only, without line separators
    # These would begin an end tag, a comment or a script in HTML.
    return re.sub(r"<(?=[/!sS])", r"\\u003c", text)
