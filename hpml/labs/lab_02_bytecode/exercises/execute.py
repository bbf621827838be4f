"""Exercise 02.1: the slide's stack machine."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hpml.course.exercises.exercise import Case, Exercise, Misconception, Wrong
from hpml.course.exercises.outcomes import Outcome, Raised, Returned
from hpml.course.exercises.same import difference, expect, shown

__all__ = ["EXECUTE"]

_ARITHMETIC = ("BINARY_ADD", "BINARY_SUBTRACT", "BINARY_MULTIPLY")
_SIGNS = {"BINARY_ADD": "+", "BINARY_SUBTRACT": "-", "BINARY_MULTIPLY": "*"}
_MADE: Mapping[str, Callable[[Any, Any], Any]] = {
    "BINARY_ADD": operator.add,
    "BINARY_SUBTRACT": operator.sub,
    "BINARY_MULTIPLY": operator.mul,
}

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


def _with_operands_swapped(case: Case, outcome: Outcome) -> bool:
    instructions, values = _program(case)
    if not isinstance(outcome, Returned):
        return False
    slots, stack = list(values), []
    for opname, arg in instructions:
        if opname == "LOAD_FAST":
            stack.append(slots[arg or 0])
        elif opname == "STORE_FAST":
            slots[arg or 0] = stack.pop()
        else:
            first, second = stack.pop(), stack.pop()
            stack.append(_MADE[opname](first, second))
    return difference(slots, outcome.value) is None


def _as_a_queue(case: Case, outcome: Outcome) -> bool:
    # Taking from the wrong end goes wrong as soon as two values wait, and in no single way.
    instructions, values = _program(case)
    slots, queue = list(values), []
    try:
        for opname, arg in instructions:
            if opname == "LOAD_FAST":
                queue.append(slots[arg or 0])
            elif opname == "STORE_FAST":
                slots[arg or 0] = queue.pop(0)
            else:
                first, second = queue.pop(0), queue.pop(0)
                queue.append(_MADE[opname](first, second))
    except TypeError:  # None and numbers met
        return isinstance(outcome, Raised) and outcome.type == "TypeError"
    return isinstance(outcome, Returned) and difference(slots, outcome.value) is None


def _left_on_the_stack(case: Case, outcome: Outcome) -> bool:
    # Where the stack is empty after every store, nothing is to be seen of it.
    instructions, values = _program(case)
    slots, stack = list(values), []
    for opname, arg in instructions:
        if opname == "LOAD_FAST":
            stack.append(slots[arg or 0])
        elif opname == "STORE_FAST":
            slots[arg or 0] = stack[-1]
        else:
            stack[-2:] = [_MADE[opname](*stack[-2:])]
    return isinstance(outcome, Returned) and difference(slots, outcome.value) is None


def _changed_values(case: Case, outcome: Outcome) -> bool:
    return isinstance(outcome, Returned) and "values" in outcome.changed


def _passed_over(case: Case, outcome: Outcome) -> bool:
    return case.part == "unknown" and not (
        isinstance(outcome, Raised) and "ValueError" in outcome.bases
    )


EXECUTE = Exercise(
    lab="02",
    number=1,
    name="execute",
    statement="Execute the instructions on a stack that is empty at first and return the values "
    "array as it is at the end, as a new list. `LOAD_FAST i` pushes `values[i]`, `STORE_FAST i` "
    "pops into `values[i]`; `BINARY_ADD`, `BINARY_SUBTRACT` and `BINARY_MULTIPLY` pop the right "
    "operand, then the left one, and push the result. Any other name raises `ValueError` with the "
    "name in its message.",
    signature="execute(instructions: list[tuple[str, int | None]], values: list) -> list",
    example="execute([('LOAD_FAST', 0), ('LOAD_FAST', 1), ('BINARY_SUBTRACT', None), "
    "('STORE_FAST', 2)], [10, 3, None])",
    shows="[10, 3, 7]",
    parts={"right": 2, "unknown": 1},
    cases=_execute_cases,
    judge=_judge_execute,
    misconceptions=(
        Misconception(
            "operands_swapped",
            "The operands are swapped: what was pushed last is popped first, and it is the right "
            "operand. Addition does not notice; subtraction does.",
            _with_operands_swapped,
        ),
        Misconception(
            "first_in_first_out",
            "It takes from the wrong end: a stack gives back what was pushed last.",
            _as_a_queue,
        ),
        Misconception(
            "store_leaves_the_value",
            "`STORE_FAST` copies the value and leaves it on the stack, where the next instruction "
            "takes it for its own. To pop is to take away.",
            _left_on_the_stack,
        ),
        Misconception(
            "changes_values",
            "It writes into the caller's `values`. The array belongs to the caller: begin with a "
            "copy.",
            _changed_values,
        ),
        Misconception(
            "unknown_passed_over",
            "An instruction that the machine does not know is not refused. A machine that goes on "
            "gives a wrong answer, or fails somewhere else for a reason that nobody understands: "
            "look at the name first, and raise `ValueError` with it.",
            _passed_over,
        ),
    ),
    hints=(
        "Go through the slide's program with pencil and paper: write the stack after each "
        "instruction.",
        "`list.append` pushes and `list.pop` pops; the first value popped is the right operand.",
    ),
)
