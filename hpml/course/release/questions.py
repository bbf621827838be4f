"""Read exam questions, one Markdown file per lab, and convert them for learning platforms.

A question starts with ``## kind · outcome N``, followed by its text and its answer: choices
(``- [x]`` right, ``- [ ]`` wrong), a number (``= 42 ± 1``), or neither, for a text that a person
grades. Lines that start with ``>`` are the model answer. For a text, a rubric follows: lines such
as ``+ 1: names the reference count``, each with its points and one criterion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_CHOICE = re.compile(r"(?m)^- \[([ x])\] (.+(?:\n  .+)*)\n?")
_NUMBER = re.compile(r"(?m)^= (\S+) ± (\S+)\n?")
_ANSWER = re.compile(r"(?m)^> ?(.*)\n?")
_CRITERION = re.compile(r"(?m)^\+ (\d+): (.+(?:\n  .+)*)\n?")


@dataclass(frozen=True)
class Question:
    """One question with its answer."""

    kind: str  # "predict and justify", "read a table", ...
    outcome: int  # number of the learning outcome in the lab's head, from 1
    text: str  # Markdown
    choices: tuple[tuple[str, bool], ...]  # each with True if it is right
    number: tuple[str, str] | None  # the value and the accepted difference
    answer: str  # the model answer, Markdown
    rubric: tuple[
        tuple[int, str], ...
    ] = ()  # for a text: points, and the criterion that earns them

    @property
    def points(self) -> int:
        """The points for a right answer: 1, or the sum of the rubric."""
        return sum(points for points, _ in self.rubric) or 1

    @property
    def guide(self) -> str:
        """The model answer, followed by the rubric."""
        lines = [f"- {_counted(points)}: {text}" for points, text in self.rubric]
        return "\n".join([self.answer, "", *lines]).strip()


def read_questions(text: str) -> list[Question]:
    r"""Return the questions of a file.

    >>> (one,) = read_questions("## predict · outcome 2\n\nHow many?\n\n= 3 ± 0\n\n> Three.")
    >>> one.outcome, one.text, one.number, one.answer
    (2, 'How many?', ('3', '0'), 'Three.')
    """
    found = []
    for part in re.split(r"(?m)^## ", text)[1:]:
        head, _, body = part.partition("\n")
        kind, _, outcome = head.partition(" · outcome ")
        chosen = [(each[2].replace("\n ", ""), each[1] == "x") for each in _CHOICE.finditer(body)]
        number = _NUMBER.search(body)
        answer = "\n".join(_ANSWER.findall(body)).strip()
        rubric = tuple((int(e[1]), e[2].replace("\n ", "")) for e in _CRITERION.finditer(body))
        for pattern in (_CHOICE, _NUMBER, _ANSWER, _CRITERION):
            body = pattern.sub("", body)
        value = (number[1], number[2]) if number else None
        text = body.strip()
        found.append(Question(kind, int(outcome), text, tuple(chosen), value, answer, rubric))
    return found


def gift(lab: str, questions: list[Question]) -> str:
    """Return the questions in Moodle's GIFT format."""
    parts = []
    for place, each in enumerate(questions, 1):
        feedback = f"####{_escaped(each.guide)}"
        if each.choices:
            marks = [f"{'=' if right else '~'}{_escaped(text)}" for text, right in each.choices]
            answer = "\n".join([*marks, feedback])
        else:
            answer = f"#{each.number[0]}:{each.number[1]}\n{feedback}" if each.number else feedback
        head = f"::{lab}.{place} {each.kind}::[markdown]"
        parts.append(f"{head}{_escaped(each.text)} {{\n{answer}\n}}\n")
    return "\n".join(parts)


def quiz(lab: str, questions: list[Question]) -> str:
    """Return the questions in the plain text that ``text2qti`` converts to QTI, as for Canvas."""
    parts = [f"Quiz title: Lab {lab}\n"]
    for place, each in enumerate(questions, 1):
        lines = [f"Title: {lab}.{place} {each.kind}", f"Points: {each.points}"]
        lines += [_indented(f"{place}.", each.text), _indented("...", each.guide)]
        for letter, (text, right) in zip("abcdefgh", each.choices, strict=False):
            lines.append(_indented(f"{'*' * right}{letter})", text))
        if not each.choices:
            lines.append(f"=   {each.number[0]} +- {each.number[1]}" if each.number else "____")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _counted(points: int) -> str:
    return f"{points} point{'s' * (points > 1)}"


def _escaped(text: str) -> str:
    # An empty line ends a question.
    return re.sub(r"([~=#{}:\\])", r"\\\1", text).replace("\n", "\\n")


def _indented(mark: str, text: str) -> str:
    first, *rest = text.splitlines()
    return "\n".join([f"{mark:4}{first}", *(f"    {line}".rstrip() for line in rest)])
