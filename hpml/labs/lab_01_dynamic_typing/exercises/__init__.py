"""The exercises of lab 01: the bytes of a list, a crossing, and a polynomial for every type."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Sequence
from typing import cast

from hpml.course.exercises.exercise import Case, Choice, Exercise, Forbidden, Misconception
from hpml.course.exercises.outcomes import Outcome, Raised, Returned
from hpml.course.exercises.same import expect
from hpml.labs.lab_01_dynamic_typing.exercises.horner import HORNER
from hpml.labs.lab_01_dynamic_typing.explanation import EXPLANATION

__all__ = ["EXERCISES", "EXPLANATION_ITEM"]

_FIRST = 257
"""From here on CPython keeps no int ready: each is an object of its own."""


def _list_bytes(case: Case) -> int:
    """Measure the very list that the statement describes, on this Python."""
    n = cast("int", case.data["n"])
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


def _bytes_by(formula: Callable[[int], int]) -> Callable[[Case, Outcome], bool]:
    def fits(case: Case, outcome: Outcome) -> bool:
        return isinstance(outcome, Returned) and outcome.value == formula(
            cast("int", case.data["n"])
        )

    return fits


def _either(*ways: Callable[[Case, Outcome], bool]) -> Callable[[Case, Outcome], bool]:
    return lambda case, outcome: any(way(case, outcome) for way in ways)


_LIST, _INT = sys.getsizeof([]), sys.getsizeof(_FIRST)


def _even(n: int) -> int:
    return n + n % 2


_LIST_BYTES = Exercise(
    lab="01",
    number=1,
    name="list_bytes",
    statement=(
        "`list_bytes(n)` returns the bytes of `list(range(257, 257 + n))`, of the list and of its "
        "`n` ints together: what `sys.getsizeof` says of each of them, added up. A list made this "
        "way has room for an even number of pointers: one more than it needs if `n` is odd."
    ),
    signature="list_bytes(n: int) -> int",
    example="list_bytes(2)",
    shows=str(_LIST + 2 * 8 + 2 * _INT),
    parts={"even": 1, "odd": 1},
    cases=_sizes,
    judge=expect(_list_bytes),
    misconceptions=(
        Misconception(
            "as_in_c",
            "That is what the numbers take in C or in a NumPy array. In a list, what do the eight "
            "bytes hold, and where is the number?",
            _bytes_by(lambda n: 8 * n),
        ),
        Misconception(
            "only_the_list",
            "That is the list with its pointers. They lead to ints, each an object of its own with "
            "a reference count and a type; these bytes count too.",
            _either(_bytes_by(lambda n: _LIST + 8 * n), _bytes_by(lambda n: _LIST + 8 * _even(n))),
        ),
        Misconception(
            "without_the_header",
            "Pointers and ints are there; the list itself is missing. An empty list already takes "
            "some bytes.",
            _either(
                _bytes_by(lambda n: (8 + _INT) * n), _bytes_by(lambda n: 8 * _even(n) + _INT * n)
            ),
        ),
        Misconception(
            "floats",
            "You counted 24 bytes for each number. That is a float; an int has one field more.",
            _either(
                _bytes_by(lambda n: _LIST + 32 * n),
                _bytes_by(lambda n: _LIST + 8 * _even(n) + 24 * n),
            ),
        ),
        Misconception(
            "odd_pointers",
            "Right for even n. With an odd n the list has room for one pointer more than it needs.",
            _bytes_by(lambda n: _LIST + (8 + _INT) * n),
        ),
    ),
    hints=(
        "Three parts: the list with no items, its pointers, the ints they lead to.",
        "`object_header([])`, `object_header(257)` show the bytes of both.",
    ),
    forbids=Forbidden(
        modules=("tracemalloc", "pympler"),
        names=("getsizeof", "__sizeof__", "memory_of", "object_header"),
        why="The bytes are to be predicted, not measured.",
    ),
)


def _crossing(case: Case) -> float:
    overhead, a, b = _given(case)
    return overhead / (a - b) if a > b else math.inf


def _given(case: Case) -> tuple[float, float, float]:
    return cast(
        "tuple[float, float, float]",
        tuple(case.data[name] for name in ("overhead", "per_item_a", "per_item_b")),
    )


def _crossings(generator: random.Random, more: bool) -> Sequence[Case]:
    given = [
        ("a NumPy call against a loop", 400.0, 40.0, 0.5, "right"),
        ("a large overhead", 5000.0, 30.0, 10.0, "right"),
        ("no overhead", 0.0, 2.0, 1.0, "right"),
        ("less than one item", 1.0, 8.0, 4.0, "right"),
        ("b is slower for each item", 400.0, 40.0, 50.0, "never"),
        ("both take the same for each item", 400.0, 40.0, 40.0, "never"),
    ]
    for number in range(4 if more else 0):
        overhead, slow = generator.uniform(1, 9000), generator.uniform(5, 60)
        fast = generator.uniform(0.1, 0.8) * slow
        given.append((f"drawn, number {number + 1}", overhead, slow, fast, "right"))
        given.append((f"drawn, the other way round, {number + 1}", overhead, fast, slow, "never"))
    return [
        Case(name, {"overhead": overhead, "per_item_a": a, "per_item_b": b}, part)
        for name, overhead, a, b, part in given
    ]


def _near(case: Case, outcome: Outcome, value: float) -> bool:
    return (
        isinstance(outcome, Returned)
        and isinstance(outcome.value, int | float)
        and math.isclose(outcome.value, value, rel_tol=1e-9)
    )


def _goes_below(case: Case, outcome: Outcome) -> bool:
    if case.part != "never":
        return False
    overhead, a, b = _given(case)
    if a == b:
        return isinstance(outcome, Raised) and outcome.type == "ZeroDivisionError"
    return _near(case, outcome, overhead / (a - b))


def _forgets_b(case: Case, outcome: Outcome) -> bool:
    overhead, a, _ = _given(case)
    return _near(case, outcome, overhead / a)


def _upside_down(case: Case, outcome: Outcome) -> bool:
    overhead, a, b = _given(case)
    if overhead == 0:
        return isinstance(outcome, Raised) and outcome.type == "ZeroDivisionError"
    return _near(case, outcome, (a - b) / overhead)


def _whole(case: Case, outcome: Outcome) -> bool:
    expected = _crossing(case)
    return (
        isinstance(outcome, Returned)
        and not math.isinf(expected)
        and outcome.value in (math.ceil(expected), math.floor(expected), round(expected))
    )


_CROSSING_POINT = Exercise(
    lab="01",
    number=2,
    name="crossing_point",
    statement=(
        "Way A takes `per_item_a` for each item. Way B takes `overhead` once and `per_item_b` for "
        "each item. `crossing_point(overhead, per_item_a, per_item_b)` returns the number of "
        "items, as a float, at which both take equally long and from which B is faster; "
        "infinity, `float('inf')`, if B never becomes faster."
    ),
    signature="crossing_point(overhead: float, per_item_a: float, per_item_b: float) -> float",
    example="crossing_point(300.0, 40.0, 10.0)",
    shows="10.0",
    parts={"right": 1, "never": 1},
    cases=_crossings,
    judge=expect(_crossing, tolerance=1e-9),
    misconceptions=(
        Misconception(
            "negative_number",
            "Your formula is right where the lines cross. If B is no faster for each item, they "
            "never do: then the answer is neither a negative number nor a division by zero.",
            _goes_below,
        ),
        Misconception(
            "forgets_b",
            "You asked when A has used up the overhead alone. Meanwhile B takes its time for each "
            "item too.",
            _forgets_b,
        ),
        Misconception(
            "upside_down",
            "It is upside down: the larger the overhead, the later B pays.",
            _upside_down,
        ),
        Misconception(
            "whole_items",
            "It is rounded to a whole number of items. The lines cross where they cross; a float "
            "is asked for.",
            _whole,
        ),
    ),
    hints=(
        "Write down both times for n items. When are they equal?",
        "Each item saves per_item_a - per_item_b. How many must be saved to pay the overhead?",
    ),
)

EXERCISES: tuple[Exercise, ...] = (_LIST_BYTES, _CROSSING_POINT, HORNER)

EXPLANATION_ITEM = Choice(
    lab="01",
    number=4,
    best=EXPLANATION.best_number,
    experiments=len(EXPLANATION.experiments),
)
