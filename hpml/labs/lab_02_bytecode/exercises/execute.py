"""Exercise 02.1: the slide's stack machine."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from hpml.course.exercises.exercise import Case, Exercise, Wrong
from hpml.course.exercises.outcomes import Outcome, Raised, symptom
from hpml.course.exercises.same import expect, shown

__all__ = ["EXECUTE"]

_ARITHMETIC = ("BINARY_ADD", "BINARY_SUBTRACT", "BINARY_MULTIPLY")
_SIGNS = {"BINARY_ADD": "+", "BINARY_SUBTRACT": "-", "BINARY_MULTIPLY": "*"}

Instruction = tuple[str, "int | None"]


def _substituted(instructions: Sequence[Instruction], values: Sequence[Any]) -> list[Any]:
    """Compute what is stored by writing every expression out as text first, as algebra would.

    Nothing is pushed while numbers are known: an expression is a text over ``v[i]``, and evaluated
    when all of the texts are there.
    """
    slots = [f"v[{index}]" for index in range(len(values))]
    pending: tuple[str, ...] = ()
    for opname, arg in instructions:
        if opname == "LOAD_FAST" and arg is not None:
            pending = (*pending, slots[arg])
        elif opname == "STORE_FAST" and arg is not None:
            slots[arg] = pending[-1]
            pending = pending[:-1]
        elif opname in _SIGNS:
            pending = (*pending[:-2], f"({pending[-2]} {_SIGNS[opname]} {pending[-1]})")
        else:
            raise ValueError(opname)
    return [eval(text, {"__builtins__": {}}, {"v": list(values)}) for text in slots]


def _executed(case: Case) -> list[Any]:
    return _substituted(*_program(case))


def _program(case: Case) -> tuple[list[Instruction], list[Any]]:
    data: Mapping[str, Any] = case.data
    return data["instructions"], data["values"]


def _judge_execute(case: Case, outcome: Outcome) -> Wrong | None:
    unknown = [name for name, _ in _program(case)[0] if name not in (*_SIGNS, *_FAST)]
    if not unknown:
        return _expect_executed(case, outcome)
    expected = f"raises ValueError with {unknown[0]} in its message"
    if isinstance(outcome, Raised) and "ValueError" in outcome.bases:
        return None if unknown[0] in outcome.message else Wrong(expected, shown(outcome))
    return Wrong(expected, shown(outcome))


_FAST = ("LOAD_FAST", "STORE_FAST")
_expect_executed = expect(_executed)
_SLIDE: list[Instruction] = [
    ("LOAD_FAST", 0),
    ("LOAD_FAST", 1),
    ("LOAD_FAST", 2),
    ("BINARY_MULTIPLY", None),
    ("BINARY_ADD", None),
    ("STORE_FAST", 3),
]


def _execute_cases(generator: random.Random, more: bool) -> list[Case]:
    def case(name: str, instructions: list[Instruction], values: list[Any], part: str) -> Case:
        return Case(name, {"instructions": instructions, "values": values}, part)

    subtract: list[Instruction] = [
        ("LOAD_FAST", 0),
        ("LOAD_FAST", 1),
        ("BINARY_SUBTRACT", None),
        ("STORE_FAST", 2),
    ]
    unknown: list[Instruction] = [("LOAD_FAST", 0), ("BINARY_POWER", None), ("STORE_FAST", 0)]
    cases = [
        case("the slide: d = a + b * c", _SLIDE, [2, 3, 4, None], "right"),
        case("c = a - b", subtract, [10, 3, None], "right"),
        case(
            "a, b = b, a",
            [("LOAD_FAST", 1), ("LOAD_FAST", 0), ("STORE_FAST", 1), ("STORE_FAST", 0)],
            [1, 2],
            "right",
        ),
        case(
            "texts are added in order",
            [*subtract[:2], ("BINARY_ADD", None), ("STORE_FAST", 2)],
            ["stack", "machine", None],
            "right",
        ),
        case("nothing to do", [], [5], "right"),
        case("an instruction that is not in the table", unknown, [2], "unknown"),
    ]
    for number in range(30 if more else 3):
        cases.append(case(f"random program {number + 1}", *_random_program(generator), "right"))
    return cases


def _random_program(generator: random.Random) -> tuple[list[Instruction], list[Any]]:
    values = [generator.randint(-9, 9) for _ in range(generator.randint(2, 6))]
    instructions: list[Instruction] = []
    for _ in range(generator.randint(1, 4)):
        depth = 0
        for _ in range(generator.randint(2, 5)):
            instructions.append(("LOAD_FAST", generator.randrange(len(values))))
            depth += 1
            while depth > 1 and generator.random() < 0.5:
                instructions.append((generator.choice(_ARITHMETIC), None))
                depth -= 1
        while depth > 1:
            instructions.append((generator.choice(_ARITHMETIC), None))
            depth -= 1
        instructions.append(("STORE_FAST", generator.randrange(len(values))))
    return instructions, values


def _symptom(case: Case, outcome: Outcome) -> object:
    """Return what came; of an unknown instruction only whether it was refused."""
    if case.part == "unknown":
        return isinstance(outcome, Raised) and "ValueError" in outcome.bases
    return symptom(case, outcome)


EXECUTE = Exercise(
    lab="02",
    number=1,
    name="execute",
    parts={"right": 2, "unknown": 1},
    cases=_execute_cases,
    judge=_judge_execute,
    symptom=_symptom,
    hints=(
        "Go through the slide's program with pencil and paper: write the stack after each "
        "instruction.",
        "`list.append` pushes and `list.pop` pops; the first value popped is the right operand.",
    ),
)
