"""Frames that a reader plays and steps through: computed beforehand, shown without a kernel.

A template is HTML, given once. Each keyframe says what is marked in it and what stands in its
placeholders; only what changes from keyframe to keyframe is stored. So an animation is one output:
plain text, a page of its own with its first keyframe in place, and a table of all steps for where
scripts do not run.
"""

from __future__ import annotations

import functools
import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hpml.base.errors import describe
from hpml.base.page import asset
from hpml.base.tables import Table
from hpml.widgets.errors import WidgetError

MOST_KEYFRAMES = 2000
"""Nobody steps through more, and a notebook has to hold them."""

_PLAIN_LINES = 30
_PART = re.compile(r'data-part="([^"]*)"')
_PLACEHOLDER = re.compile(r'data-fill="([^"]*)">(?=</)')


@dataclass(frozen=True)
class Keyframe:
    """What is to be seen at one event.

    Attributes:
        line: the event in one line of plain text; the table of all steps shows it.
        caption: one line below the template, read out by a screen reader; `line` if empty.
        marks: for parts of the template how they are marked: words, such as ``"lit"``, which the
            style sheet selects with ``[data-on~="lit"]``. Parts that are not named are unmarked.
            The word ``"here"`` keeps a part in sight within its ``class="hpml-animation-scroll"``.
        texts: for placeholders of the template their text.
        pieces: for placeholders of the template their HTML; escape what comes from outside. A
            placeholder that is not named is empty. One placeholder holds texts in all keyframes, or
            HTML in all.

    >>> Keyframe("3 is put on the stack", marks={"row4": "lit"}).shown
    '3 is put on the stack'
    """

    line: str
    caption: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    pieces: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """The caption, or else the line."""
        return self.caption or self.line


@dataclass(frozen=True)
class Animation:
    """Frames of one template, to be shown as the result of a cell.

    The reader plays, steps and moves a slider, by mouse or keyboard (Space, Left, Right, Home,
    End); with `labels` there is a list to choose from in place of the player. In the template and
    in pieces, an element with ``data-go="7"`` leads to keyframe 7 when it is clicked, one with
    ``data-go="7 9"`` to the next of these; one in the template that is no button is reached with
    the Tab key if it has an ``aria-label``. So does a ``<select class="hpml-animation-go">`` whose
    options have such values: it shows where the animation is.

    Attributes:
        title: what is shown; also its name for a screen reader.
        template: HTML, or SVG in HTML. Elements made with `part` can be marked, those made with
            `placeholder` are filled.
        keyframes: one or more, at most `MOST_KEYFRAMES`.
        style: a style sheet for the template. Begin each selector with ``&``, which stands for this
            kind of animation: rules hold for the whole page. Colours of the page:
            ``var(--hpml-ink)``, ``--hpml-paper``, ``--hpml-line``, ``--hpml-accent``.
        kind: a word, the name of this style sheet's class.
        still: what stands in place of the template where scripts do not run; the template itself,
            at its first keyframe, if empty.
        table: all steps; a table of the keyframes' lines if None.
        labels: a name for each keyframe, to choose it by.

    Raises:
        WidgetError: if there is no keyframe or too many, if a keyframe names a part or placeholder
            that the template does not have, or if `labels` are not as many as keyframes.

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
    still: str = ""
    table: Table | None = None
    labels: Sequence[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "keyframes", tuple(self.keyframes))
        if not 0 < len(self.keyframes) <= MOST_KEYFRAMES:
            raise WidgetError(
                f"The animation {describe(self.title)} expects 1 to {MOST_KEYFRAMES:,} keyframes, "
                f"got {len(self.keyframes):,}; show a part of it."
            )
        if self.labels is not None and len(self.labels) != len(self.keyframes):
            raise WidgetError(
                f"The animation {describe(self.title)} expects a label for each of its "
                f"{len(self.keyframes)} keyframes, got {len(self.labels)}."
            )
        placeholders = _names(_PLACEHOLDER, self.template)
        if self.template.count("data-fill=") != len(_PLACEHOLDER.findall(self.template)):
            raise WidgetError(
                f"The template of the animation {describe(self.title)} has a placeholder that is "
                "not empty or has attributes after data-fill; write "
                "f'<p class=\"a\" {placeholder(name)}></p>'."
            )
        texts, pieces = self._used("texts"), self._used("pieces")
        self._check("parts", self._used("marks"), _names(_PART, self.template))
        self._check("placeholders", [*texts, *pieces], placeholders)
        if both := set(texts) & set(pieces):
            raise WidgetError(
                f"The placeholder {describe(min(both))} of the animation "
                f"{describe(self.title)} holds text in one keyframe and HTML in another; use "
                "either `texts` or `pieces` for it."
            )

    def _used(self, what: str) -> list[str]:
        named = [name for keyframe in self.keyframes for name in getattr(keyframe, what)]
        return list(dict.fromkeys(named))

    def _check(self, what: str, used: Iterable[str], known: set[str]) -> None:
        unknown = [name for name in used if name not in known]
        if unknown:
            there = ", ".join(sorted(known)) or "none"
            raise WidgetError(
                f"A keyframe of the animation {describe(self.title)} names {describe(unknown[0])}, "
                f"which its template does not have; its {what} are: {describe(there, 200)}."
            )

    def __repr__(self) -> str:
        count = len(self.keyframes)
        lines = [
            f"{i:>3}. {keyframe.line}"
            for i, keyframe in enumerate(self.keyframes[:_PLAIN_LINES], 1)
        ]
        if count > _PLAIN_LINES:
            lines.append(f"     … and {count - _PLAIN_LINES:,} more")
        noun = "step" if self.labels is None else "entry"
        head = f"{self.title}: {_counted(count, noun)}"
        return "\n".join([head, *lines])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html}

    @functools.cached_property
    def html(self) -> str:
        """The animation as HTML that needs nothing else."""
        data = self._data()
        # The same animation has the same name, so that a notebook run again is stored the same.
        name = hashlib.sha256(_script_text(data).encode()).hexdigest()[:12]
        title, first = html.escape(self.title), self.keyframes[0]
        still = self.still or baked(self.template, first)
        style = self.style.replace("&", f".hpml-animation.{self.kind}")
        noun = "step" if self.labels is None else "entry"
        summary = f"{_counted(len(self.keyframes), noun).capitalize()} as a table"
        return (
            f'<div class="hpml-animation {html.escape(self.kind)}" data-animation="{name}" '
            f'role="group" aria-label="{title}" data-lm-suppress-shortcuts="true">'
            f"<style>{asset(__package__, 'animation.css')}{style}</style>"
            f'<p class="hpml-animation-title"><b>{title}</b></p>'
            f'<div class="hpml-animation-template">{still}</div>'
            f'<p class="hpml-animation-caption" role="status">{html.escape(first.shown)}</p>'
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
        strings = _Pool()
        used = {what: self._used(what) for what in ("marks", "texts", "pieces")}
        numbers = {what: {name: i for i, name in enumerate(used[what])} for what in used}
        before: dict[str, Mapping[str, str]] = {what: {} for what in used}
        keyframes = []
        for keyframe in self.keyframes:
            row: list[object] = [strings(keyframe.shown)]
            for what, number in numbers.items():
                now: Mapping[str, str] = getattr(keyframe, what)
                changes = [
                    (number[name], strings(now.get(name, "")))
                    for name in dict.fromkeys([*before[what], *now])
                    if before[what].get(name, "") != now.get(name, "")
                ]
                row.append([number for pair in changes for number in pair])
                before[what] = now
            keyframes.append(row)
        return {
            "template": self.template if self.still else None,
            "parts": used["marks"],
            "texts": used["texts"],
            "pieces": used["pieces"],
            "labels": None if self.labels is None else list(self.labels),
            "keyframes": keyframes,
            "strings": list(strings.numbers),
        }


def baked(template: str, keyframe: Keyframe) -> str:
    """Return a template as it is in one keyframe, for a page without scripts."""

    def marked(match: re.Match[str]) -> str:
        on = keyframe.marks.get(html.unescape(match[1]), "")
        return f'{match[0]} data-on="{html.escape(on)}"' if on else match[0]

    def filled(match: re.Match[str]) -> str:
        name = html.unescape(match[1])
        return match[0] + (
            html.escape(keyframe.texts.get(name, "")) or keyframe.pieces.get(name, "")
        )

    return _PLACEHOLDER.sub(filled, _PART.sub(marked, template))


def part(name: str) -> str:
    """Return the attribute of an element that keyframes can mark."""
    return f'data-part="{html.escape(name)}"'


def placeholder(name: str) -> str:
    """Return the attribute of an empty element that keyframes fill; write it last."""
    return f'data-fill="{html.escape(name)}"'


class _Pool:
    """Each text once, and its number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def _names(pattern: re.Pattern[str], template: str) -> set[str]:
    return {html.unescape(name) for name in pattern.findall(template)}


def _counted(count: int, noun: str) -> str:
    plural = {"step": "steps", "entry": "entries"}[noun]
    return f"{count:,} {noun if count == 1 else plural}"


def _script_text(data: object) -> str:
    """Return data as JavaScript that no text in it can end."""
    text = json.dumps(data, separators=(",", ":"))  # ASCII only: no line separators either
    # What follows decides: an end tag, a comment and a script are all that HTML looks for here.
    return re.sub(r"<(?=[/!sS])", r"\\u003c", text)
