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
from hpml.course.lesson.exercises.edges import magnitudes
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
        ("b is read by three calls more", [a, b, c, ("d", 3, ["b"]), ("e", 4, ["b"]),
         ("f", 5, ["b"])], "f", 2, "branches"),
        ("a is read three times more by one call", [a, b, c, ("d", 3, ["a", "a", "a"])], "d", 2,
         "branches"),
        ("one call", [a], "a", 1, "right"),
        ("one call, too short", [a], "a", 2, "right"),
        ("output first", [a, b, c, d], "a", 1, "right"),
        ("an input is the output", [a, b, c], "x", 2, "right"),
        ("one layer again and again", [("a", 5, ["x"]), ("b", 5, ["a"]), ("c", 5, ["b"])], "c", 2,
         "right"),
        ("two runs of the input", [a, b, ("c", 2, ["x"]), ("d", 3, ["c"])], "d", 2, "right"),
        ("a result that nothing reads", [a, b, ("c", 2, ["x"])], "c", 1, "right"),
        ("names that contain each other", [("h1", 0, ["x"]), ("h", 1, ["h1"]), ("h11", 2, ["h"]),
         ("h111", 3, ["h11x"])], "h111", 1, "right"),
        ("a call of two values first", [("a", 0, ["x", "y"]), b, c], "c", 2, "branches"),
        ("a call of two values in the middle", [a, ("b", 1, ["a", "x"]), c, d], "d", 2, "branches"),
        ("a call of two values between", [a, b, ("p", 7, ["x", "y"]), c], "c", 1, "branches"),
        ("a call of no value", [a, ("b", 1, []), c, d], "d", 1, "branches"),
        ("a is read by two calls", [a, b, ("c", 2, ["a"])], "c", 1, "branches"),
        ("b is read by the next and the last", [a, b, c, d, ("e", 4, ["b"])], "e", 1, "branches"),
        ("only the last is read twice", [a, b, ("c", 2, ["b"]), ("d", 3, ["b"])], "d", 2,
         "branches"),
        ("not one after the other", [a, ("p", 7, ["y"]), b, ("q", 8, ["p"])], "q", 1, "branches"),
        ("three runs of different lengths",
         [a, b, ("p", 7, ["y"]), ("q", 8, ["p"]), ("r", 9, ["q"]), ("s", 1, ["x"])],
         "s", 2, "branches"),
    ]  # fmt: skip
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
    minutes=15,
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
        ("an unknown one whose name is a part of another", 3, costs, "code", "unknown"),
        ("an unknown one that begins as another", 3, costs, "lazy, twice", "unknown"),
        ("an unknown one, no layers", 0, costs, "ordered", "unknown"),
        ("known by its capitals only", 3, {**costs, "LAZY": 7e-6}, "lazy", "right"),
        ("no start", 4, {**costs, "start": 0.0}, "codegen", "right"),
        ("no time for a layer", 4, {**costs, "layer": 0.0}, "codegen", "right"),
        ("very many layers", 100_000, costs, "codegen", "right"),
        ("whole seconds", 3, {"start": 2, "layer": 5, "lazy": 1}, "lazy", "right"),
    ]
    for unit in magnitudes(generator, 4 if more else 3, 1e290):
        sizes = {name: unit * generator.randint(1, 9) for name in ("start", "layer", "codegen")}
        known.append((f"in a unit of {unit:.0e}", 3, sizes, "codegen", "right"))
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
    minutes=3,
    parts={"right": 1, "unknown": 1},
    cases=_time_cases,
    judge=expect(_seconds, tolerance=1e-12),
    forbids=FORBIDDEN,
)

EXERCISES: tuple[Exercise, ...] = (GENERATE_FORWARD, _COMPRESS_RUNS, _PREDICT_TIME)
