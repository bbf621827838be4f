"""The exercises of lab 07: a source generator, runs of layers, and a model of the time."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from hpml.course.labs.lab_07_code_generation.exercises.source import (
    FORBIDDEN,
    GENERATE_FORWARD,
    Call,
)
from hpml.course.lesson.exercises.exercise import Case, Exercise
from hpml.course.lesson.exercises.same import expect

Runs = list[tuple[int, int]]


# --- compress_runs ---


def _runs_of(calls: Sequence[Call], output: str, min_length: int) -> Runs:
    """Return the longest straight runs by checking every range of calls."""
    stretches = [
        (first, end)
        for first in range(len(calls))
        for end in range(first + 1, len(calls) + 1)
        if _is_run(calls, output, first, end)
    ]
    return [
        (first, end)
        for first, end in stretches
        if end - first >= min_length
        and not any(a <= first and end <= b and (a, b) != (first, end) for a, b in stretches)
    ]


def _is_run(calls: Sequence[Call], output: str, first: int, end: int) -> bool:
    if any(len(arguments) != 1 for _, _, arguments in calls[first:end]):
        return False
    for position in range(first, end - 1):
        result = calls[position][0]
        readers = [p for p, (_, _, names) in enumerate(calls) if result in names]
        if readers != [position + 1] or result == output:
            return False
    return True


def _run_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    a, b, c, d = ("a", 0, ["x"]), ("b", 1, ["a"]), ("c", 2, ["b"]), ("d", 3, ["c"])
    again, both = ("d", 3, ["a"]), ("e", 4, ["c", "d"])
    twice, last = ("c", 2, ["b", "b"]), ("e", 4, ["d", "a"])
    known: list[tuple[str, list[Call], str, int, str]] = [
        ("three in a row", [a, b, c], "c", 2, "right"),
        ("just long enough", [a, b, c], "c", 3, "right"),
        ("too short", [a, b, c], "c", 4, "right"),
        ("output in the middle", [a, b, c, d], "b", 2, "right"),
        ("no calls", [], "x", 2, "right"),
        ("a is read twice", [a, b, c, again, both], "e", 2, "branches"),
        ("b is read twice by one call", [a, b, twice, d], "d", 2, "branches"),
        ("runs of one call", [a, b, ("c", 2, ["a"]), ("d", 3, ["b", "c"])], "d", 1, "branches"),
        ("a is read again much later", [a, b, c, d, ("e", 4, ["a"])], "e", 2, "branches"),
        ("the first is read again at the end", [a, b, c, d, last], "e", 2, "branches"),
    ]
    for number in range(1, 7 if more else 2):
        calls = _drawn(generator, branches=False)
        for where, output in (("last", calls[-1][0]), ("any", generator.choice(calls)[0])):
            name = f"straight, number {number}, output {where}"
            known.append((name, calls, output, generator.randint(1, 3), "right"))
        calls, name = _drawn(generator, branches=True), f"branches, number {number}"
        known.append((name, calls, calls[-1][0], generator.randint(1, 3), "branches"))
    return [
        Case(name, {"calls": calls, "output": output, "min_length": min_length}, part)
        for name, calls, output, min_length, part in known
    ]


def _drawn(generator: random.Random, branches: bool) -> list[Call]:
    """Return chains of calls; with branches, some join two values or share one."""
    calls: list[Call] = []
    names = ["x"]
    for number in range(generator.randint(6, 11)):
        arguments = [names[-1]]
        if generator.random() < 0.3:
            arguments = [generator.choice(names) if branches else f"x{number}"]
        if branches and generator.random() < 0.2:
            arguments.append(generator.choice(names))
        names.append(f"h{number}")
        calls.append((names[-1], generator.randint(0, 9), arguments))
    return calls


_COMPRESS_RUNS = Exercise(
    name="compress_runs",
    parts={"right": 2, "branches": 1},
    cases=_run_cases,
    judge=expect(lambda case: _runs_of(**case.data)),
    forbids=FORBIDDEN,
    core=False,
)


# --- predict_time ---


def _time_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    costs = {"start": 1e-6, "layer": 4e-6, "codegen": 5e-8, "lazy": 1e-6}
    known: list[tuple[str, int, dict[str, float], str, str]] = [
        ("100 layers, codegen", 100, costs, "codegen", "right"),
        ("3 layers, codegen", 3, costs, "codegen", "right"),
        ("100 layers, lazy", 100, costs, "lazy", "right"),
        ("no layers", 0, costs, "lazy", "right"),
        ("one layer", 1, costs, "lazy", "right"),
        ("a cost of 0", 2, {**costs, "ordered": 0.0}, "ordered", "right"),
        ("an unknown execution", 3, costs, "numba", "unknown"),
    ]
    for number in range(1, 6 if more else 1):
        missing, *executions = generator.sample(("inlined", "lazy", "ordered", "handwritten"), 4)
        drawn = {"start": generator.uniform(1e-6, 9e-6), "layer": generator.uniform(1e-6, 9e-6)}
        drawn |= {name: generator.uniform(1e-8, 2e-6) for name in ("codegen", *executions)}
        layers = generator.randint(2, 2000)
        known.append((f"any costs, number {number}", layers, drawn, executions[0], "right"))
        known.append((f"an unknown one, number {number}", layers, drawn, missing, "unknown"))
    return [
        Case(name, {"n_layers": layers, "costs": costs, "execution": execution}, part)
        for name, layers, costs, execution, part in known
    ]


def _seconds(case: Case) -> float:
    costs, execution = case.data["costs"], case.data["execution"]
    if execution not in costs:
        raise ValueError(execution)
    layers = [costs["layer"], costs[execution]] * case.data["n_layers"]
    return math.fsum([costs["start"], *layers])


_PREDICT_TIME = Exercise(
    name="predict_time",
    parts={"right": 1, "unknown": 1},
    cases=_time_cases,
    judge=expect(_seconds, tolerance=1e-12),
    forbids=FORBIDDEN,
)

EXERCISES: tuple[Exercise, ...] = (GENERATE_FORWARD, _COMPRESS_RUNS, _PREDICT_TIME)
