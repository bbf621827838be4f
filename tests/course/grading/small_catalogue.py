"""Two exercises that take no time, in the place of the course's: what is tested is the grader."""

from __future__ import annotations

import random
from pathlib import Path

from hpml.course.lesson.exercises.exercise import Case, Choice, Exercise, Forbidden
from hpml.course.lesson.exercises.same import expect

LABS = ("06",)


def _doubles(generator: random.Random, more: bool) -> list[Case]:
    numbers = [2, *(generator.randint(10**6, 10**9) for _ in range(4 if more else 1))]
    return [Case(f"the number {number}", {"n": number}) for number in numbers]


def _totals(generator: random.Random, more: bool) -> list[Case]:
    return [
        Case("a few numbers", {"numbers": [generator.randint(1, 9) for _ in range(5)]}),
        Case("none", {"numbers": []}, "empty"),
    ]


DOUBLE = Exercise(
    lab="06",
    number=1,
    name="double",
    parts={"right": 2},
    cases=_doubles,
    judge=expect(lambda case: 2 * case.data["n"]),
    wrong_answers=Path(__file__).parent / "wrong_answers" / "double.py",
    forbids=Forbidden(modules=("graphlib",), why="Write it yourself."),
    seconds=1.5,
)

TOTAL = Exercise(
    lab="06",
    number=2,
    name="total",
    parts={"right": 2, "empty": 1},
    cases=_totals,
    judge=expect(lambda case: sum(case.data["numbers"])),
    seconds=1.5,
)

EXPLANATION = Choice(lab="06", number=3, best=2)


def exercises(lab: str) -> tuple[Exercise, ...]:
    assert lab in LABS
    return (DOUBLE, TOTAL)


def choice(lab: str) -> Choice:
    assert lab in LABS
    return EXPLANATION
