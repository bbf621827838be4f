"""The exercises of lab 01: the bytes of a list, a crossing point, and Horner's method."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Sequence
from fractions import Fraction

from hpml.course.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.exercises.outcomes import Outcome, Raised, Returned, observed, symptom
from hpml.course.exercises.same import difference, expect, shown
from hpml.labs.lab_01_dynamic_typing.harness import numbers, value_and_multiplications

_FIRST = 257
"""The smallest int that CPython does not cache, so each is a separate object."""


def _list_bytes(case: Case) -> int:
    """Measure the list that the exercise describes, on this Python."""
    n = case.data["n"]
    numbers = list(range(_FIRST, _FIRST + n))
    return sys.getsizeof(numbers) + sum(map(sys.getsizeof, numbers))


def _sizes(generator: random.Random, more: bool) -> Sequence[Case]:
    even, odd = [0, 2, 10, 1000], [1, 3, 999]
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
        ("less than one item", 1.0, 8.0, 4.0, "right"),
        ("the same in seconds", 4e-7, 4e-8, 5e-10, "right"),
        ("b is slower for each item", 400.0, 40.0, 50.0, "never"),
        ("both take the same for each item", 400.0, 40.0, 40.0, "never"),
        ("no overhead, and b is slower", 0.0, 40.0, 50.0, "never"),
    ]
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


def _rounded(case: Case, outcome: Outcome) -> object:
    if isinstance(outcome, Returned) and isinstance(outcome.value, int | float):
        expected, value = _crossing(case), outcome.value
        if value != expected and abs(value - expected) < 1 and value == int(value):
            return "rounded"
    return symptom(case, outcome)


_CROSSING_POINT = Exercise(
    name="crossing_point",
    parts={"right": 1, "never": 1},
    cases=_crossings,
    judge=expect(_crossing, tolerance=1e-9),
    symptom=_rounded,
    core=False,
)

_LONG = 30
_DUCKS = {"duck": "Duck", "in place": "InPlaceDuck"}
"""By kind, the types that support only + and *."""


def _plain(case: Case) -> tuple[list[int | float | Fraction], int | float | Fraction]:
    kind = case.data["kind"]
    given = numbers({**case.data, "kind": "plain" if kind in _DUCKS else kind})
    return given["coefficients"], given["x"]


def _value_of(case: Case) -> object:
    """Return the polynomial's value, computed by powers, in the form that the worker observes."""
    coefficients, x = _plain(case)
    last = len(coefficients) - 1
    total = coefficients[last]
    for place, coefficient in enumerate(coefficients[:last]):
        total = total + coefficient * x ** (last - place)
    if isinstance(total, Fraction):
        return ("Fraction", total.numerator, total.denominator)
    duck = _DUCKS.get(case.data["kind"])
    return {duck: total} if duck else total


def _judge_horner(case: Case, outcome: Outcome) -> Wrong | None:
    expected, found = _value_of(case), observed(outcome)
    if found is None:
        return Wrong(_shown(expected), shown(outcome))
    got, used, most = found["value"], found["multiplications"], len(case.data["coefficients"]) - 1
    where = difference(expected, got, tolerance=1e-9)
    if where is None and used > most and case.part == "few":
        text = f"{_shown(expected)} with at most {most} multiplications"
        return Wrong(text, f"{_shown(got)} with {used}")
    return None if where is None else Wrong(_shown(expected), _shown(got), where)


def _shown(value: object) -> str:
    if isinstance(value, tuple) and len(value) == 3 and value[0] == "Fraction":
        return f"Fraction({value[1]}, {value[2]})"
    if isinstance(value, dict) and len(value) == 1:
        ((name, number),) = value.items()
        return f"{name}({number})"
    return repr(value)[:200]


def _polynomial(name: str, coefficients: Sequence[object], x: object, kind: str, part: str) -> Case:
    def text(value: object) -> str:
        if isinstance(value, tuple):
            return f"Fraction({value[0]}, {value[1]})"
        return f"{_DUCKS[kind]}({value})" if kind in _DUCKS else repr(value)

    call = f"horner([{', '.join(map(text, coefficients))}], {text(x)})"
    if len(call) > 90:
        call = f"horner(coefficients, {text(x)})  # {len(coefficients)} coefficients"
    data = {"coefficients": list(coefficients), "x": x, "kind": kind}
    return Case(name, data, part, call)


def _polynomials(generator: random.Random, more: bool) -> Sequence[Case]:
    cases = [
        _polynomial("2x² + 3x + 5 at 10", [2, 3, 5], 10, "plain", "right"),
        _polynomial("a constant", [7], 3, "plain", "right"),
        _polynomial("floats", [0.5, -1.0], 0.25, "plain", "right"),
        _polynomial("a fraction for x", [1, 0, 1], (1, 3), "fraction", "right"),
        _polynomial("fractions everywhere", [(1, 2), (2, 3)], (3, 4), "fractions", "right"),
        _polynomial("numbers that know only + and *", [2, 3, 5], 10, "duck", "duck"),
        _polynomial("one of them alone", [4], 2, "duck", "duck"),
        _polynomial(
            "numbers that change in place, as tensors do", [2, 3, 5], 10, "in place", "duck"
        ),
        _polynomial(f"{_LONG} of them", list(range(1, _LONG + 1)), 2, "duck", "few"),
    ]
    for number in range(4 if more else 0):
        few = [generator.randint(-9, 9) for _ in range(generator.randint(2, 7))]
        pairs = [(generator.randint(-9, 9), generator.randint(1, 9)) for _ in few]
        at, pair = generator.randint(-5, 5), (generator.randint(-9, 9), generator.randint(1, 9))
        cases += [
            _polynomial(f"ints, number {number + 1}", few, at, "plain", "right"),
            _polynomial(f"fractions, number {number + 1}", pairs, pair, "fractions", "right"),
            _polynomial(f"ducks, number {number + 1}", few, at, "duck", "duck"),
            _polynomial(f"many ducks, number {number + 1}", few * 4, at, "duck", "few"),
        ]
    return cases


def _horner_symptom(case: Case, outcome: Outcome) -> object:
    """Return the value without the count, or the operation that a duck refused."""
    if isinstance(outcome, Returned):
        return ["value", (observed(outcome) or {})["value"], sorted(outcome.changed)]
    if isinstance(outcome, Raised) and "Duck" in outcome.message:
        reasons = ("** or pow()", "truth value", "==", "for -:")
        return ["refused", next((why for why in reasons if why in outcome.message), "another type")]
    return symptom(case, outcome)


_HORNER = Exercise(
    name="horner",
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
