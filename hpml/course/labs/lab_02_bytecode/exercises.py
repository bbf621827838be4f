"""The exercises of lab 02: the slide's stack machine, its stack depth, fewer instructions."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Mapping
from typing import Any

from hpml.course.labs.lab_02_bytecode.harness import counted
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.lesson.exercises.outcomes import Outcome, Raised, entry, observed, symptom
from hpml.course.lesson.exercises.same import expect

Instruction = tuple[str, "int | None"]

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
_COUNT_UP = "l2 l0 < f13 l1 l2 + s1 l2 c1 + s2 j0"
_PROGRAMS: tuple[tuple[str, str, list[Any], str], ...] = (
    ("the slide: d = a + b * c", "l0 l1 l2 * + s3", [2, 3, 4, None], "right"),
    ("c = a - b", "l0 l1 - s2", [10, 3, None], "right"),
    ("a, b = b, a", "l1 l0 s1 s0", [1, 2], "right"),
    ("a sum on top of a value that waits", "l0 l1 l2 + - s0", [10, 3, 4], "right"),
    ("a product on top of a value that waits", "l0 l1 l2 * - s0", [10, 3, 4], "right"),
    ("texts are added in order", "l0 l1 + s2", ["stack", "machine", None], "right"),
    ("lists are added into a new one", "l0 l1 + s2", [[1], [2], None], "right"),
    ("a constant", "c1 c0 s0 s1", [7, 7], "right"),
    ("a constant that is None", "c s0", [7], "right"),
    ("less", "l0 l1 < s2", [1, 2, None], "right"),
    ("not less", "l0 l1 < s2", [2, 2, None], "right"),
    ("nothing to do", "", [5], "right"),
    ("a jump over an instruction", "c1 j3 c2 s0", [0], "jumps"),
    ("false jumps, and is popped", "c7 c0 f4 c8 s0", [None], "jumps"),
    ("true goes on, and is popped", "c7 c3 f5 s0 j6 s1", [None, None], "jumps"),
    ("None is false", _IS_FALSE, [None, 0], "jumps"),
    ("an empty text is false", _IS_FALSE, ["", 0], "jumps"),
    ("an empty list is false", _IS_FALSE, [[], 0], "jumps"),
    ("a list of a 0 is true", _IS_FALSE, [[0], 0], "jumps"),
    ("a loop", _COUNT_UP, [5, 0, 0], "jumps"),
    ("a loop of 1,500 iterations", _COUNT_UP, [1_500, 0, 0], "jumps"),
    ("a loop that is left at once", _COUNT_UP, [0, 0, 0], "jumps"),
    ("a jump past the last instruction", "j3 c1 s0", [4], "jumps"),
    ("an instruction that is not in the table", "l0 BINARY_POWER s0", [2], "unknown"),
    ("another that loads", "LOAD_GLOBAL s0", [2], "unknown"),
    ("another that stores", "l0 STORE_NAME", [2], "unknown"),
    ("another that jumps", "JUMP_BACKWARD", [2], "unknown"),
    ("another that jumps if", "l0 POP_JUMP_IF_TRUE", [0], "unknown"),
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


def _execute_symptom(case: Case, outcome: Outcome) -> object:
    """Return the usual symptom; for an unknown instruction, whether a ValueError named it."""
    if case.part == "unknown":
        if not isinstance(outcome, Raised) or "ValueError" not in outcome.bases:
            return "no ValueError"
        return any(name in outcome.message for name, _ in case.data["instructions"])
    return symptom(case, outcome)


_EXECUTE = Exercise(
    name="execute",
    parts={"right": 1, "jumps": 1, "unknown": 1},
    cases=_execute_cases,
    judge=expect(lambda case: values_after(**case.data)),
    symptom=_execute_symptom,
)


Effect = tuple[int, "int | None", bool]


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
    ]
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
    parts={"right": 1, "jumps": 2},
    cases=_depth_cases,
    judge=expect(_deepest),
    core=False,
    seconds=1.0,
)


_SHARE = 0.875


def _fewer_cases(generator: random.Random, more: bool) -> list[Case]:
    def mixed(size: int) -> list[int]:
        half = [generator.randint(1, 99) for _ in range(size // 2)]
        outside = [generator.choice((-1, 1)) * generator.randint(100, 200) for _ in half]
        values = half + outside
        generator.shuffle(values)
        return values

    tried = {
        "four values": [3, -1, 2, 100],
        "the borders": [0, 1, 100, 99],
        "nothing": [],
        "all of them outside": [-5, 250, -7],
        "a few drawn values": mixed(6),
    }
    long = {f"random values {n}": mixed(2 * generator.randint(20, 60))
            for n in range(1, 11 if more else 3)}  # fmt: skip
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
        return Wrong("no call", f"calls: {seen['calls']}", "A call hides the instructions it runs.")
    most = int(_SHARE * seen["given"])
    if case.part == "fewer" and seen["instructions"] > most:
        return Wrong(
            f"at most {most} instructions, seven eighths of `given`'s {seen['given']}",
            f"the right sum with {seen['instructions']} instructions",
        )
    return None


def _fewer_symptom(case: Case, outcome: Outcome) -> object:
    """Return the result and whether anything was called, without the number of instructions."""
    seen = observed(outcome)
    return [symptom(case, entry(outcome, "result")), seen is not None and bool(seen["calls"])]


_FEWER_INSTRUCTIONS = Exercise(
    name="fewer_instructions",
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
