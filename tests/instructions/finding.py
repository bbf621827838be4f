"""Find the sentences of a lab that tell the student to do something, or to look at something.

They begin with a verb, have one after "then", a colon or a semicolon, or name what a hand does: a
click, a key, a slider. Outcomes, tables and headings are left out, and so are the requirements of
an exercise, which ``tests/sentences`` has: of a statement only sentences about cells count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import nbformat

from hpml.course.lesson.execute import find_lab
from tests.causes.extracting import sentences

_STATEMENT = re.compile(r"\*\*Exercise \d\d\.\d `(\w+)`\*\* \([^)]*\)\.")
_VERB = r"""(?:
    add|answer|apply|ask|call|change|check|choose|click|close|compare|correct|count|drag|draw|drop
    |edit|enter|fill|find|finish|fix|give|keep|lock|look|make|measure|move|open|paste|pass|predict
    |press|put|read|remember|repeat|replace|restart|run|save|say|see|select|set|sort|start|step|stop
    |supply|take|think|train|try|turn|type|use|wait|walk|watch|work|write )\b (?![`*]?\s*=)"""
_LEAD = r"(?:then|now|first|next|also|again|so|and|once\ more)"
_BEGINS = re.compile(
    rf"""^[\W_]* (?:going\ further[^.]*[.:][\W_]*)? (?:{_LEAD}\ )?
    (?: (?:once|before|after|in|to|with|if|below|until|for)\ [^,:;]+,\ (?:{_LEAD}\ )? )?
    [*]* {_VERB}""",
    re.IGNORECASE | re.VERBOSE,
)
_LATER = re.compile(rf"(?:[;:]\ (?:then\ )?|\bthen\ |,\ and\ then\ ){_VERB}", re.VERBOSE)
_BY_HAND = re.compile(
    r"\b(?:click|press|sliders?|keys?|keyboard|terminal|toolbar|if you write|run (?:it|them) again)"
    r"\b|`\w+ = True`|\.save\(|Shift\+Enter",
    re.IGNORECASE,
)


def is_instruction(sentence: str) -> bool:
    """Return whether a sentence tells its reader to do something, and not only to think.

    >>> is_instruction("Move the slider."), is_instruction("Does it move?")
    (True, False)
    >>> is_instruction("`compare` measures both."), is_instruction("It is slow; then try another.")
    (False, True)
    >>> is_instruction("With `AGAIN = True` the cell measures."), is_instruction("Change it: how?")
    (True, True)
    """
    if sentence.startswith(("|", "#")):
        return False
    code_first = re.match(r"[-*\W]*`", sentence)
    begins = _BEGINS.match(sentence) and not code_first
    return bool(begins or _LATER.search(sentence) or _BY_HAND.search(sentence))


def instructions(lab: str) -> list[str]:
    """Return the instructions in the prose of a lab, in their order, each once."""
    return list(dict.fromkeys(_instructions(lab)))


def _instructions(lab: str) -> Iterator[str]:
    for number, cell in enumerate(nbformat.read(find_lab(lab), as_version=4).cells):
        if cell.cell_type != "markdown":
            continue
        parts = _STATEMENT.split(cell.source)
        before, statements = parts[0], list(zip(parts[1::2], parts[2::2], strict=True))
        for sentence in sentences(before):
            outcome = number == 0 and sentence.startswith("- ")
            if is_instruction(sentence) and not outcome:
                yield sentence
        for name, text in statements:
            for sentence in sentences(text):
                about_cells = re.search(r"\bcells?\b|\bthere:", sentence)
                if is_instruction(sentence) and (about_cells or name == "explanation"):
                    yield sentence
