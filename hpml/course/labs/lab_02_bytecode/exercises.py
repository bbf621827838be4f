"""The exercises of lab 02: the slide's stack machine, its stack depth, fewer instructions."""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable, Mapping
from typing import Any

from hpml.course.labs.lab_02_bytecode.harness import counted, result_and_new
from hpml.course.lesson.exercises.edges import FALSE, TRUE, around
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.lesson.exercises.outcomes import Outcome, Raised, entry, observed, symptom
from hpml.course.lesson.exercises.same import expect

Instruction = tuple[str, Any]

OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "BINARY_ADD": operator.add,
    "BINARY_SUBTRACT": operator.sub,
    "BINARY_MULTIPLY": operator.mul,
    "COMPARE_LESS": operator.lt,
}


def values_after(instructions: list[Instruction], values: list[Any]) -> list[Any]:
    """Return the values array after a program of the slide's instructions."""
    place, stack, slots = 0, list[Any](), list(values)
    while place < len(instructions):
        name, arg = instructions[place]
        index = arg or 0
        place += 1
        if name == "LOAD_FAST":
            stack.append(slots[index])
        elif name == "LOAD_CONST":
            stack.append(arg)
        elif name == "STORE_FAST":
            slots[index] = stack.pop()
        elif name == "JUMP":
            place = index
        elif name == "POP_JUMP_IF_FALSE":
            place = place if stack.pop() else index
        elif name in OPERATORS:
            *stack, left, right = stack
            stack.append(OPERATORS[name](left, right))
        else:
            raise ValueError(name)
    return slots


_SHORT = {
    "l": "LOAD_FAST",
    "c": "LOAD_CONST",
    "s": "STORE_FAST",
    "j": "JUMP",
    "f": "POP_JUMP_IF_FALSE",
    "+": "BINARY_ADD",
    "-": "BINARY_SUBTRACT",
    "*": "BINARY_MULTIPLY",
    "<": "COMPARE_LESS",
}


def program(text: str) -> list[Instruction]:
    """Return instructions from a text such as ``"l0 l1 + s2 j0"`` or ``"BINARY_POWER"``."""
    found: list[Instruction] = []
    for word in text.split():
        name, number = (word[0], word[1:]) if word[0] in _SHORT else (word, "0")
        found.append((_SHORT.get(name, name), int(number) if number else None))
    return found


_IS_FALSE = "c7 l0 f4 c8 s1"
_STEPS = 1_500  # more than Python's limit of calls within calls
_COUNT_UP = "l2 l0 < f13 l1 l2 + s1 l2 c1 + s2 j0"
_PROGRAMS: tuple[tuple[str, str, list[Any], str], ...] = (
    ("the slide: d = a + b * c", "l0 l1 l2 * + s3", [2, 3, 4, None], "right"),
    ("c = a - b", "l0 l1 - s2", [10, 3, None], "right"),
    ("a, b = b, a", "l1 l0 s1 s0", [1, 2], "right"),
    ("a sum on top of a value that waits", "l0 l1 l2 + - s0", [10, 3, 4], "right"),
    ("a product on top of a value that waits", "l0 l1 l2 * - s0", [10, 3, 4], "right"),
    ("texts are added in order", "l0 l1 + s2", ["stack", "machine", None], "right"),
    ("lists are added into a new one", "l0 l1 + s2", [[1], [2], None], "right"),
    ("a list is repeated in a new one", "l0 l1 * s2", [[1], 3, None], "right"),
    ("a set is made smaller in a new one", "l0 l1 - s2", [{1, 2}, {2}, None], "right"),
    ("nothing is stored", "l0 l1 + s1", [0, 5], "right"),
    ("a product of two floats", "l0 l1 * s2", [1e-300, 0.5, None], "right"),
    ("sets of which neither is less", "l0 l1 < s2", [{1}, {2}, None], "right"),
    ("not a number is not less", "l0 l1 < s2", [math.nan, 1.0, None], "right"),
    ("not less, but more", "l0 l1 < s2", [3, 2, None], "right"),
    ("a value stored twice", "l0 s1 l1 s2", [[1], None, None], "right"),
    ("a constant", "c1 c0 s0 s1", [7, 7], "right"),
    ("a constant that is None", "c s0", [7], "right"),
    ("less", "l0 l1 < s2", [1, 2, None], "right"),
    ("not less", "l0 l1 < s2", [2, 2, None], "right"),
    ("nothing to do", "", [5], "right"),
    ("a jump over an instruction", "c1 j3 c2 s0", [0], "jumps"),
    ("false jumps, and is popped", "c7 c0 f4 c8 s0", [None], "jumps"),
    ("true goes on, and is popped", "c7 c3 f5 s0 j6 s1", [None, None], "jumps"),
    *((f"{value!r} is false", _IS_FALSE, [value, 0], "jumps") for value in FALSE),
    *((f"{value!r} is true", _IS_FALSE, [value, 0], "jumps") for value in TRUE),
    ("a loop", _COUNT_UP, [5, 0, 0], "jumps"),
    ("a loop that is left at once", _COUNT_UP, [0, 0, 0], "jumps"),
    ("a jump past the last instruction", "j3 c1 s0", [4], "jumps"),
    ("an instruction that is not in the table", "l0 BINARY_POWER s0", [2], "unknown"),
    ("another that loads", "LOAD_GLOBAL s0", [2], "unknown"),
    ("another that stores", "l0 STORE_NAME", [2], "unknown"),
    ("another that jumps", "JUMP_BACKWARD", [2], "unknown"),
    ("another that jumps if", "l0 POP_JUMP_IF_TRUE", [0], "unknown"),
    *(
        (f"{name} is another instruction", f"l0 {name} s0", [2], "unknown")
        for name in (
            "LOAD_FAST_CHECK",
            "LOAD_FAST_LOAD_FAST",
            "LOAD_CONSTANT",
            "BINARY_ADD_INT",
            "BINARY",
            "COMPARE_LESS_EQUAL",
            "COMPARE",
            "POP_JUMP_IF_FALSE_FAR",
            "JUMP_FORWARD",
            "BINARY_OP",
            "STORE_FAST_LOAD_FAST",
            "POP_TOP",
            "POP_JUMP",
            "BINARY_add",
        )
    ),
    ("one that is never reached", "j2 NO_SUCH_THING l0 s1", [1, 2], "unknown"),
)


def _execute_cases(generator: random.Random, more: bool) -> list[Case]:
    tried = [(name, (program(text), values), part) for name, text, values, part in _PROGRAMS]
    for number in range(1, 31 if more else 4):
        tried.append((f"random program {number}", _random_program(generator), "right"))
    for number in range(1, 9 if more else 2):
        tried.append((f"random loop {number}", _random_loop(generator), "jumps"))
    for number in range(1, 4 if more else 2):
        name = generator.choice(("BINARY", "LOAD", "STORE")) + f"_{generator.randint(100, 999)}"
        instructions, values = program(f"l0 l0 {name} s0"), [generator.randint(0, 9)]
        tried.append((f"a made-up name {number}", (instructions, values), "unknown"))
    for constant in ([generator.randint(1, 9)], "text", (None,)):
        instructions = [("LOAD_CONST", constant), *program("s0 l0 l1 * s2")]
        slots: list[Any] = [None, generator.randint(2, 4), None]
        tried.append((f"the constant {constant!r}", (instructions, slots), "right"))
    for steps in (_STEPS // 10, _STEPS):
        tried.append(
            (f"a loop of {steps:,} iterations", (program(_COUNT_UP), [steps, 0, 0]), "jumps")
        )
    return [
        Case(name, {"instructions": instructions, "values": values}, part)
        for name, (instructions, values), part in tried
    ]


def _random_program(generator: random.Random) -> tuple[list[Instruction], list[Any]]:
    values = [generator.randint(-9, 9) for _ in range(generator.randint(2, 6))]
    instructions: list[Instruction] = []
    for _ in range(generator.randint(1, 4)):
        depth, loads = 0, generator.randint(2, 5)
        while loads or depth > 1:
            if depth < 2 or (loads and generator.random() < 0.5):
                instructions.append(("LOAD_FAST", generator.randrange(len(values))))
                depth, loads = depth + 1, loads - 1
            else:
                instructions.append((generator.choice(list(OPERATORS)), None))
                depth -= 1
        instructions.append(("STORE_FAST", generator.randrange(len(values))))
    return instructions, values


def _random_loop(generator: random.Random) -> tuple[list[Instruction], list[Any]]:
    """Return a loop that counts up and takes one of two branches in each iteration."""
    one, other = generator.sample("+-*", 2)
    limit, step = generator.randint(2, 6), generator.randint(1, 3)
    middle = generator.randint(1, limit)
    text = (
        f"l1 c{limit} < f21 l1 c{middle} < f12 l0 l1 {one} j15 l0 c2 {other} s0 l1 c{step} + s1 j0"
    )
    return program(text), [generator.randint(-9, 9), 0]


_right_values = expect(lambda case: values_after(**case.data))


def _judge_execute(case: Case, outcome: Outcome) -> Wrong | None:
    wrong, found = _right_values(case, entry(outcome, "result")), observed(outcome)
    if wrong is None and found is not None and found["new"] is not True:
        return Wrong("a new list", "the list `values` of the caller", "The values are right.")
    return wrong


def _execute_symptom(case: Case, outcome: Outcome) -> object:
    """Return the usual symptom; for an unknown instruction, whether a ValueError named it."""
    if case.part == "unknown":
        if not isinstance(outcome, Raised) or "ValueError" not in outcome.bases:
            return "no ValueError"
        return any(name in outcome.message for name, _ in case.data["instructions"])
    return symptom(case, outcome)


_EXECUTE = Exercise(
    name="execute",
    minutes=12,
    parts={"right": 1, "jumps": 1, "unknown": 1},
    cases=_execute_cases,
    judge=_judge_execute,
    symptom=_execute_symptom,
    observe=result_and_new,
)


Effect = tuple[int, "int | None", bool]
_MOST = 500  # instructions, as the statement says


def _deepest(case: Case) -> int:
    """Return the largest stack depth by propagating depths to all successors to a fixed point."""
    instructions: list[Effect] = case.data["instructions"]
    before: dict[int, int] = {0: 0} if instructions else {}
    deepest = 0
    for _ in instructions:
        for index, depth in list(before.items()):
            effect, target, falls = instructions[index]
            deepest = max(deepest, depth, depth + effect)
            for following in (target, index + 1 if falls else None):
                if following is not None:
                    before[following] = depth + effect
    return deepest


def _depth_cases(generator: random.Random, more: bool) -> list[Case]:
    push: Effect = (1, None, True)
    pop: Effect = (-1, None, True)
    leave: Effect = (-1, None, False)
    last: Effect = (-2, None, False)
    pushes = generator.randint(3, 9)
    tried: list[tuple[str, list[Effect], str]] = [
        ("the slide: d = a + b * c", [*[push] * 3, *[pop] * 3, push, leave], "right"),
        ("one value returned", [push, leave], "right"),
        ("nothing at all", [], "right"),
        ("the last instruction goes deepest", [push, (3, None, False)], "right"),
        ("a drawn stack", [*[push] * pushes, *[pop] * pushes, (0, None, False)], "right"),
        (
            "a branch: the deeper side is jumped to",
            [push, (-1, 4, True), push, leave, push, push, last],
            "right",
        ),
        ("a loop", [push, (1, 4, True), pop, (0, 1, False), last], "jumps"),
        ("what is never reached does not count", [push, leave, push, push, last], "jumps"),
        (
            "the deepest is reached by a jump back only",
            [(0, 4, False), push, push, last, (0, 1, False)],
            "jumps",
        ),
        (
            "reached by two jumps back",
            [(0, 6, False), push, push, last, push, (-1, 1, False), (0, 4, False)],
            "jumps",
        ),
        (
            "a branch: the deeper side falls through",
            [push, (-1, 5, True), push, push, last, push, leave],
            "right",
        ),
        ("a loop of one instruction", [push, (0, 1, True), leave], "jumps"),
        ("a jump that never falls through", [push, (0, 4, False), push, push, leave], "jumps"),
        ("many values at once", [(3, None, True), (5, None, True), (-8, None, False)], "right"),
        ("deep on the way, not at the end of a branch", [push, (1, 3, True), pop, last], "right"),
        ("returns at once", [(0, None, False)], "right"),
    ]
    for count in (_MOST // 10, _MOST):
        name = f"a chain of {count} instructions"
        tried.append((name, [*[push] * (count - 1), (1 - count, None, False)], "right"))
    for number in range(25 if more else 3):
        program = _random_effects(generator, generator.randint(4, 40 if more else 10))
        tried.append((f"random program {number + 1}", program, "jumps"))
    return [Case(name, {"instructions": program}, part) for name, program, part in tried]


def _random_effects(generator: random.Random, size: int) -> list[Effect]:
    """Return instructions whose stack depth does not depend on the path."""
    depth = [0] + [generator.randint(0, 4) for _ in range(size)]
    if generator.random() < 0.5:
        # A deep instruction that is unreachable, or reached by a jump only.
        depth[generator.randrange(1, size)] += 6
    instructions: list[Effect] = []
    for index in range(size):
        targets = [place for place in range(size) if place != index]
        kind = generator.random()
        if index == size - 1 or kind < 0.15:
            instructions.append((-depth[index], None, False))  # a return
        elif kind < 0.3:
            target = generator.choice(targets)  # an unconditional jump
            instructions.append((depth[target] - depth[index], target, False))
        else:
            fitting = [place for place in targets if depth[place] == depth[index + 1]]
            branches = bool(fitting) and kind < 0.6
            target_or_none = generator.choice(fitting) if branches else None
            instructions.append((depth[index + 1] - depth[index], target_or_none, True))
    return instructions


_MAX_STACK_DEPTH = Exercise(
    name="max_stack_depth",
    minutes=15,
    parts={"right": 1, "jumps": 2},
    cases=_depth_cases,
    judge=expect(_deepest),
    core=False,
    seconds=1.0,
)


_SHARE = 0.56
"""A loop over the values takes 62 to 70 % of `given`, by version; one with `in` at most 55 %."""


def _fewer_cases(generator: random.Random, more: bool) -> list[Case]:
    def mixed(size: int) -> list[int]:
        half = [generator.randint(1, 99) for _ in range(size // 2)]
        # As many above as below, since `given` needs fewer instructions for one below.
        outside = [(-1) ** k * generator.randint(100, 200) for k in range(len(half))]
        values = half + outside
        generator.shuffle(values)
        return values

    tried = {
        "four values": [3, -1, 2, 100],
        "the borders": [*around(0), *around(100)],
        "the upper border": [99],
        "the lower border": [1],
        "the same value twice": [5, 5, -5],
        "far outside": [10**20, -(10**20), 101, -1, 50],
        "nothing": [],
        "all of them outside": [-5, 250, -7],
        "a few drawn values": mixed(8),
    }
    long = {
        f"random values {n}": mixed(4 * generator.randint(20, 40))
        for n in range(1, 11 if more else 3)
    }
    return [
        Case(name, {"values": values}, part)
        for part, group in (("right", tried), ("fewer", long))
        for name, values in group.items()
    ]


_right_sum = expect(lambda case: sum(v**3 for v in case.data["values"] if v in range(1, 100)))


def _judge_fewer(case: Case, outcome: Outcome) -> Wrong | None:
    wrong, seen = _right_sum(case, entry(outcome, "result")), observed(outcome)
    if wrong is not None or seen is None:
        return wrong
    if seen["calls"]:
        received = f"calls and comprehensions: {seen['calls']}"
        return Wrong(
            "no call and no comprehension",
            received,
            "They hide instructions, or the work of C code.",
        )
    most = int(_SHARE * seen["given"])
    if case.part == "fewer" and seen["instructions"] > most:
        return Wrong(
            f"at most {most} instructions, 56 % of `given`'s {seen['given']}",
            f"the right sum with {seen['instructions']} instructions",
        )
    return None


def _fewer_symptom(case: Case, outcome: Outcome) -> object:
    """Return the result and whether anything was called, without the number of instructions."""
    seen = observed(outcome)
    return [symptom(case, entry(outcome, "result")), seen is not None and bool(seen["calls"])]


_FEWER_INSTRUCTIONS = Exercise(
    name="fewer_instructions",
    minutes=8,
    parts={"right": 1, "fewer": 2},
    cases=_fewer_cases,
    judge=_judge_fewer,
    symptom=_fewer_symptom,
    observe=counted,
    forbids=Forbidden(
        names=("eval", "exec", "compile"), why="The point is what your own function executes."
    ),
)


EXERCISES: tuple[Exercise, ...] = (_EXECUTE, _MAX_STACK_DEPTH, _FEWER_INSTRUCTIONS)
