"""Exercise 02.3: the same result in fewer instructions."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from hpml.course.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.exercises.outcomes import Outcome, Returned, symptom
from hpml.course.exercises.same import difference, shown
from hpml.labs.lab_02_bytecode.harness import counted

__all__ = ["FEWER_INSTRUCTIONS"]

_SHARE = 0.75


def _fewer_cases(generator: random.Random, more: bool) -> list[Case]:
    def mixed(size: int) -> list[int]:
        half = [generator.randint(1, 99) for _ in range(size // 2)]
        outside = [generator.choice((-1, 1)) * generator.randint(100, 200) for _ in half]
        values = half + outside
        generator.shuffle(values)
        return values

    cases = [
        Case("four values", {"values": [3, -1, 2, 100]}),
        Case("the borders", {"values": [0, 1, 99, 100]}),
        Case("nothing", {"values": []}),
        Case("all of them outside", {"values": [-5, 250, -7]}),
        Case("forty values", {"values": mixed(40)}, "fewer"),
    ]
    for number in range(10 if more else 1):
        values = mixed(2 * generator.randint(30, 60))
        cases.append(Case(f"random values {number + 1}", {"values": values}, "fewer"))
    return cases


def _judge_fewer(case: Case, outcome: Outcome) -> Wrong | None:
    values: list[int] = list(case.data["values"])  # type: ignore[call-overload]
    right = sum(value**3 for value in values if value in range(1, 100))
    if not isinstance(outcome, Returned):
        return Wrong(str(right), shown(outcome))
    seen: Mapping[str, Any] = outcome.value  # type: ignore[assignment]
    where = difference(right, seen["result"])
    if where is not None:
        return Wrong(str(right), shown(Returned(seen["result"], {})))
    if seen["calls"]:
        calls = f"{seen['calls']} {'call' if seen['calls'] == 1 else 'calls'}"
        return Wrong("no call", calls, "A call hides the instructions it runs.")
    most = int(_SHARE * seen["given"])
    if case.part == "fewer" and seen["instructions"] > most:
        return Wrong(
            f"at most {most} instructions, three quarters of the {seen['given']} of `given`",
            f"the right sum with {seen['instructions']} instructions",
        )
    return None


def _symptom(case: Case, outcome: Outcome) -> object:
    """Return the result and whether anything was called: every way takes its own number."""
    if isinstance(outcome, Returned) and isinstance(outcome.value, dict):
        return [outcome.value["result"], bool(outcome.value["calls"])]
    return symptom(case, outcome)


FEWER_INSTRUCTIONS = Exercise(
    lab="02",
    number=3,
    name="fewer_instructions",
    parts={"right": 1, "fewer": 2},
    cases=_fewer_cases,
    judge=_judge_fewer,
    symptom=_symptom,
    observe=counted,
    hints=(
        "`disassemble(given)`: how many instructions does each `values[index]` take, and how many "
        "times does a turn execute it?",
        "A `for` loop can hand you the values themselves; a branch that adds 0 can go.",
    ),
    forbids=Forbidden(
        names=("eval", "exec", "compile"), why="The point is what your own function executes."
    ),
)
