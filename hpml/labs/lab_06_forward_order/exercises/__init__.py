"""The exercises of lab 06: counting executions, and the two forwards."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence

from hpml.course.exercises.exercise import Case, Choice, Exercise, Forbidden, Misconception
from hpml.course.exercises.outcomes import Outcome, Returned
from hpml.course.exercises.same import expect
from hpml.course.small_graphs import Parents, chain, ladder
from hpml.labs.lab_06_forward_order.exercises.forwards import LAZY_FORWARD, ORDERED_FORWARD
from hpml.labs.lab_06_forward_order.exercises.graphs import (
    NO_LIBRARY,
    TWICE,
    WRITE_IT,
    executions,
    output_of,
    parents_of,
    random_graph,
)
from hpml.labs.lab_06_forward_order.explanation import EXPLANATION

__all__ = ["EXERCISES", "EXPLANATION_ITEM"]


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
    cases = [_count_case(*graph, "right") for graph in graphs]
    cases += [_count_case(*graph, both, "large") for graph in large]
    return [case for few in cases for case in few]


def _count_case(
    name: str, parents: Parents, output: str, remember: Sequence[bool], part: str
) -> list[Case]:
    cases = []
    for memory in remember:
        data = {"parents": parents, "output": output, "remember": memory}
        graph = parents if len(parents) <= 20 else "parents"
        call = f"count_calls({graph}, {output!r}, {memory})"
        said = f"{name}, {'with' if memory else 'without'} memory"
        cases.append(Case(said, data, part, call))
    return cases


def _counted(case: Case) -> int:
    often = executions(parents_of(case), output_of(case))
    return len(often) if case.data["remember"] else often.total()


def _questions(case: Case) -> int:
    """Return how often anything is asked for, the inputs included."""
    parents = parents_of(case)
    asked = Counter({output_of(case): 1})
    for name in reversed(list(parents)):
        for parent in parents[name]:
            asked[parent] += asked[name]
    return len(+asked) if case.data["remember"] else asked.total()


def _all_operations(case: Case) -> int:
    return sum(1 for above in parents_of(case).values() if above)


def _other_memory(case: Case) -> int:
    other = {**case.data, "remember": not case.data["remember"]}
    return _counted(Case(case.name, other))


def _parents_as_set(case: Case) -> int:
    once = {name: list(dict.fromkeys(above)) for name, above in parents_of(case).items()}
    return _counted(Case(case.name, {**case.data, "parents": once}))


def _gives(compute: Callable[[Case], object]) -> Callable[[Case, Outcome], bool]:
    """Return whether an outcome is the value that a mistake computes."""

    def fits(case: Case, outcome: Outcome) -> bool:
        value = compute(case)
        return (
            isinstance(outcome, Returned)
            and type(outcome.value) is type(value)
            and outcome.value == value
        )

    return fits


_COUNT_CALLS = Exercise(
    lab="06",
    number=1,
    name="count_calls",
    statement=(
        "`count_calls(parents, output, remember)` returns how many operations are executed when "
        "`output` is asked for: with memory if `remember` is true, without if it is false. Inputs "
        "(no parents) are not executed. An operation that uses the same value twice asks for it "
        "twice. `parents` names parents before children."
    ),
    signature="count_calls(parents: dict[str, list[str]], output: str, remember: bool) -> int",
    example="count_calls({'x': [], 'a': ['x'], 'b': ['a', 'a']}, 'b', False)",
    shows="3",
    parts={"right": 1, "large": 1},
    cases=_count_cases,
    judge=expect(_counted),
    misconceptions=(
        Misconception(
            "counts_questions",
            "It counts the questions. Inputs are asked for too, but they are looked up: nothing is "
            "executed.",
            _gives(_questions),
        ),
        Misconception(
            "same_parent_once",
            "`b = a + a` asks for `a` twice, and without memory `a` is executed each time. Are "
            "the parents put into a set?",
            _gives(_parents_as_set),
        ),
        Misconception(
            "counts_every_operation",
            "That is every operation of the graph once. Which of them does `output` need, and how "
            "often is each executed where nobody remembers?",
            _gives(_all_operations),
        ),
        Misconception(
            "ignores_remember",
            "It counts the same with and without memory. `remember` says which of the two is "
            "asked for.",
            _gives(_other_memory),
        ),
    ),
    hints=(
        "With memory: each operation that `output` needs, directly or by way of others, once.",
        "Without memory: to get a value, each of its parents has to be got, and then it is "
        "executed once itself.",
        "`parents` names parents before children: one pass over it can note, for every value, how "
        "many executions it takes to get it.",
    ),
    forbids=Forbidden(modules=NO_LIBRARY, why=WRITE_IT),
)


EXERCISES: tuple[Exercise, ...] = (_COUNT_CALLS, LAZY_FORWARD, ORDERED_FORWARD)

EXPLANATION_ITEM = Choice(
    lab="06",
    number=4,
    best=EXPLANATION.best_number,
    experiments=len(EXPLANATION.experiments),
)
