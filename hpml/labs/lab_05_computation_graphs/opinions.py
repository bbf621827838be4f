"""The lecture's comparison of declarative and imperative, beside what a student says."""

from __future__ import annotations

from collections.abc import Sequence

from hpml.base import Table
from hpml.course.predictions.prediction import Prediction

__all__ = ["LECTURE", "lecture_table"]

LECTURE = {
    "Productivity": "imperative",
    "Debugging": "imperative",
    "Static analysis/optimization": "declarative",
}
"""Which approach gets the plus; the other one gets the minus."""


def lecture_table(guesses: Sequence[Prediction], seen: Sequence[str]) -> Table:
    """Return the lecture's table, the student's plus beside each of its own.

    Args:
        guesses: for each row of `LECTURE` the prediction whose choices are the two approaches.
        seen: for each row what was seen in the lab.
    """
    rows = [
        [row, "-" if plus == "imperative" else "+", "+" if plus == "imperative" else "-",
         guess.answer or "none given", said]
        for (row, plus), guess, said in zip(LECTURE.items(), guesses, seen, strict=True)
    ]  # fmt: skip
    return Table(["", "Declarative", "Imperative", "your plus", "seen in this lab"], rows)
