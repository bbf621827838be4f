"""The exercise `horner` of lab 01: a polynomial for every type that can be added and multiplied."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import cast

from hpml.course.exercises.exercise import Case, Exercise, Forbidden, Misconception, Wrong
from hpml.course.exercises.outcomes import Outcome, Raised, Returned
from hpml.course.exercises.same import difference, shown
from hpml.labs.lab_01_dynamic_typing.harness import numbers, value_and_operations

__all__ = ["HORNER"]

_LONG = 30
_DUCKS = {"duck": "Duck", "in place": "InPlaceDuck"}
"""By kind, the types that know only + and *."""


def _plain(case: Case) -> tuple[list[int | float | Fraction], int | float | Fraction]:
    kind = case.data["kind"]
    given = cast("list[int | float]", case.data["coefficients"])
    x = case.data["x"]
    coefficients: list[int | float | Fraction] = list(given)
    if kind == "fractions":
        coefficients = [Fraction(*pair) for pair in cast("list[tuple[int, int]]", given)]
    if kind in ("fraction", "fractions"):
        return coefficients, Fraction(*cast("tuple[int, int]", x))
    return coefficients, cast("int | float", x)


def _value(case: Case, *, backwards: bool = False) -> object:
    """Return the polynomial's value as the worker would observe it, by powers."""
    coefficients, x = _plain(case)
    if backwards:
        coefficients = coefficients[::-1]
    last = len(coefficients) - 1
    total = coefficients[last]
    for place, coefficient in enumerate(coefficients[:last]):
        total = total + coefficient * x ** (last - place)
    if isinstance(total, Fraction):
        return ("Fraction", total.numerator, total.denominator)
    duck = _DUCKS.get(cast("str", case.data["kind"]))
    return {duck: total} if duck else total


def _plain_duck(value: object) -> object:
    """Return what was observed of a duck without what it counted."""
    if isinstance(value, dict) and {"additions", "multiplications"} < set(value):
        return {name: part for name, part in value.items() if name in _DUCKS.values()}
    return value


def _judge(case: Case, outcome: Outcome) -> Wrong | None:
    expected = _value(case)
    if not isinstance(outcome, Returned):
        return Wrong(_told(expected), shown(outcome))
    got = _plain_duck(outcome.value)
    if _too_many(case, outcome):
        most, used = len(_plain(case)[0]) - 1, _multiplications(outcome)
        return Wrong(
            f"{_told(expected)} with at most {most} multiplications",
            f"{_told(got)} with {used}",
        )
    where = difference(expected, got, tolerance=1e-9)
    return None if where is None else Wrong(_told(expected), _told(got), where)


def _told(value: object) -> str:
    if isinstance(value, tuple) and len(value) == 3 and value[0] == "Fraction":
        return f"Fraction({value[1]}, {value[2]})"
    if isinstance(value, dict) and len(value) == 1:
        ((name, number),) = value.items()
        return f"{name}({number})"
    return repr(value)[:200]


def _case(name: str, coefficients: Sequence[object], x: object, kind: str, part: str) -> Case:
    def text(value: object) -> str:
        if isinstance(value, tuple):
            return f"Fraction({value[0]}, {value[1]})"
        return f"{_DUCKS[kind]}({value})" if kind in _DUCKS else repr(value)

    call = f"horner([{', '.join(map(text, coefficients))}], {text(x)})"
    if len(call) > 90:
        call = f"horner(coefficients, {text(x)})  # {len(coefficients)} coefficients"
    data = {"coefficients": list(coefficients), "x": x, "kind": kind}
    return Case(name, data, part, call)


def _cases(generator: random.Random, more: bool) -> Sequence[Case]:
    cases = [
        _case("2x² + 3x + 5 at 10", [2, 3, 5], 10, "plain", "right"),
        _case("a constant", [7], 3, "plain", "right"),
        _case("floats", [0.5, -1.0], 0.25, "plain", "right"),
        _case("a fraction for x", [1, 0, 1], (1, 3), "fraction", "right"),
        _case("fractions everywhere", [(1, 2), (2, 3)], (3, 4), "fractions", "right"),
        _case("numbers that know only + and *", [2, 3, 5], 10, "duck", "duck"),
        _case("one of them alone", [4], 2, "duck", "duck"),
        _case("numbers that change in place, as tensors do", [2, 3, 5], 10, "in place", "duck"),
        _case(f"{_LONG} of them", list(range(1, _LONG + 1)), 2, "duck", "few"),
    ]
    for number in range(4 if more else 0):
        few = [generator.randint(-9, 9) for _ in range(generator.randint(2, 7))]
        pairs = [(generator.randint(-9, 9), generator.randint(1, 9)) for _ in few]
        at, pair = generator.randint(-5, 5), (generator.randint(-9, 9), generator.randint(1, 9))
        cases += [
            _case(f"ints, number {number + 1}", few, at, "plain", "right"),
            _case(f"fractions, number {number + 1}", pairs, pair, "fractions", "right"),
            _case(f"ducks, number {number + 1}", few, at, "duck", "duck"),
            _case(f"many ducks, number {number + 1}", few * 4, at, "duck", "few"),
        ]
    return cases


def _raises(outcome: Outcome, *words: str) -> bool:
    """Whether the type that knows only + and * was given something else to do."""
    return (
        isinstance(outcome, Raised)
        and "TypeError" in outcome.bases
        and "Duck" in outcome.message
        and any(word in outcome.message for word in words)
    )


def _is_backwards(case: Case, outcome: Outcome) -> bool:
    if not isinstance(outcome, Returned):
        return False
    got = _plain_duck(outcome.value)
    return difference(_value(case, backwards=True), got, tolerance=1e-9) is None


def _too_many(case: Case, outcome: Outcome) -> bool:
    if case.part != "few" or not isinstance(outcome, Returned):
        return False
    used = _multiplications(outcome)
    right = difference(_value(case), _plain_duck(outcome.value)) is None
    return right and used > len(_plain(case)[0]) - 1


def _multiplications(outcome: Returned) -> int:
    found = outcome.value.get("multiplications") if isinstance(outcome.value, dict) else None
    return found if isinstance(found, int) else 0


def _changed(case: Case, outcome: Outcome) -> bool:
    return (
        case.data["kind"] == "in place"
        and isinstance(outcome, Returned)
        and "coefficients" in outcome.changed
    )


HORNER = Exercise(
    lab="01",
    number=3,
    name="horner",
    statement=(
        "`horner(coefficients, x)` returns the value of a polynomial at `x`; the coefficients "
        "stand with the highest power first, one or more. It works for whatever can be added and "
        "multiplied, brings no number of its own, leaves the coefficients as they are, and "
        "multiplies at most once for each coefficient after the first."
    ),
    signature="horner(coefficients: list, x)",
    example="horner([2, 3, 5], 10)",
    shows="235",
    parts={"right": 1, "duck": 1, "few": 1},
    cases=_cases,
    judge=_judge,
    misconceptions=(
        Misconception(
            "uses_powers",
            "`**` is one thing more than this type of number can do: it knows + and *, and that is "
            "all you may ask of it. Horner's way needs no powers.",
            lambda case, outcome: _raises(outcome, "** or pow()"),
        ),
        Misconception(
            "starts_from_zero",
            "Your function brings a number of its own, an int such as the 0 it starts from, and "
            "this type of number was never told what to do with an int. Start from something that "
            "was given to you.",
            lambda case, outcome: _raises(outcome, "'int'", "'float'"),
        ),
        Misconception(
            "lowest_first",
            "The coefficients are read the wrong way round: the first belongs to the highest "
            "power.",
            _is_backwards,
        ),
        Misconception(
            "powers_by_hand",
            "The values are right, but there are too many multiplications: one for the next power "
            "and one for the coefficient. Horner needs one for both: (2·x + 3)·x + 5.",
            _too_many,
        ),
        Misconception(
            "in_place",
            "`value = coefficients[0]` makes no copy, only a second name for the caller's number. "
            "With ints that does no harm; the `*=` and `+=` of a tensor or an array change the "
            "object itself, under both names. `value = value * x + ...` makes a new one.",
            _changed,
        ),
    ),
    hints=(
        "2x² + 3x + 5 is (2·x + 3)·x + 5. What is done again and again?",
        "The first coefficient is a value of the right type to start from.",
    ),
    forbids=Forbidden(
        names=("isinstance", "issubclass", "__class__", "polyval"),
        calls=("type",),
        why="Duck typing asks what a value can do, not what it is.",
    ),
    arguments=numbers,
    observe=value_and_operations,
    # A duck's own counter is part of it.
    keeps_arguments=True,
)
