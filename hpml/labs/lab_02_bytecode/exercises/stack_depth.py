"""Exercise 02.2: how deep a stack the instructions need."""

from __future__ import annotations

import random

from hpml.course.exercises.exercise import Case, Exercise
from hpml.course.exercises.outcomes import NoAnswer, Outcome, Raised, symptom
from hpml.course.exercises.same import expect

__all__ = ["MAX_STACK_DEPTH"]

Effect = tuple[int, "int | None", bool]


def _graph(case: Case) -> list[Effect]:
    return list(case.data["instructions"])  # type: ignore[call-overload, no-any-return]


def _deepest(case: Case) -> int:
    """Return the deepest stack by trying, round after round, every step that is possible.

    No order and no list of work: all instructions are looked at as often as there are any.
    """
    instructions = _graph(case)
    before: dict[int, int] = {0: 0} if instructions else {}
    for _ in instructions:
        for index, depth in list(before.items()):
            for following in _following(index, instructions[index]):
                before[following] = depth + instructions[index][0]
    after = [depth + instructions[index][0] for index, depth in before.items()]
    return max([0, *before.values(), *after])


def _following(index: int, instruction: Effect) -> list[int]:
    _, target, falls = instruction
    return ([] if target is None else [target]) + ([index + 1] if falls else [])


def _depth_cases(generator: random.Random, more: bool) -> list[Case]:
    def case(name: str, instructions: list[Effect], part: str = "right") -> Case:
        return Case(name, {"instructions": instructions}, part)

    push: Effect = (1, None, True)
    pop: Effect = (-1, None, True)
    leave: Effect = (-1, None, False)
    cases = [
        case("the slide: d = a + b * c", [push, push, push, pop, pop, pop, push, leave]),
        case("one value returned", [push, leave]),
        case(
            "a branch: the deeper side is jumped to",
            [push, (-1, 4, True), push, leave, push, push, (-2, None, False)],
        ),
        case("a loop", [push, (1, 4, True), pop, (0, 1, False), (-2, None, False)], "jumps"),
        case(
            "what is never reached does not count",
            [push, leave, push, push, (-2, None, False)],
            "jumps",
        ),
    ]
    for number in range(25 if more else 3):
        size = generator.randint(4, 40 if more else 10)
        program = _random_effects(generator, size)
        cases.append(case(f"random program {number + 1}", program, "jumps"))
    return cases


def _random_effects(generator: random.Random, size: int) -> list[Effect]:
    """Return instructions whose depth is the same whichever way each is reached."""
    depth = [0] + [generator.randint(0, 4) for _ in range(size)]
    if generator.random() < 0.5:
        # A deep place that only a jump reaches, or nothing at all.
        depth[generator.randrange(1, size)] += 6
    instructions: list[Effect] = []
    for index in range(size):
        targets = [place for place in range(size) if place != index]
        kind = generator.random()
        if index == size - 1 or kind < 0.15:
            instructions.append((-depth[index], None, False))  # return
        elif kind < 0.3:
            target = generator.choice(targets)  # a jump that is always taken
            instructions.append((depth[target] - depth[index], target, False))
        else:
            fitting = [place for place in targets if depth[place] == depth[index + 1]]
            branches = bool(fitting) and kind < 0.6
            target_or_none = generator.choice(fitting) if branches else None
            instructions.append((depth[index + 1] - depth[index], target_or_none, True))
    return instructions


def _symptom(case: Case, outcome: Outcome) -> object:
    """Return what came; going round a loop ends in one of several ways."""
    if isinstance(outcome, NoAnswer) or (
        isinstance(outcome, Raised) and outcome.type in ("RecursionError", "MemoryError")
    ):
        return "never ends"
    return symptom(case, outcome)


MAX_STACK_DEPTH = Exercise(
    lab="02",
    number=2,
    name="max_stack_depth",
    parts={"right": 1, "jumps": 2},
    cases=_depth_cases,
    judge=expect(_deepest),
    symptom=_symptom,
    hints=(
        "Write the depth before each instruction beside the listing, beginning with 0 at the top.",
        "Keep a list of (instruction, depth) still to be visited, and a dictionary of those that "
        "were.",
    ),
    seconds=1.0,
)
