"""The exercises of lab 06: counting executions, and the two forwards."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hpml.course.exercises.exercise import Case, Exercise, Forbidden
from hpml.course.exercises.same import expect
from hpml.course.small_graphs import Parents, chain, ladder
from hpml.labs.lab_06_forward_order.exercises.forwards import LAZY_FORWARD, ORDERED_FORWARD
from hpml.labs.lab_06_forward_order.exercises.graphs import (
    NO_LIBRARY,
    TWICE,
    WRITE_IT,
    executions,
    random_graph,
)


def _count_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    both = (False, True)
    graphs: list[tuple[str, Parents, str, tuple[bool, ...]]] = [
        ("a chain of 5", chain(5), "n5", both),
        ("two diamonds", ladder(2), "join2", both),
        ("two diamonds, the first one asked for", ladder(2), "join1", both),
        ("b = a + a", TWICE, "b", both),
        ("an input asked for", chain(3), "x", both),
    ]
    for number in range(6 if more else 1):
        graph = random_graph(generator, generator.randint(5, 14))
        output = generator.choice([name for name in graph if graph[name]])
        graphs.append((f"a graph of {len(graph)} values, number {number + 1}", graph, output, both))
    large = [("sixteen diamonds", ladder(16), "join16"), ("sixty diamonds", ladder(60), "join60")]
    if more:
        drawn = generator.randint(20, 50)
        large.append((f"{drawn} diamonds", ladder(drawn), f"join{drawn}"))
    cases = [_count_case(*graph, "right") for graph in graphs]
    cases += [_count_case(*graph, both, "large") for graph in large]
    return [case for group in cases for case in group]


def _count_case(
    name: str, parents: Parents, output: str, remember: Sequence[bool], part: str
) -> list[Case]:
    cases = []
    for memory in remember:
        data = {"parents": parents, "output": output, "remember": memory}
        graph = parents if len(parents) <= 20 else "parents"
        call = f"count_calls({graph}, {output!r}, {memory})"
        title = f"{name}, {'with' if memory else 'without'} memory"
        cases.append(Case(title, data, part, call))
    return cases


def _counted(case: Case) -> int:
    counts = executions(case.data["parents"], case.data["output"])
    return len(counts) if case.data["remember"] else counts.total()


_COUNT_CALLS = Exercise(
    name="count_calls",
    parts={"right": 1, "large": 1},
    cases=_count_cases,
    judge=expect(_counted),
    core=False,
    forbids=Forbidden(modules=NO_LIBRARY, why=WRITE_IT),
)


EXERCISES: tuple[Exercise, ...] = (_COUNT_CALLS, LAZY_FORWARD, ORDERED_FORWARD)
