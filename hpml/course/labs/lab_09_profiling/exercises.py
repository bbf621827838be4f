"""The exercises of lab 09: self times of a trace, the bottleneck, and the number of samples."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

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
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden
from hpml.course.lesson.exercises.same import expect

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
    ]  # fmt: skip
    for number in range(1, 5 if more else 2):
        drawn = draw(generator, recursion=False, again=False)
        cases.append(_times_case(f"a drawn program, number {number}", drawn, "right"))
        drawn = draw(generator, recursion=True)
        cases.append(_times_case(f"a drawn program, calls again, number {number}", drawn, "again"))
    deep = generator.randint(9_000, 10_000)
    return [*cases, _times_case(f"{deep:,} calls inside each other", chain(deep), "deep")]


_SELF_TIMES = Exercise(
    name="self_times",
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
    cases = [
        _bottleneck_case("three functions", events_of(main), {"main", "load", "sum"}, "right"),
        _bottleneck_case("a foreign function calls yours", events_of(module), {"load", "total"},
                         "library"),
        _bottleneck_case("through two foreign functions", events_of(through),
                         {"main", "order", "total"}, "library"),
        _bottleneck_case("sorted calls a function of yours", events_of(key),
                         {"main", "order", "key", "total"}, "library"),
        _bottleneck_case("work after a call", events_of(after), {"main", "load"}, "right"),
    ]  # fmt: skip
    for number in range(1, 7 if more else 3):
        for part in ("right", "library", "recursion"):
            events, mine = misleading(generator, part)
            name = f"a drawn program, {part}, number {number}"
            cases.append(_bottleneck_case(name, events, mine, part))
    return cases


_BOTTLENECK = Exercise(
    name="name_the_bottleneck",
    parts={"right": 1, "library": 1, "recursion": 1},
    cases=_bottleneck_cases,
    judge=expect(lambda case: to_fix(case.data["events"], case.data["mine"])),
    forbids=_WRITE_IT,
)


def _sample_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    given = [(0.5, 0.04), (0.5, 0.25), (0.1, 0.04), (0.9, 0.04), (0.3, 0.5), (0.0, 0.01)]
    for _ in range(12 if more else 3):
        # With these errors no number is an integer, which rounding could move.
        error = generator.choice((0.0071, 0.0113, 0.0137, 0.0307))
        given.append((round(generator.uniform(0.02, 0.98), 3), error))
    return [
        Case(f"p = {p}, error = {error}, number {number}", {"p": p, "error": error})
        for number, (p, error) in enumerate(given, start=1)
    ]


def _samples(case: Case) -> int:
    p, error = (float(case.data[name]) for name in ("p", "error"))
    return max(1, math.ceil(p * (1 - p) / error**2))


_SAMPLES_NEEDED = Exercise(
    name="samples_needed",
    parts={"right": 2},
    cases=_sample_cases,
    judge=expect(_samples),
    core=False,
)


EXERCISES: tuple[Exercise, ...] = (_SELF_TIMES, _BOTTLENECK, _SAMPLES_NEEDED)
