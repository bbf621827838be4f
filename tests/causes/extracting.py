"""Find the sentences of a lab that state a cause: in its notebook's prose and in its texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import nbformat

from hpml.course.lesson.execute import find_lab
from hpml.course.lesson.texts import texts
from hpml.course.release.reading import RULES

_STATEMENT = re.compile(r"\*\*Exercise \d\d\.\d `")
_BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*#|]|\d+\.)\s?)")
_STOP = re.compile(r"(?<=[.!?])[*\"”)_]*\s+(?=[\W_]*[A-Z0-9`])")
# "So is a disk" compares, "so that" names a purpose, "since version 3" a time.
_WORDS = re.compile(
    r"""\b(?: because | therefore | hence | thus | due\ to | that\ is\ why | the\ reasons? | caused
        | (?<!do\ )(?<!does\ )(?<!Roughly\ ) so
          (?!\ (?:that|far|much|little|few|many|short|is|are|do|does|did|can|on)\b)
        | since (?!\ (?:version|then|Python|\d)) )\b""",
    re.IGNORECASE | re.VERBOSE,
)


def sentences(markdown: str) -> Iterator[str]:
    """Yield the sentences of a Markdown text, each on one line.

    >>> list(sentences("It is one, so it is odd. And\\nthe next?"))
    ['It is one, so it is odd.', 'And the next?']
    """
    text = re.sub(r"```.*?```", "\n\n", RULES.sub("", markdown), flags=re.S)
    text = re.sub(r"</?(?:details|summary)>", "\n\n", text)
    text = re.sub(r"</?(?:b|code|p)>|<br>|<!--.*?-->", "", text, flags=re.S)
    for block in _BLOCK.split(text):
        yield from (each for each in _STOP.split(" ".join(block.split())) if each)


def is_causal(sentence: str) -> bool:
    """Return whether a sentence has a word of a cause, and is no question.

    >>> is_causal("It is slow, because it is long."), is_causal("Why is it so?")
    (True, False)
    >>> is_causal("It waits, so that others can run."), is_causal("So does a disk.")
    (False, False)
    """
    return bool(_WORDS.search(sentence)) and not sentence.rstrip('*_"”)').endswith("?")


def causal_sentences(lab: str) -> list[str]:
    """Return the causal sentences of a lab, but for statements and hints of exercises."""
    found: list[str] = []
    for cell in nbformat.read(find_lab(lab), as_version=4).cells:
        if cell.cell_type == "markdown":
            text = _STATEMENT.split(cell.source)[0]
            found += filter(is_causal, sentences(text))
    for text in _strings(texts(lab).get("explanation", {})):
        found += filter(is_causal, sentences(text))
    return found


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _strings(each)
