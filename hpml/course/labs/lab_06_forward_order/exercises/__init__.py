"""The exercises of lab 06: counting executions, and the two forwards."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hpml.course.labs.lab_06_forward_order.exercises.forwards import LAZY_FORWARD, ORDERED_FORWARD
from hpml.course.labs.lab_06_forward_order.exercises.graphs import (
    NO_LIBRARY,
    TWICE,
    WRITE_IT,
    executions,
)
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden
from hpml.course.lesson.exercises.same import expect
from hpml.course.lesson.small_graphs import Parents, chain, ladder, random_parents


def _count_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    drawn = generator.randint(20, 50)
    graphs: list[tuple[str, Parents, str, str]] = [
        ("a chain of 5", chain(5), "n5", "right"),
        ("two diamonds", ladder(2), "join2", "right"),
        ("two diamonds, the first one asked for", ladder(2), "join1", "right"),
        ("b = a + a", TWICE, "b", "right"),
        ("an input asked for", chain(3), "x", "right"),
        ("one operation", chain(1), "n1", "right"),
        ("the same value three times", {"x": [], "a": ["x"], "b": ["a"] * 3}, "b", "right"),
        ("a value twice, and another", {"x": [], "a": ["x"], "b": ["a", "x", "a"]}, "b", "right"),
        ("an operation on two inputs", {"x": [], "y": [], "a": ["x", "y"]}, "a", "right"),
        ("an input that is not needed", {"x": [], "y": [], "a": ["x"]}, "a", "right"),
        ("operations after the output", {"x": [], "a": ["x"], "b": ["a"]}, "a", "right"),
        (
            "a branch that is not needed",
            {"x": [], "a": ["x"], "b": ["a"], "c": ["a"]},
            "c",
            "right",
        ),
        ("two operations of an input", ladder(1), "join1", "right"),
        ("sixteen diamonds", ladder(16), "join16", "large"),
        ("sixty diamonds", ladder(60), "join60", "large"),
        (f"{drawn} diamonds, drawn", ladder(drawn), f"join{drawn}", "large"),
    ]
    for number in range(6 if more else 1):
        graph = random_parents(generator, generator.randint(5, 14))
        output = generator.choice([name for name in graph if graph[name]])
        name = f"a graph of {len(graph)} values, number {number + 1}"
        graphs.append((name, graph, output, "right"))
    return [
        Case(
            f"{name}, {'with' if remember else 'without'} memory",
            {"parents": parents, "output": output, "remember": remember},
            part,
        )
        for name, parents, output, part in graphs
        for remember in (False, True)
    ]


def _counted(case: Case) -> int:
    counts = executions(case.data["parents"], case.data["output"])
    return len(counts) if case.data["remember"] else counts.total()


_COUNT_CALLS = Exercise(
    name="count_calls",
    minutes=8,
    parts={"right": 1, "large": 1},
    cases=_count_cases,
    judge=expect(_counted),
    core=False,
    forbids=Forbidden(modules=NO_LIBRARY, why=WRITE_IT),
)


EXERCISES: tuple[Exercise, ...] = (_COUNT_CALLS, LAZY_FORWARD, ORDERED_FORWARD)
