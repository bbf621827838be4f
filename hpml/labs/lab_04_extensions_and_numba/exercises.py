"""The exercises of lab 04: a sum and distances compiled by Numba, and the break-even point."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from hpml.course.exercises.exercise import Case, Exercise, Forbidden, Speed, Wrong
from hpml.course.exercises.outcomes import Outcome, Returned, observed, symptom
from hpml.course.exercises.same import expect
from hpml.labs.lab_04_extensions_and_numba.harness import LAYOUTS, array, result_and_compiled
from hpml.labs.lab_04_extensions_and_numba.references import plain_distances

_Number = int | float
_SECONDS = 30.0
"""The deadline of a call, which includes compilation, possibly on a busy machine."""


def _compiled(
    oracle: Callable[[Case], object],
) -> Callable[[Case, Outcome], Wrong | None]:
    right = expect(oracle, tolerance=1e-9)

    def judge(case: Case, outcome: Outcome) -> Wrong | None:
        found = observed(outcome)
        if found is None or not isinstance(outcome, Returned):
            return right(case, outcome)
        wrong = right(case, Returned(found["result"], outcome.changed))
        if wrong is None and not found["compiled"]:
            return Wrong("a function that Numba compiled", "one that Python interprets",
                         "The result is right.")  # fmt: skip
        if wrong is None and plain_distances.__name__ in found["compiled"]:
            return Wrong("a function that you wrote", "the given one, compiled")
        return wrong

    return judge


def _compiled_symptom(case: Case, outcome: Outcome) -> object:
    """Return the result without the functions' names, or "not compiled"."""
    found = observed(outcome)
    if found is None or not isinstance(outcome, Returned):
        return symptom(case, outcome)
    if not found["compiled"]:
        return ["not compiled"]
    return symptom(case, Returned(found["result"], outcome.changed))


def _array_case(
    function: str,
    name: str,
    rows: Sequence[Sequence[_Number]],
    part: str,
    *,
    dtype: str = "float64",
    layout: str = "rows",
    shape: Sequence[int] = (),
) -> Case:
    numbers = [number for row in rows for number in row]
    shape = shape or (len(rows), len(rows[0]))
    table = len(shape) == 2
    written = (
        f"np.array({(rows if table else numbers) if len(numbers) <= 12 else '...'}, {dtype!r})"
    )
    written += "" if table else f".reshape({tuple(shape)})"
    if not numbers:
        written = f"np.zeros({tuple(shape)}, {dtype!r})"
    text = LAYOUTS[layout].format("x") if layout == "read-only" else LAYOUTS[layout].format(written)
    note = f"  # x = {written}" if layout == "read-only" else ""
    parameter = "a" if function == "sum2d" else "points"
    data = {"numbers": numbers, "shape": list(shape), "dtype": dtype, "layout": layout}
    return Case(name, {**data, "name": parameter}, part, f"{function}({text}){note}")


def _drawn(generator: random.Random, rows: int, columns: int) -> list[list[float]]:
    return [[round(generator.uniform(-9, 9), 2) for _ in range(columns)] for _ in range(rows)]


# --- sum2d ---


def _sum_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    def case(name: str, rows: Sequence[Sequence[_Number]], part: str, **options: Any) -> Case:
        return _array_case("sum2d", name, rows, part, **options)

    lecture = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    cases = [
        case("two rows of floats", [[0.5, 1.0, 2.0], [3.0, -4.0, 5.25]], "floats"),
        case("one row", [[0.5, 1.5, 2.0]], "floats"),
        case("one column", [[0.5], [1.5], [3.0]], "floats"),
        case("a single number", [[2.5]], "floats"),
        case("no rows", [], "floats", shape=(0, 3)),
        case("no columns", [], "floats", shape=(3, 0)),
        case("float32, large and small", [[2.0**24, 1.0], [1.0, 1.0]], "floats", dtype="float32"),
        case("drawn", _drawn(generator, 3, 4), "floats"),
        case("the lecture's integers", lecture, "integers", dtype="int64"),
        case("integers beyond 2**53", [[2**53, 1]], "integers", dtype="int64"),
        case("int32, sum beyond 2**31", [[2**31 - 1, 1]], "integers", dtype="int32"),
        case("no integers", [], "integers", dtype="int64", shape=(0, 2)),
        case("truth values", [[True, False, True]], "integers", dtype="bool"),
        case("drawn integers", [[generator.randint(-99, 99) for _ in range(4)] for _ in range(2)],
             "integers", dtype="int64"),
    ]  # fmt: skip
    for layout in ("columns", "transposed", "backwards", "every second", "read-only"):
        cases.append(case(layout, _drawn(generator, 2, 3), "layouts", layout=layout))
    for shape in ((6,), (2, 1, 3), (3, 1, 1, 2)):
        name = "one axis" if len(shape) == 1 else f"{len(shape)} axes"
        cases.append(case(name, _drawn(generator, 1, 6), "layouts", shape=shape))
    cases.append(case("no numbers, three axes", [], "layouts", shape=(2, 0, 3)))
    for number in range(4 if more else 0):
        sizes = generator.randint(1, 30), generator.randint(1, 30)
        layout = generator.choice(list(LAYOUTS))
        name = f"{sizes[0]} × {sizes[1]}, {layout}, number {number + 1}"
        cases.append(case(name, _drawn(generator, *sizes), "layouts", layout=layout))
        large = [[generator.randint(-(2**61), 2**61) for _ in range(2)]]
        cases.append(case(f"large integers, number {number + 1}", large, "integers", dtype="int64"))
        column = [[generator.uniform(-5, 5)] for _ in range(number + 2)]
        cases.append(case(f"a column, number {number + 1}", column, "floats"))
        shape = (2, generator.randint(1, 4), generator.randint(1, 4))
        numbers = _drawn(generator, 1, math.prod(shape))
        cases.append(case(f"three axes, number {number + 1}", numbers, "layouts", shape=shape))
    return cases


def _sum(case: Case) -> int | float:
    numbers = case.data["numbers"]
    if str(case.data["dtype"]).startswith("float"):
        return math.fsum(numbers)
    return sum(map(int, numbers))


_SUM2D = Exercise(
    name="sum2d",
    parts={"floats": 1, "integers": 1, "layouts": 1},
    cases=_sum_cases,
    judge=_compiled(_sum),
    symptom=_compiled_symptom,
    forbids=Forbidden(
        modules=("hpml", "torch"), names=("sum", "nansum", "fsum", "einsum", "dot", "cache"),
        why="Write the loops yourself; graded cells have no file, so there is nowhere to store a "
            "cache.",
    ),
    arguments=array,
    observe=result_and_compiled,
    seconds=_SECONDS,
    patience=_SECONDS,
    packages=("numpy", "numba"),
)  # fmt: skip


# --- pairwise_distances ---


def _points_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    def case(name: str, rows: Sequence[Sequence[float]], **options: Any) -> Case:
        return _array_case("pairwise_distances", name, rows, "right", **options)

    far = 2.0**26
    cases = [
        case("3, 4 and 5", [[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]),
        case("one point", [[1.0, 2.0, 3.0]]),
        case("no points", [], shape=(0, 3)),
        case("on a line", [[1.0], [-2.5], [4.0], [0.0]]),
        case("the same point twice", [[0.5, 0.1], [0.5, 0.1]]),
        case("close together, far from 0", [[far, far], [far + 0.25, far], [far, far + 1]]),
        case("drawn", _drawn(generator, 3, 4)),
        case("drawn, columns", _drawn(generator, 4, 3), layout="columns"),
        case("drawn, every second", _drawn(generator, 2, 3), layout="every second"),
    ]
    for number in range(4 if more else 0):
        sizes = generator.randint(2, 12), generator.randint(1, 9)
        cases.append(case(f"drawn, number {number + 1}", _drawn(generator, *sizes)))
    return cases


def _distances(case: Case) -> object:
    import numpy as np

    numbers = case.data["numbers"]
    count, axes = case.data["shape"]
    points = [numbers[axes * place : axes * (place + 1)] for place in range(count)]
    return np.array([[math.dist(p, q) for q in points] for p in points]).reshape(count, count)


def _many_points(generator: random.Random) -> Case:
    points = [[generator.uniform(-1, 1) for _ in range(16)] for _ in range(120)]
    return _array_case("pairwise_distances", "120 points", points, "speed")


_PAIRWISE_DISTANCES = Exercise(
    name="pairwise_distances",
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
    speed=Speed(points=1, reference=plain_distances, inputs=_many_points, full=1 / 30, none=1 / 10),
)


# --- calls_to_break_even ---


def _calls_case(name: str, compile_time: float, slow: float, fast: float, part: str) -> Case:
    data = {"compile_time": compile_time, "slow": slow, "fast": fast}
    return Case(name, data, part, f"calls_to_break_even({compile_time}, {slow}, {fast})")


def _calls_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    # All numbers, and `n * slow`, are exact in binary, so equal times are exactly equal.
    cases = [
        _calls_case("a call saves 3 of 4", 10.0, 4.0, 1.0, "pays"),
        _calls_case("equal after 5 calls", 10.0, 2.5, 0.5, "pays"),
        _calls_case("the first call pays", 0.25, 4.0, 1.0, "pays"),
        _calls_case("seconds and milliseconds", 1.5, 2.0**-7, 2.0**-9, "pays"),
        _calls_case("a tiny gain", 2.0**-20, 1.0 + 2.0**-30, 1.0, "pays"),
        _calls_case("no gain", 10.0, 2.0, 2.0, "never"),
        _calls_case("slower than before", 10.0, 2.0, 2.5, "never"),
    ]
    for number in range(6 if more else 2):
        compile_time, fast, gain = (generator.randint(1, 80) / 8 for _ in range(3))
        times = compile_time, fast + gain, fast
        cases.append(_calls_case(f"drawn, number {number + 1}", *times, "pays"))
        exact = gain * generator.randint(1, 50), fast + gain, fast
        cases.append(_calls_case(f"equal times, number {number + 1}", *exact, "pays"))
        slower = compile_time, fast, fast + gain
        cases.append(_calls_case(f"slower, number {number + 1}", *slower, "never"))
    return cases


def _calls(case: Case) -> int | float:
    numbers = ("compile_time", "slow", "fast")
    compile_time, slow, fast = (Fraction(case.data[name]) for name in numbers)
    return math.ceil(compile_time / (slow - fast)) if slow > fast else math.inf


_CALLS_TO_BREAK_EVEN = Exercise(
    name="calls_to_break_even",
    parts={"pays": 1, "never": 1},
    cases=_calls_cases,
    judge=expect(_calls),
)

EXERCISES: tuple[Exercise, ...] = (_SUM2D, _PAIRWISE_DISTANCES, _CALLS_TO_BREAK_EVEN)
