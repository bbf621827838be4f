"""The exercises of lab 01: the bytes of a list, a crossing point, and Horner's method."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Sequence
from fractions import Fraction

from hpml.course.labs.lab_01_dynamic_typing.harness import numbers, value_and_multiplications
from hpml.course.lesson.exercises.edges import magnitudes
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.lesson.exercises.outcomes import (
    Outcome,
    Raised,
    Returned,
    entry,
    observed,
    symptom,
)
from hpml.course.lesson.exercises.same import expect, shown

_FIRST = 257
"""The smallest int that CPython does not cache, so each is a separate object."""


def _list_bytes(case: Case) -> int:
    """Measure the list that the exercise describes, on this Python."""
    n = case.data["n"]
    numbers = list(range(_FIRST, _FIRST + n))
    return sys.getsizeof(numbers) + sum(map(sys.getsizeof, numbers))


def _sizes(generator: random.Random, more: bool) -> Sequence[Case]:
    even, odd = [0, 2, 10, 1000, 65_536], [1, 3, 7, 999, 100_001]
    if more:
        even += [2 * generator.randint(1, 50_000) for _ in range(3)]
        odd += [2 * generator.randint(1, 50_000) + 1 for _ in range(3)]
    return [
        Case(f"{n:,} int{'' if n == 1 else 's'}", {"n": n}, part)
        for part, numbers in (("even", even), ("odd", odd))
        for n in numbers
    ]


_LIST_BYTES = Exercise(
    name="list_bytes",
    minutes=7,
    parts={"even": 1, "odd": 1},
    cases=_sizes,
    judge=expect(_list_bytes),
    forbids=Forbidden(
        modules=("tracemalloc", "pympler"),
        names=("memory_of", "object_header"),
        inside=("getsizeof", "__sizeof__"),
        why="Predict the bytes; do not measure them.",
    ),
)


def _crossing(case: Case) -> float:
    overhead, a, b = (float(case.data[n]) for n in ("overhead", "per_item_a", "per_item_b"))
    return overhead / (a - b) if a > b else math.inf


def _crossings(generator: random.Random, more: bool) -> Sequence[Case]:
    given = [
        ("a NumPy call against a loop", 400.0, 40.0, 0.5, "right"),
        ("a large overhead", 5000.0, 30.0, 10.0, "right"),
        ("no overhead", 0.0, 2.0, 1.0, "right"),
        ("less than one item", 1.0, 8.0, 4.0, "never"),  # so a constant earns nothing
        ("the same in seconds", 4e-7, 4e-8, 5e-10, "right"),
        ("b is slower for each item", 400.0, 40.0, 50.0, "never"),
        ("both take the same for each item", 400.0, 40.0, 40.0, "never"),
        ("no overhead, and b is slower", 0.0, 40.0, 50.0, "never"),
        ("no overhead, and the same for each item", 0.0, 40.0, 40.0, "never"),
        ("nothing takes any time", 0.0, 0.0, 0.0, "never"),
        ("b takes no time for an item", 3.0, 8.0, 0.0, "right"),
        ("a takes no time for an item", 3.0, 0.0, 8.0, "never"),
        ("whole numbers", 7, 4, 2, "right"),
        ("a saves next to nothing", 1.0, 1.0 + 2.0**-40, 1.0, "right"),
        ("b costs a little more", 1.0, 1.0, 1.0 + 2.0**-40, "never"),
    ]
    for unit in magnitudes(generator, 4 if more else 3, 1e290):
        overhead, slow = unit * generator.uniform(1, 90), unit * generator.uniform(5, 60)
        name = f"in a unit of {unit:.0e}"
        given.append((name, overhead, slow, 0.5 * slow, "right"))
        given.append((f"{name}, and b is slower", overhead, 0.5 * slow, slow, "never"))
    for number in range(4 if more else 0):
        overhead, slow = generator.uniform(1, 9000), generator.uniform(5, 60)
        fast = generator.uniform(0.1, 0.8) * slow
        if number % 2:  # in seconds, not in nanoseconds
            overhead, slow, fast = 1e-9 * overhead, 1e-9 * slow, 1e-9 * fast
        given.append((f"drawn, number {number + 1}", overhead, slow, fast, "right"))
        given.append((f"drawn, the other way round, {number + 1}", overhead, fast, slow, "never"))
    return [
        Case(name, {"overhead": overhead, "per_item_a": a, "per_item_b": b}, part)
        for name, overhead, a, b, part in given
    ]


_right_point = expect(_crossing, tolerance=1e-9)


def _judge_crossing(case: Case, outcome: Outcome) -> Wrong | None:
    wrong = _right_point(case, outcome)
    if wrong is None and isinstance(outcome, Returned) and type(outcome.value) is not float:
        return Wrong(f"a float: {_crossing(case)}", shown(outcome))
    return wrong


_CROSSING_POINT = Exercise(
    name="crossing_point",
    minutes=5,
    parts={"right": 1, "never": 1},
    cases=_crossings,
    judge=_judge_crossing,
    core=False,
)

_LONG = 30


def _value_of(case: Case) -> object:
    """Return the polynomial's value, computed by powers, in the form that the worker observes."""
    kinds = {"duck": "Duck", "in place": "InPlaceDuck", "counting": "CountingInt"}
    duck = kinds.get(case.data["kind"])
    given = numbers({**case.data, "kind": "plain"} if duck else case.data)
    *coefficients, total = given["coefficients"]
    for place, coefficient in enumerate(coefficients):
        total = total + coefficient * given["x"] ** (len(coefficients) - place)
    if isinstance(total, Fraction):
        return {"Fraction": str(total)}
    return {duck: total} if duck else total


_right = expect(_value_of, tolerance=1e-9)


def _judge_horner(case: Case, outcome: Outcome) -> Wrong | None:
    wrong, found = _right(case, entry(outcome, "value")), observed(outcome)
    if wrong is not None or found is None:
        return wrong
    if found["tried"]:
        why = (
            "The numbers refused it, and the function went on. They know only + and * of their own."
        )
        return Wrong(
            "only + and * of the numbers given", f"tried: {', '.join(found['tried'])}", why
        )
    most, used = len(case.data["coefficients"]) - 1, found["multiplications"]
    if case.part == "few" and used > most:
        return Wrong(f"at most {most} multiplications", f"the right value with {used}")
    return None


def _polynomials(generator: random.Random, more: bool) -> Sequence[Case]:
    tried: list[tuple[str, Sequence[object], object, str, str]] = [
        ("2x² + 3x + 5 at 10", [2, 3, 5], 10, "plain", "right"),
        ("a constant", [7], 3, "plain", "right"),
        ("floats", [0.5, -1.0], 0.25, "plain", "right"),
        ("a fraction for x", [1, 0, 1], (1, 3), "fraction", "right"),
        ("fractions everywhere", [(1, 2), (2, 3)], (3, 4), "fractions", "right"),
        ("numbers that know only + and *", [2, 3, 5], 10, "duck", "duck"),
        ("one of them alone", [4], 2, "duck", "duck"),
        ("numbers that change in place, as tensors do", [2, 3, 5], 10, "in place", "duck"),
        ("a zero first, last and between", [0, 3, 0, 0, 2, 0], 10, "duck", "duck"),
        ("only zeros", [0, 0, 0], 0, "in place", "duck"),
        ("ones, at one", [1, 1, 1], 1, "duck", "duck"),
        ("zeros among ints, at 0", [0, 4, 0, 7], 0, "plain", "right"),
        ("beyond 64 bits", [2**70, -1, 3], 2**65, "plain", "right"),
        ("complex numbers", [1j, 2, 1 - 1j], 2 + 1j, "plain", "right"),
        ("tiny floats", [1e-300, 2e-300], 0.5, "plain", "right"),
        ("huge floats", [1e300, -2e300], 0.25, "plain", "right"),
        ("one, which is not multiplied", [4], 2, "duck", "few"),
        ("two of them", [4, 5], 2, "duck", "few"),
        ("three of them", [4, 5, 0], 2, "in place", "few"),
        (f"{_LONG} of them", range(1, _LONG + 1), 2, "duck", "few"),
        ("three ints that count", [2, 3, 5], 10, "counting", "few"),
        (f"{_LONG} ints that count", range(1, _LONG + 1), 2, "counting", "few"),
    ]
    for number in range(1, 5 if more else 1):
        few = [generator.randint(-9, 9) for _ in range(generator.randint(2, 7))]
        pairs = [(generator.randint(-9, 9), generator.randint(1, 9)) for _ in few]
        at, pair = generator.randint(-5, 5), (generator.randint(-9, 9), generator.randint(1, 9))
        tried += [
            (f"ints, number {number}", few, at, "plain", "right"),
            (f"fractions, number {number}", pairs, pair, "fractions", "right"),
            (f"ducks, number {number}", few, at, "duck", "duck"),
            (f"many ducks, number {number}", few * 4, at, "duck", "few"),
        ]
    cases = []
    for name, coefficients, x, kind, part in tried:
        data = {"coefficients": list(coefficients), "x": x, "kind": kind}
        given = numbers(data)
        call = f"horner({given['coefficients']}, {given['x']!r})"
        cases.append(Case(name, data, part, call))
    return cases


def _horner_symptom(case: Case, outcome: Outcome) -> object:
    """Return the value without the count, or whether a duck refused a power or something else."""
    if isinstance(outcome, Raised) and "Duck" in outcome.message:
        return ["refused", "pow()" in outcome.message]
    return symptom(case, entry(outcome, "value"))


_HORNER = Exercise(
    name="horner",
    minutes=7,
    parts={"right": 1, "duck": 1, "few": 1},
    cases=_polynomials,
    judge=_judge_horner,
    symptom=_horner_symptom,
    forbids=Forbidden(
        names=("isinstance", "issubclass", "__class__"),
        calls=("type",),
        why="Duck typing asks what a value can do, not what it is.",
    ),
    arguments=numbers,
    observe=value_and_multiplications,
)


EXERCISES: tuple[Exercise, ...] = (_LIST_BYTES, _CROSSING_POINT, _HORNER)
