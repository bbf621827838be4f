"""The ten ungraded questions about cause and effect, asked before the course and after it."""

from __future__ import annotations

from typing import NamedTuple

from hpml.base.errors import describe
from hpml.base.tables import Table
from hpml.course.labs.catalogue import texts
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.progress import FILE, keep_answers

BEFORE, AFTER = "00", "15"


class Question(NamedTuple):
    """A question with three answers, the letter of the right one, and its lab."""

    text: str
    a: str
    b: str
    c: str
    right: str
    lab: str


def questions() -> tuple[Question, ...]:
    """Return the ten questions in order."""
    return tuple(Question(**each) for each in texts("00")["questions"])


def ten_questions(answers: str = "", *, after: bool = False) -> Table:
    """Return the ten questions with your answers; after the course also what has changed.

    `answers` is empty or has a letter for each question, such as ``"abc-abcabc"``, with ``-`` where
    you do not know; otherwise LabError is raised. `after` the course the right ones are shown.
    """
    asked, given = questions(), answers.replace(" ", "").lower()
    if given and (len(given) != len(asked) or set(given) - set("abc-")):
        raise LabError(
            object="answers of ten_questions",
            expected=f"{len(asked)} letters (a, b, c or -)",
            received=describe(answers),
            remedy="Write one letter for each question, and - where you do not know.",
        )
    if given:
        keep_answers(AFTER if after else BEFORE, given)
    blank = "-" * len(asked)
    before = str(FILE.labs().get(BEFORE, {}).get("questions", blank))
    rows: list[list[object]] = []
    for number, each in enumerate(asked, start=1):
        row: list[object] = [number, each.text, f"a) {each.a} b) {each.b} c) {each.c}"]
        now = (given or blank)[number - 1]
        row += [before[number - 1], now, each.right, each.lab] if after and given else [now]
        rows.append(row)
    columns = ["", "question", "answers", "yours"]
    caption = "Write ten letters between the quotes." if not given else "Kept with your progress."
    if after and given:
        columns = [*columns[:3], "lab 00", "now", "right", "see lab"]
        first, last = (
            sum(letter == each.right for letter, each in zip(letters, asked, strict=True))
            for letters in (before, given)
        )
        caption = f"Right before the course: {first} of {len(asked)}. Now: {last}."
    return Table(columns, rows, caption=caption, align=["right", *["left"] * (len(columns) - 1)])
