"""The exercises of lab 04: a sum and distances compiled by Numba, and the break-even point."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from hpml.course.labs.lab_04_extensions_and_numba.harness import LAYOUTS, array, result_and_compiled
from hpml.course.labs.lab_04_extensions_and_numba.references import plain_distances
from hpml.course.lesson.exercises.edges import fractions_near, shapes
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Speed, Wrong
from hpml.course.lesson.exercises.outcomes import Outcome, Raised, entry, observed, symptom
from hpml.course.lesson.exercises.same import expect

_NO_SCIPY = (
    "Numba computes `@` and the functions of `np.linalg` with SciPy, which is not installed here. "
    "Loops over the numbers do not need it."
)
_SECONDS = 30.0
"""The deadline of a call, which includes compilation, possibly on a busy machine."""


def _compiled(
    oracle: Callable[[Case], object], absolute: Callable[[Case], float] = lambda case: 0.0
) -> Callable[[Case, Outcome], Wrong | None]:
    right = expect(oracle, tolerance=1e-9, absolute=absolute)

    def judge(case: Case, outcome: Outcome) -> Wrong | None:
        wrong, found = right(case, entry(outcome, "result")), observed(outcome)
        if wrong is not None and isinstance(outcome, Raised) and "scipy" in outcome.message.lower():
            return replace(wrong, why=_NO_SCIPY)
        if wrong is not None or found is None:
            return wrong
        if not found["compiled"]:
            return Wrong(
                "a function that Numba compiled",
                "one that Python interprets",
                "The result is right.",
            )
        if plain_distances.__name__ in found["compiled"]:
            return Wrong("a function that you wrote", "the given one, compiled")
        return None

    return judge


def _compiled_symptom(case: Case, outcome: Outcome) -> object:
    """Return the result without the functions' names, or "not compiled"."""
    found = observed(outcome)
    if found is not None and not found["compiled"]:
        return "not compiled"
    return symptom(case, entry(outcome, "result"))


def _array_case(
    function: str,
    name: str,
    numbers: Sequence[float],
    shape: tuple[int, ...],
    part: str = "right",
    dtype: str = "float64",
    layout: str = "rows",
) -> Case:
    text = list(numbers) if len(numbers) <= 12 else "..."
    array = LAYOUTS[layout].format(f"np.array({text}, {dtype!r}).reshape({shape})")
    parameter = "a" if function == "sum2d" else "points"
    data = {"numbers": list(numbers), "shape": shape, "dtype": dtype, "layout": layout}
    return Case(name, {**data, "name": parameter}, part, f"{function}({array})")


def _drawn(generator: random.Random, count: int) -> list[float]:
    return [round(generator.uniform(-9, 9), 2) for _ in range(count)]


# --- sum2d ---


def _sum_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    case = partial(_array_case, "sum2d")
    whole = [generator.randint(-99, 99) for _ in range(8)]
    cases = [
        case("two rows of floats", [0.5, 1.0, 2.0, 3.0, -4.0, 5.25], (2, 3), "floats"),
        case("one row", [0.5, 1.5, 2.0], (1, 3), "floats"),
        case("one column", [0.5, 1.5, 3.0], (3, 1), "floats"),
        case("a single number", [2.5], (1, 1), "floats"),
        case("no rows", [], (0, 3), "floats"),
        case("no columns", [], (3, 0), "floats"),
        case("float32, large and small", [2.0**24, 1, 1, 1], (2, 2), "floats", "float32"),
        case("drawn", _drawn(generator, 12), (3, 4), "floats"),
        case("tiny floats", [1e-300, 2e-300], (1, 2), "floats"),
        case("huge floats", [1e300, -3e300], (2, 1), "floats"),
        case("an infinity", [1.0, float("inf")], (1, 2), "floats"),
        case("less than one half", [0.125, 0.25], (1, 2), "floats"),
        case("integers on three axes", [2**53, 1, 0, 1], (1, 2, 2), "layouts", "int64"),
        case("the smallest int64", [-(2**62), -(2**62)], (2, 1), "integers", "int64"),
        case("one true", [True], (1, 1), "integers", "bool"),
        case("no int32", [], (3, 0), "integers", "int32"),
        case("the lecture's integers", range(9), (3, 3), "integers", "int64"),
        case("integers beyond 2**53", [2**53, 1], (1, 2), "integers", "int64"),
        case("int32, sum beyond 2**31", [2**31 - 1, 1], (1, 2), "integers", "int32"),
        case("no integers", [], (0, 2), "integers", "int64"),
        case("truth values", [True, False, True], (1, 3), "integers", "bool"),
        case("drawn integers", whole, (2, 4), "integers", "int64"),
        case("one axis", _drawn(generator, 6), (6,), "layouts"),
        case("3 axes", _drawn(generator, 6), (2, 1, 3), "layouts"),
        case("4 axes", _drawn(generator, 6), (3, 1, 1, 2), "layouts"),
        case("no numbers, three axes", [], (2, 0, 3), "layouts"),
    ]
    for number, shape in enumerate(shapes(generator), 1):
        numbers = _drawn(generator, math.prod(shape))
        cases.append(case(f"shape {number}", numbers, shape, "layouts"))
    for layout in ("first axis backwards", "every second of the first axis"):
        for shape in ((6,), (3, 1, 2)):
            name = f"{len(shape)} axes, {layout}"
            cases.append(case(name, _drawn(generator, 6), shape, "layouts", layout=layout))
    if more:
        cases.append(case("6 axes", _drawn(generator, 8), (2, 1, 2, 1, 2, 1), "layouts"))
    for layout in list(LAYOUTS)[1:]:
        cases.append(case(layout, _drawn(generator, 6), (2, 3), "layouts", layout=layout))
    for number in range(1, 5 if more else 1):
        rows, columns, depth = (generator.randint(1, 30) for _ in range(3))
        layout, which = generator.choice(list(LAYOUTS)), f"number {number}"
        table, column = _drawn(generator, rows * columns), _drawn(generator, rows)
        large = [generator.randint(-(2**61), 2**61) for _ in range(2)]
        cases += [
            case(f"{layout}, {which}", table, (rows, columns), "layouts", layout=layout),
            case(f"large integers, {which}", large, (1, 2), "integers", "int64"),
            case(f"a column, {which}", column, (rows, 1), "floats"),
            case(f"three axes, {which}", _drawn(generator, 4 * depth), (2, depth, 2), "layouts"),
        ]
    return cases


def _sum(case: Case) -> int | float:
    numbers = case.data["numbers"]
    if str(case.data["dtype"]).startswith("float"):
        return math.fsum(numbers)
    return sum(map(int, numbers))


_SUMS = (
    "sum", "nansum", "fsum", "cumsum", "nancumsum", "mean", "nanmean", "average", "reduce",
    "einsum", "dot", "vdot", "inner", "matmul", "convolve", "trace",
)  # fmt: skip

_SUM2D = Exercise(
    name="sum2d",
    minutes=12,
    parts={"floats": 1, "integers": 1, "layouts": 1},
    cases=_sum_cases,
    # Rounding depends on the order of the additions.
    judge=_compiled(_sum, lambda case: 1e-12 * math.fsum(map(abs, case.data["numbers"]))),
    symptom=_compiled_symptom,
    forbids=Forbidden(
        modules=("hpml", "torch"),
        names=(*_SUMS, "cache"),
        why="The loops are the exercise, so `sum`, `dot` and their like are not allowed. Nor "
        "is `cache`: a graded cell has no file, so there is nowhere to store one.",
    ),
    arguments=array,
    observe=result_and_compiled,
    seconds=_SECONDS,
    patience=_SECONDS,
    packages=("numpy", "numba"),
)


# --- pairwise_distances ---


def _points_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    case = partial(_array_case, "pairwise_distances")
    far = 2.0**26
    near = [far, far, far + 0.25, far, far, far + 1]
    cases = [
        case("3, 4 and 5", [0.0, 0.0, 3.0, 0.0, 0.0, 4.0], (3, 2)),
        case("one point", [1.0, 2.0, 3.0], (1, 3)),
        case("no points", [], (0, 3)),
        case("on a line", [1.0, -2.5, 4.0, 0.0], (4, 1)),
        case("the same point twice", [0.5, 0.1, 0.5, 0.1], (2, 2)),
        case("close together, far from 0", near, (3, 2)),
        case("very close together", [1.0, 1.0 + 2.0**-40], (2, 1)),
        case("tiny", [0.0, 0.0, 3e-90, 4e-90, 0.0, -1e-90], (3, 2)),
        case("a few billionths", [0.0, 0.0, 3e-9, 4e-9], (2, 2)),
        case("huge", [0.0, 0.0, 3e90, 4e90, -1e90, 0.0], (3, 2)),
        case("tiny beside huge", [1e-90, 1e90], (2, 1)),
        case("two points with ten axes", _drawn(generator, 20), (2, 10)),
        case("negative zeros", [-0.0, 0.0], (2, 1)),
        case("drawn", _drawn(generator, 12), (3, 4)),
        case("drawn, columns", _drawn(generator, 12), (4, 3), layout="columns"),
        case("drawn, every second", _drawn(generator, 6), (2, 3), layout="every second"),
        case("drawn, read-only", _drawn(generator, 6), (3, 2), layout="read-only"),
    ]
    for number in range(1, 5 if more else 1):
        count, axes = generator.randint(2, 12), generator.randint(1, 9)
        name = f"drawn, number {number}"
        cases.append(case(name, _drawn(generator, count * axes), (count, axes)))
    return cases


def _distances(case: Case) -> object:
    import numpy as np

    numbers = case.data["numbers"]
    count, axes = case.data["shape"]
    points = [numbers[axes * place : axes * (place + 1)] for place in range(count)]
    return np.array([[math.dist(p, q) for q in points] for p in points]).reshape(count, count)


def _many_points(generator: random.Random) -> Case:
    numbers = [generator.uniform(-1, 1) for _ in range(120 * 16)]
    return _array_case("pairwise_distances", "120 points", numbers, (120, 16), "speed")


_PAIRWISE_DISTANCES = Exercise(
    name="pairwise_distances",
    minutes=6,
    parts={"right": 2},
    cases=_points_cases,
    judge=_compiled(_distances),
    symptom=_compiled_symptom,
    forbids=Forbidden(
        modules=("hpml", "torch"),
        names=("cache",),
        why="Numba should compile loops that you wrote; a graded cell has no file for a cache.",
    ),
    arguments=array,
    observe=result_and_compiled,
    seconds=_SECONDS,
    patience=_SECONDS,
    packages=("numpy", "numba", "scipy"),  # Numba uses SciPy for linear algebra if installed
    speed=Speed(
        points=1,
        reference=plain_distances,
        inputs=_many_points,
        full=1 / 30,
        none=1 / 10,
        beside="`plain_distances` for 120 points with 16 axes, compiling not counted",
    ),
)


# --- calls_to_break_even ---


def _calls_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    # All numbers, and `n * slow`, are exact in binary, so equal times are exactly equal.
    known: list[tuple[str, float, float, float]] = [
        ("a call saves 3 of 4", 10.0, 4.0, 1.0),
        ("equal after 5 calls", 10.0, 2.5, 0.5),
        ("the first call pays", 0.25, 4.0, 1.0),
        ("seconds and milliseconds", 1.5, 2.0**-7, 2.0**-9),
        ("a tiny gain", 2.0**-20, 1.0 + 2.0**-30, 1.0),
        ("no gain", 10.0, 2.0, 2.0),
        ("slower than before", 10.0, 2.0, 2.5),
        ("whole numbers", 10, 4, 1),
        ("whole numbers, equal after 5 calls", 10, 3, 1),
        ("whole numbers, no gain", 10, 3, 3),
        ("many calls", 2.0**20 - 0.5, 2.0, 1.0),
        ("slower by next to nothing", 10.0, 1.0, 1.0 + 2.0**-30),
    ]
    whole = generator.randint(3, 30)
    for number, calls in enumerate(fractions_near(whole), 1):
        known.append((f"at or near {whole} calls, number {number}", calls, 2.0, 1.0))
    for unit in (2.0**-990, 2.0**-40, 2.0**990):
        which = f"in a unit of {unit:.0e}"
        known += [
            (f"equal times {which}", whole * unit, 3 * unit, 2 * unit),
            (f"a quarter of a call more {which}", (whole + 0.25) * unit, 3 * unit, 2 * unit),
            (f"slower {which}", unit, 2 * unit, 3 * unit),
        ]
    for number in range(1, 7 if more else 3):
        compile_time, fast, gain = (generator.randint(1, 80) / 8 for _ in range(3))
        exact = gain * generator.randint(1, 50)
        known += [
            (f"drawn, number {number}", compile_time, fast + gain, fast),
            (f"equal times, number {number}", exact, fast + gain, fast),
            (f"slower, number {number}", compile_time, fast, fast + gain),
        ]
    return [
        Case(
            name,
            {"compile_time": compile_time, "slow": slow, "fast": fast},
            # One that pays among the others, so that a constant earns nothing.
            "pays" if fast < slow and name != "a tiny gain" else "never",
        )
        for name, compile_time, slow, fast in known
    ]


def _calls(case: Case) -> int | float:
    numbers = ("compile_time", "slow", "fast")
    compile_time, slow, fast = (Fraction(case.data[name]) for name in numbers)
    return math.ceil(compile_time / (slow - fast)) if slow > fast else math.inf


_CALLS_TO_BREAK_EVEN = Exercise(
    name="calls_to_break_even",
    minutes=5,
    parts={"pays": 1, "never": 1},
    cases=_calls_cases,
    judge=expect(_calls),
    packages=("numpy", "numba"),
)

EXERCISES: tuple[Exercise, ...] = (_SUM2D, _PAIRWISE_DISTANCES, _CALLS_TO_BREAK_EVEN)
