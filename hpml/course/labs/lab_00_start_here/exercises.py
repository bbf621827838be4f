"""The exercise of lab 00, worth no points: to see a check fail and then pass."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hpml.course.lesson.exercises.exercise import Case, Exercise
from hpml.course.lesson.exercises.outcomes import Outcome, Returned, symptom
from hpml.course.lesson.exercises.same import expect

_NAMES = ("Barbara", "Donald", "Edsger", "Frances", "John", "Leslie", "Margaret", "Niklaus")


def _greeting(case: Case) -> str:
    return "".join(["Hello, ", str(case.data["name"]), "!"])


def _cases(generator: random.Random, more: bool) -> Sequence[Case]:
    names = ["Ada", "Grace", "", " ada ", "LESLIE de la Cruz", "{ and }", "100 %s"]
    if more:
        names += [*generator.sample(_NAMES, 3), "Ada Lovelace", "Łukasz"]
    return [Case(f"the name {name!r}" if name else "no name", {"name": name}) for name in names]


def _words(case: Case, outcome: Outcome) -> object:
    """Return only the letters of a greeting, and whether it contains the name."""
    if isinstance(outcome, Returned) and isinstance(outcome.value, str):
        letters = "".join(filter(str.isalpha, outcome.value.lower()))
        return [letters, str(case.data["name"]) in outcome.value]
    return symptom(case, outcome)


_HELLO = Exercise(
    name="hello",
    minutes=2,
    parts={"right": 0},
    cases=_cases,
    judge=expect(_greeting),
    symptom=_words,
)

EXERCISES: tuple[Exercise, ...] = (_HELLO,)
