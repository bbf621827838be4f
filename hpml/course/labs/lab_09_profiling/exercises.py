"""The exercises of lab 09: self times of a trace, the bottleneck, and the number of samples."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hpml.course.labs.lab_09_profiling.harness import plain_dictionary
from hpml.course.labs.lab_09_profiling.traces import (
    Event,
    chain,
    draw,
    events_of,
    misleading,
    own_times,
    to_fix,
)
from hpml.course.lesson.exercises.edges import depths
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.lesson.exercises.outcomes import Outcome, Returned
from hpml.course.lesson.exercises.same import expect, shown

_WRITE_IT = Forbidden(
    modules=("hpml", "cProfile", "profile", "pstats", "pyinstrument"),
    why="The exercise is to read a trace, so no profiler may be imported.",
)


def _times_case(name: str, events: list[Event], part: str) -> Case:
    return Case(name, {"events": events}, part)


def _times_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    helper = ("helper", [4, ("sorted", [20]), 1])
    cases = [
        _times_case("one call", events_of(("main", [30])), "right"),
        _times_case("one inside another", events_of(("main", [10, ("load", [25]), 5])), "right"),
        _times_case("nothing", [], "right"),
        _times_case("called twice", events_of(
                        ("main", [3, ("add", [7]), 2, ("add", [9]), ("skip", []), 1])), "again"),
        _times_case("called from two places",
                    events_of(("main", [1, ("load", [5, helper, 2]), 3, helper, 6])), "again"),
        _times_case("two calls, and a pause between them",
                    [*events_of(("load", [5])), *events_of(("sum", [7]), start=30)], "again"),
        _times_case("a function that calls itself",
                    events_of(("walk", [2, ("walk", [30, ("walk", [4]), 8]), 16])), "again"),
        _times_case("two functions that call each other", events_of(
                        ("walk", [2, ("visit", [3, ("walk", [5, ("visit", [7]), 1]), 2]), 4])),
                    "again"),
        _times_case("three outermost calls, two alike",
                    [*events_of(("load", [5, ("parse", [4])]), start=1000), *events_of(("sum", [7]),
                     start=3000), *events_of(("load", [1]), start=7000)], "again"),
        _times_case("no time at all", events_of(("main", [("load", []), ("load", [])])), "again"),
        _times_case("functions named enter and leave",
                    events_of(("leave", [3, ("enter", [4, ("leaves", [1])]), 2])), "right"),
        _times_case("nanoseconds since 1970",
                    events_of(("main", [3, ("load", [1]), 1]), start=1_700_000_000_000_000_001),
                    "right"),
    ]  # fmt: skip
    for number in range(1, 5 if more else 2):
        drawn = draw(generator, recursion=False, again=False)
        cases.append(_times_case(f"a drawn program, number {number}", drawn, "right"))
        drawn = draw(generator, recursion=True)
        cases.append(_times_case(f"a drawn program, calls again, number {number}", drawn, "again"))
    for deep in depths(generator, 10_000):
        cases.append(_times_case(f"{deep:,} calls inside each other", chain(deep), "deep"))
    name = "two functions, a thousand calls each inside the other's"
    return [*cases, _times_case(name, chain(2_000, 2), "deep")]


_SELF_TIMES = Exercise(
    name="self_times",
    minutes=8,
    parts={"right": 1, "again": 1, "deep": 1},
    cases=_times_cases,
    judge=expect(lambda case: own_times(case.data["events"])),
    forbids=_WRITE_IT,
    observe=plain_dictionary,
    seconds=10,
)


def _bottleneck_case(name: str, events: list[Event], mine: set[str], part: str) -> Case:
    return Case(name, {"events": events, "mine": mine}, part)


def _bottleneck_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    main = ("main", [1, ("load", [30]), 2, ("sum", [9]), 3, ("sum", [8]), 4])
    after = ("main", [1, ("load", [30]), 45])
    module = (
        "run_module",
        [50, ("load", [10]), 60, ("total", [9]), ("total", [11, ("sorted", [3])]), 5],
    )
    dumps = ("sorted", [5, ("json.dumps", [("encode", [90])]), 1])
    through = ("main", [9, ("order", [3, dumps, 2]), 1, ("total", [40]), 2])
    key = ("main", [1, ("order", [3, ("sorted", [5, ("key", [60]), 4]), 2]), ("total", [40])])
    inner = ("map", [1, ("dict.get", [2, ("re.sub", [3, ("copy.deepcopy", [70])])]), 1])
    far = ("main", [9, ("order", [3, inner, 2]), 1, ("total", [60]), 2])
    nested: tuple[str, list[Any]] = ("f0", [70])
    for number in range(1, 31):
        nested = (f"f{number}", [nested])
    farther = ("main", [9, ("order", [3, nested, 2]), 1, ("total", [60]), 2])
    below = [("key", [1, ("re.sub", [30]), 1]), ("key", [1, ("re.sub", [35]), 1])]
    busy = ("main", [1, ("order", [3, ("sorted", [2, *below, 2]), 2]), ("total", [60])])
    goes_on = ("main", [1, ("order", [1, ("sorted", [5, ("key", [20]), 60]), 1]), ("total", [50])])
    again = ("walk", [9, ("map", [8, ("walk", [9, ("map", [9, ("leaf", [1])]), 8])])])
    start = 1_700_000_000_000_000_001
    late = ("main", [5, ("load", [6]), 1, ("sum", [7])])
    apart = [
        *events_of(("load", [30]), start),
        *events_of(("sum", [40]), start + 900),
        *events_of(("load", [20]), start + 1800),
    ]
    cases = [
        _bottleneck_case("three functions", events_of(main), {"main", "load", "sum"}, "right"),
        _bottleneck_case("a foreign function calls yours", events_of(module), {"load", "total"},
                         "library"),
        _bottleneck_case("through two foreign functions", events_of(through),
                         {"main", "order", "total"}, "library"),
        _bottleneck_case("sorted calls a function of yours", events_of(key),
                         {"main", "order", "key", "total"}, "library"),
        _bottleneck_case("work after a call", events_of(after), {"main", "load"}, "right"),
        _bottleneck_case("a function that is never called", events_of(after),
                         {"load", "main", "unused"}, "right"),
        _bottleneck_case("nanoseconds since 1970", events_of(late, start), {"main", "load", "sum"},
                         "right"),
        _bottleneck_case("a pause before the last call",
                         [*events_of(("load", [50])), *events_of(("sum", [40]), 900)],
                         {"load", "sum"}, "right"),
        _bottleneck_case("three outermost calls", apart, {"load", "sum"}, "right"),
        _bottleneck_case("three outermost calls, some foreign",
                         [*events_of(("sorted", [99])), *apart, *events_of(("map", [99]), 2 * start)
                          ], {"load", "sum"}, "library"),
        _bottleneck_case("through four foreign functions", events_of(far),
                         {"main", "order", "total"}, "library"),
        _bottleneck_case("through thirty-one foreign functions", events_of(farther),
                         {"main", "order", "total"}, "library"),
        _bottleneck_case("a function of yours inside calls foreign ones", events_of(busy),
                         {"main", "order", "key", "total"}, "library"),
        _bottleneck_case("sorted goes on after a function of yours", events_of(goes_on),
                         {"main", "order", "key", "total"}, "library"),
        _bottleneck_case("a call of itself through a foreign function",
                         events_of(("main", [1, again, ("total", [30])])),
                         {"main", "walk", "leaf", "total"}, "recursion"),
        _bottleneck_case("functions named enter and leave",
                         events_of(("leave", [3, ("enter", [9, ("sorted", [1])]), 2])),
                         {"leave", "enter"}, "library"),
    ]  # fmt: skip
    for number in range(1, 7 if more else 3):
        for part in ("right", "library", "recursion"):
            events, mine = misleading(generator, part)
            name = f"a drawn program, {part}, number {number}"
            cases.append(_bottleneck_case(name, events, mine, part))
    return cases


def _names_one(case: Case, outcome: Outcome) -> Wrong | None:
    """Accept each of several functions with the same, longest time."""
    found = to_fix(case.data["events"], case.data["mine"])
    if isinstance(outcome, Returned) and outcome.value in found:
        return None
    return Wrong(" or ".join(map(repr, found)), shown(outcome))


_BOTTLENECK = Exercise(
    name="name_the_bottleneck",
    minutes=8,
    parts={"right": 1, "library": 1, "recursion": 1},
    cases=_bottleneck_cases,
    judge=_names_one,
    forbids=_WRITE_IT,
)


def _sample_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    given = [
        (0.5, 0.05), (0.5, 0.04), (0.5, 0.25), (0.1, 0.04), (0.9, 0.04), (0.3, 0.5), (0.0, 0.01),
        (1.0, 0.01), (0.3, 2.0), (1e-300, 0.5), (0.999, 0.9), (0.75, 2**-5), (0.5, 2**-10),
        # Just above and just below a whole number: 5, 4, 65, 64.
        (0.5, 0.25 * (1 - 1e-9)), (0.5, 0.25 * (1 + 1e-9)), (0.5, 0.0625 * (1 - 1e-9)),
        (0.5, 0.0625 * (1 + 1e-9)), (1e-6, 1e-6), (0.2, 0.04), (0.37, 1e-6),
    ]  # fmt: skip
    for _ in range(12 if more else 3):
        # With these errors no number is an integer, which rounding could move.
        error = generator.choice((0.0071, 0.0113, 0.0137, 0.0307))
        given.append((round(generator.uniform(0.02, 0.98), 3), error))
    return [
        Case(f"p = {p}, error = {error}, number {number}", {"p": p, "error": error})
        for number, (p, error) in enumerate(given, start=1)
    ]


def _samples(case: Case, outcome: Outcome) -> Wrong | None:
    """Accept the exact number, and that of floats: for p = 0.2 and error = 0.04, 100 and 101."""
    p, error = (float(case.data[name]) for name in ("p", "error"))
    exact = Fraction(str(p)) * (1 - Fraction(str(p))) / Fraction(str(error)) ** 2
    root = math.sqrt(p * (1 - p)) / error
    floats = (p * (1 - p) / error**2, p * (1 - p) / error / error, (p - p * p) / error**2, root**2)
    found = sorted({max(1, math.ceil(each)) for each in (exact, *floats)})
    if isinstance(outcome, Returned) and type(outcome.value) is int and outcome.value in found:
        return None
    return Wrong(" or ".join(map(str, found)), shown(outcome))


_SAMPLES_NEEDED = Exercise(
    name="samples_needed",
    minutes=4,
    parts={"right": 2},
    cases=_sample_cases,
    judge=_samples,
    core=False,
)


EXERCISES: tuple[Exercise, ...] = (_SELF_TIMES, _BOTTLENECK, _SAMPLES_NEEDED)
