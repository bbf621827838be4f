"""Sentences as lists of pieces, for the colours of the values in them."""

from __future__ import annotations

import html

Words = list[str | tuple[str, str]]
"""Pieces of a sentence: text, or a kind ("op", "gone", "new", "name", "bad") and its text."""


def without_brackets(value: str) -> str:
    """Return the text of a value without the angle brackets of reprs such as ``<list object>``."""
    return value[1:-1] if len(value) > 2 and (value[0], value[-1]) == ("<", ">") else value


def as_text(words: Words) -> str:
    """Return a sentence as plain text."""
    return "".join(piece if isinstance(piece, str) else piece[1] for piece in words)


def as_html(words: Words) -> str:
    """Return a sentence as HTML, with each kind in a ``<b>`` of that class."""
    return "".join(
        html.escape(piece)
        if isinstance(piece, str)
        else f'<b class="{piece[0]}">{html.escape(piece[1])}</b>'
        for piece in words
    )
