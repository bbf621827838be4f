"""Frames that a reader plays and steps through: computed beforehand, shown without a kernel.

A scene is HTML, given once. Each frame says what is marked in it and what stands in its slots; only
what changes from frame to frame is stored. So a film is one output: plain text, a page of its own
with its first frame in place, and a table of all steps for where scripts do not run.
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
from hpml.base.tables import Table
from hpml.widgets.errors import WidgetError
from hpml.widgets.film_page import SCRIPT, STYLE

__all__ = ["MOST_FRAMES", "Film", "Frame", "baked", "part", "slot"]

MOST_FRAMES = 2000
"""Nobody steps through more, and a notebook has to hold them."""

_PLAIN_LINES = 30
_PART = re.compile(r'data-part="([^"]*)"')
_SLOT = re.compile(r'data-slot="([^"]*)">(?=</)')


@dataclass(frozen=True)
class Frame:
    """What is to be seen at one moment.

    Attributes:
        line: the moment in one line of plain text; the table of all steps shows it.
        caption: one line below the scene, read out by a screen reader; `line` if empty.
        marks: for parts of the scene how they are marked: words, such as ``"lit"``, which the
            style sheet selects with ``[data-on~="lit"]``. Parts that are not named are unmarked.
            The word ``"here"`` keeps a part in sight within its ``class="hpml-film-scroll"``.
        texts: for slots of the scene their text.
        pieces: for slots of the scene their HTML; escape what comes from outside. A slot that is
            not named is empty. One slot holds texts in all frames, or HTML in all.

    >>> Frame("3 is put on the stack", marks={"row4": "lit"}).shown
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
class Film:
    """Frames of one scene, to be shown as the result of a cell.

    The reader plays, steps and moves a slider, by mouse or keyboard (Space, Left, Right, Home,
    End); with `labels` there is a list to choose from in place of the player. In the scene and in
    pieces, an element with ``data-go="7"`` leads to frame 7 when it is clicked, one with
    ``data-go="7 9"`` to the next of these; one in the scene that is no button is reached with the
    Tab key if it has an ``aria-label``. So does a ``<select class="hpml-film-go">`` whose options
    have such values: it shows where the film is.

    Attributes:
        title: what is shown; also its name for a screen reader.
        scene: HTML, or SVG in HTML. Elements made with `part` can be marked, those made with
            `slot` are filled.
        frames: one or more, at most `MOST_FRAMES`.
        style: a style sheet for the scene. Begin each selector with ``.hpml-film.KIND``: rules
            hold for the whole page. Colours of the page: ``var(--film-ink)``, ``--film-paper``,
            ``--film-line``, ``--film-accent``.
        kind: a word, the name of this style sheet's class.
        still: what stands in place of the scene where scripts do not run; the scene itself, at its
            first frame, if empty.
        table: all steps; a table of the frames' lines if None.
        labels: a name for each frame, to choose it by.

    Raises:
        WidgetError: if there is no frame or too many, if a frame names a part or slot that the
            scene does not have, or if `labels` are not as many as frames.

    >>> Film("Counting", f"<p {slot('n')}></p>", [Frame("one", texts={"n": "1"}), Frame("two")])
    Counting: 2 steps
      1. one
      2. two
    """

    title: str
    scene: str
    frames: Sequence[Frame]
    style: str = ""
    kind: str = "plain"
    still: str = ""
    table: Table | None = None
    labels: Sequence[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "frames", tuple(self.frames))
        if not 0 < len(self.frames) <= MOST_FRAMES:
            raise WidgetError(
                f"The film {describe(self.title)} expects 1 to {MOST_FRAMES:,} frames, got "
                f"{len(self.frames):,}; show a part of it."
            )
        if self.labels is not None and len(self.labels) != len(self.frames):
            raise WidgetError(
                f"The film {describe(self.title)} expects a label for each of its "
                f"{len(self.frames)} frames, got {len(self.labels)}."
            )
        slots = _names(_SLOT, self.scene)
        if self.scene.count("data-slot=") != len(_SLOT.findall(self.scene)):
            raise WidgetError(
                f"The scene of the film {describe(self.title)} has a slot that is not empty or "
                "has attributes after data-slot; write f'<p class=\"a\" {slot(name)}></p>'."
            )
        texts, pieces = self._used("texts"), self._used("pieces")
        self._check("parts", self._used("marks"), _names(_PART, self.scene))
        self._check("slots", [*texts, *pieces], slots)
        if both := set(texts) & set(pieces):
            raise WidgetError(
                f"The slot {describe(min(both))} of the film {describe(self.title)} holds text in "
                "one frame and HTML in another; use either `texts` or `pieces` for it."
            )

    def _used(self, what: str) -> list[str]:
        named = [name for frame in self.frames for name in getattr(frame, what)]
        return list(dict.fromkeys(named))

    def _check(self, what: str, used: Iterable[str], known: set[str]) -> None:
        unknown = [name for name in used if name not in known]
        if unknown:
            there = ", ".join(sorted(known)) or "none"
            raise WidgetError(
                f"A frame of the film {describe(self.title)} names {describe(unknown[0])}, which "
                f"its scene does not have; its {what} are: {describe(there, 200)}."
            )

    def __repr__(self) -> str:
        count = len(self.frames)
        lines = [f"{i:>3}. {frame.line}" for i, frame in enumerate(self.frames[:_PLAIN_LINES], 1)]
        if count > _PLAIN_LINES:
            lines.append(f"     … and {count - _PLAIN_LINES:,} more")
        noun = "step" if self.labels is None else "entry"
        head = f"{self.title}: {_counted(count, noun)}"
        return "\n".join([head, *lines])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html}

    @functools.cached_property
    def html(self) -> str:
        """The film as HTML that needs nothing else."""
        data = self._data()
        # The same film has the same name, so that a notebook run again is stored the same.
        name = hashlib.sha256(_script_text(data).encode()).hexdigest()[:12]
        title, first = html.escape(self.title), self.frames[0]
        noun = "step" if self.labels is None else "entry"
        summary = f"{_counted(len(self.frames), noun).capitalize()} as a table"
        return (
            f'<div class="hpml-film {html.escape(self.kind)}" data-film="{name}" role="group" '
            f'aria-label="{title}" data-lm-suppress-shortcuts="true">'
            f"<style>{STYLE}{self.style}</style>"
            f'<p class="hpml-film-title"><b>{title}</b></p>'
            f'<div class="hpml-film-scene">{self.still or baked(self.scene, first)}</div>'
            f'<p class="hpml-film-caption" role="status">{html.escape(first.shown)}</p>'
            f"<details><summary>{summary}</summary>{self._steps()._repr_html_()}</details>"
            f"<script>{SCRIPT}({_script_text({'id': name, **data})});</script></div>"
        )

    def _steps(self) -> Table:
        if self.table is not None:
            return self.table
        rows = [[i, frame.line] for i, frame in enumerate(self.frames, 1)]
        return Table(["step", "what happens"], rows)

    def _data(self) -> dict[str, Any]:
        strings = _Pool()
        used = {what: self._used(what) for what in ("marks", "texts", "pieces")}
        numbers = {what: {name: i for i, name in enumerate(used[what])} for what in used}
        before: dict[str, Mapping[str, str]] = {what: {} for what in used}
        frames = []
        for frame in self.frames:
            row: list[object] = [strings(frame.shown)]
            for what, number in numbers.items():
                now: Mapping[str, str] = getattr(frame, what)
                changes = [
                    (number[name], strings(now.get(name, "")))
                    for name in dict.fromkeys([*before[what], *now])
                    if before[what].get(name, "") != now.get(name, "")
                ]
                row.append([number for pair in changes for number in pair])
                before[what] = now
            frames.append(row)
        return {
            "scene": self.scene if self.still else None,
            "parts": used["marks"],
            "texts": used["texts"],
            "pieces": used["pieces"],
            "labels": None if self.labels is None else list(self.labels),
            "frames": frames,
            "strings": list(strings.numbers),
        }


def baked(scene: str, frame: Frame) -> str:
    """Return a scene as it is in one frame, for a page without scripts.

    >>> baked(f"<p {part('a')} {slot('b')}></p>", Frame("", marks={"a": "lit"}, texts={"b": "<"}))
    '<p data-part="a" data-on="lit" data-slot="b">&lt;</p>'
    """

    def marked(match: re.Match[str]) -> str:
        on = frame.marks.get(html.unescape(match[1]), "")
        return f'{match[0]} data-on="{html.escape(on)}"' if on else match[0]

    def filled(match: re.Match[str]) -> str:
        name = html.unescape(match[1])
        return match[0] + (html.escape(frame.texts.get(name, "")) or frame.pieces.get(name, ""))

    return _SLOT.sub(filled, _PART.sub(marked, scene))


def part(name: str) -> str:
    """Return the attribute of an element that frames can mark.

    >>> f"<tr {part('row 1')}>"
    '<tr data-part="row 1">'
    """
    return f'data-part="{html.escape(name)}"'


def slot(name: str) -> str:
    """Return the attribute of an element that frames fill; the last one, and the element empty.

    >>> f"<td {slot('value')}></td>"
    '<td data-slot="value"></td>'
    """
    return f'data-slot="{html.escape(name)}"'


class _Pool:
    """Each text once, and its number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def _names(pattern: re.Pattern[str], scene: str) -> set[str]:
    return {html.unescape(name) for name in pattern.findall(scene)}


def _counted(count: int, noun: str) -> str:
    plural = {"step": "steps", "entry": "entries"}[noun]
    return f"{count:,} {noun if count == 1 else plural}"


def _script_text(data: object) -> str:
    """Return data as JavaScript that no text in it can end."""
    text = json.dumps(data, separators=(",", ":"))  # ASCII only: no line separators either
    # What follows decides: an end tag, a comment and a script are all that HTML looks for here.
    return re.sub(r"<(?=[/!sS])", r"\\u003c", text)
