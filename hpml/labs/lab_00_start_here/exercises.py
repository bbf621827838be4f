"""The exercise of lab 00: worth nothing, to see a check fail and then pass."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hpml.course.exercises.exercise import Case, Choice, Exercise, Misconception
from hpml.course.exercises.outcomes import Outcome, Returned
from hpml.course.exercises.same import expect
from hpml.labs.lab_00_start_here.explanation import EXPLANATION

__all__ = ["EXERCISES", "EXPLANATION_ITEM"]

_NAMES = ("Barbara", "Donald", "Edsger", "Frances", "John", "Leslie", "Margaret", "Niklaus")


def _greeting(case: Case) -> str:
    return "".join(["Hello, ", str(case.data["name"]), "!"])


def _cases(generator: random.Random, more: bool) -> Sequence[Case]:
    names = ["Ada", "Grace", ""]
    if more:
        names += [*generator.sample(_NAMES, 3), "Ada Lovelace", "Łukasz"]
    return [Case(f"the name {name!r}" if name else "no name", {"name": name}) for name in names]


def _returned(case: Case, outcome: Outcome, text: object) -> bool:
    return isinstance(outcome, Returned) and outcome.value == text


def _without_punctuation(case: Case, outcome: Outcome) -> bool:
    if not isinstance(outcome, Returned) or not isinstance(outcome.value, str):
        return False
    words, expected = outcome.value, _greeting(case)
    return words != expected and _bare(words) == _bare(expected)


def _bare(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalpha())


_HELLO = Exercise(
    lab="00",
    number=1,
    name="hello",
    statement=(
        "`hello(name)` returns a greeting: for `'Ada'` it is `'Hello, Ada!'`, with the comma and "
        "the exclamation mark."
    ),
    signature="hello(name: str) -> str",
    example="hello('Ada')",
    shows="'Hello, Ada!'",
    parts={"right": 0},
    cases=_cases,
    judge=expect(_greeting),
    misconceptions=(
        Misconception(
            "always_ada",
            "It greets Ada, whoever comes. The example is only one of the calls that are tried; "
            "the name is in `name`.",
            lambda case, outcome: _returned(case, outcome, "Hello, Ada!"),
        ),
        Misconception(
            "prints",
            "It returned nothing. Is there a `return`? Printing is not returning: what is printed "
            "is seen by you, what is returned by whoever called.",
            lambda case, outcome: _returned(case, outcome, None),
        ),
        Misconception(
            "without_punctuation",
            "The words are right; the comma, the space or the exclamation mark is not.",
            _without_punctuation,
        ),
    ),
    hints=(
        "A function gives its answer with `return`.",
        "An f-string puts a value into a text: `f'{name} is here'`.",
    ),
)

EXERCISES: tuple[Exercise, ...] = (_HELLO,)

EXPLANATION_ITEM = Choice(
    lab="00",
    number=2,
    best=EXPLANATION.best_number,
    experiments=len(EXPLANATION.experiments),
)
