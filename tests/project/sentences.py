"""Which sentences of the labs are too long to be read once."""

from __future__ import annotations

import re

from hpml.course.release.reading import count_words, prose


def long_sentences(markdown: str, at_most: int = 25) -> list[str]:
    """Return the sentences of a Markdown text that have more words than `at_most`.

    >>> long_sentences("One two. One two three: four five.", at_most=4)
    ['One two three: four five.']
    """
    found = []
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*#|]|\d+\.)\s?)", prose(markdown)):
        if block.lstrip().startswith("|"):
            continue
        text = " ".join(block.split())
        for sentence in re.split(r"(?<=[.!?])[*\"”)_]*\s+(?=[\W_]*[A-Z0-9`])", text):
            if count_words(sentence) > at_most:
                found.append(sentence)
    return found
