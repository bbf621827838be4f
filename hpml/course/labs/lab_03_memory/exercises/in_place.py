"""Exercise 03.2: normalise an array in place, with almost no new memory."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Sequence

from hpml.base.tables import format_bytes, readable
from hpml.course.labs.lab_03_memory.harness import in_place, numbers
from hpml.course.lesson.exercises.edges import magnitudes
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.lesson.exercises.outcomes import Outcome, observed, symptom
from hpml.course.lesson.exercises.same import difference, shown

_REPEATED = 50  # numbers, of which a long array has copies
_LENGTHS = (6_000, 100_000, 400_000)
ALLOWED = 32 * 1024
"""The largest allowed peak of new memory in bytes, for an array of any length."""


def _array_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    def drawn(count: int) -> list[float]:
        return [round(generator.uniform(-50, 50), 3) for _ in range(count)]

    few: dict[str, list[float]] = {
        "two numbers": [1.0, 3.0],
        "three numbers": [0.0, 0.0, 3.0],
        "a single number": [5.0],
        "all the same": [4.0, 4.0, 4.0],
        "close together": [0.25, 0.5, 0.5],
        "mean 0, spread 1 already": [-1.0, 1.0, -1.0, 1.0],
        "large, and close together": [1e6 + 1, 1e6 + 2, 1e6 + 4],
        "far from 0, and very close together": [2.0**30 + k / 1024 for k in (0, 1, 2, 5)],
        "small": [1e-6, 2e-6, 4e-6],
        "one apart from zeros": [0.0, 0.0, 0.0, 1e-30],
        "all 0": [0.0, 0.0],
        "all the same, below 0": [-2.0] * 5,
        "drawn": drawn(5),
    }
    for unit in magnitudes(generator, 4 if more else 3, 1e89):
        numbers = [generator.randint(-9, -1), 1, 2, generator.randint(3, 9)]
        few[f"in a unit of {unit:.0e}"] = [unit * number for number in numbers]
    for number in range(5 if more else 0):
        few[f"drawn, number {number + 1}"] = drawn(generator.randint(2, 40))
        few[f"all {number + 7}"] = [number + 7.0] * generator.randint(2, 9)
    cases = [
        Case(name, {"x": x}, call=f"normalise_in_place(np.array({x}))") for name, x in few.items()
    ]
    # Part of another array: a contiguous copy of it would be new memory, and `x` left as it is.
    apart = [2.0, 4.0, 9.0]
    call = f"normalise_in_place(x)  # x = every second number of another array: {apart}"
    cases.append(Case("every second number", {"x": apart, "every": 2}, call=call))
    drawn_lengths = [_REPEATED * generator.randint(100, 2_000) for _ in range(2 if more else 0)]
    for number, length in enumerate([*_LENGTHS, *drawn_lengths], 1):
        call = f"normalise_in_place(x)  # {length:,} numbers, {8 * length // 1000} kB"
        data = {"x": drawn(_REPEATED), "length": length}
        cases.append(Case(f"a long array, number {number}", data, "in place", call))
    return cases


def _normalised(case: Case) -> list[float]:
    x = case.data["x"]
    mean = math.fsum(x) / len(x)
    spread = math.sqrt(math.fsum((number - mean) ** 2 for number in x) / len(x))
    right = [(number - mean) / (spread or 1) for number in x]
    length: int = case.data.get("length", len(x))
    return (right * (length // len(x) + 1))[: min(length, 100)]


def _floats(value: object) -> list[float]:
    data = getattr(value, "data", b"")
    return list(struct.unpack(f"<{len(data) // 8}d", data))


def _first(numbers: Sequence[float]) -> str:
    return f"x becomes {[round(number, 4) for number in numbers[:4]]}{' ...' * (len(numbers) > 4)}"


def _judge_array(case: Case, outcome: Outcome) -> Wrong | None:
    found, right = observed(outcome), _normalised(case)
    if found is None:
        return Wrong(_first(right), shown(outcome))
    got = _floats(found["x"])
    if difference(right, got, tolerance=1e-6, absolute=1e-6) is not None:
        return Wrong(_first(right), _first(got))
    varied = len(set(case.data["x"])) > 1
    if difference([0.0, float(varied)], found["moments"], tolerance=1e-6, absolute=1e-6):
        mean, square = found["moments"]
        return Wrong(
            f"mean 0 and mean square {varied:d} of all of `x`",
            f"mean {readable(mean)} and mean square {readable(square)}",
            "The first numbers are right.",
        )
    if found["returned"] is not True:
        return Wrong("x itself is returned", "something else", "The array is right.")
    if case.part == "in place" and found["peak"] > ALLOWED:
        why = "The numbers are right, but were computed in new memory."
        return Wrong(
            f"at most {format_bytes(ALLOWED)} of new memory at a time",
            f"{format_bytes(found['peak'])}",
            why,
        )
    return None


def _array_symptom(case: Case, outcome: Outcome) -> object:
    """Return the broken rule and the numbers, without the peak of memory."""
    wrong, found = _judge_array(case, outcome), observed(outcome)
    if wrong is None or found is None:
        return symptom(case, outcome)
    return [wrong.expected, [float(f"{number:.4g}") for number in _floats(found["x"])]]


NORMALISE_IN_PLACE = Exercise(
    name="normalise_in_place",
    minutes=12,
    parts={"right": 1, "in place": 1},
    cases=_array_cases,
    judge=_judge_array,
    symptom=_array_symptom,
    forbids=Forbidden(
        modules=("torch", "ctypes"),
        names=("tracemalloc",),
        why="NumPy alone, so that every allocation can be counted.",
    ),
    arguments=numbers,
    observe=in_place,
    keeps_arguments=False,
)
