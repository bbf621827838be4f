"""The exercises of lab 02: the slide's stack machine, its stack depth, fewer instructions."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from hpml.course.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.exercises.outcomes import NoAnswer, Outcome, Raised, Returned, symptom
from hpml.course.exercises.same import difference, expect, shown
from hpml.labs.lab_02_bytecode.harness import GIVEN_BACK, counted, new_or_given_back
from hpml.labs.lab_02_bytecode.lecture_machine import OPERATORS, Instruction, State, after


def _executed(case: Case) -> list[Any]:
    data = case.data
    state: State = (0, (), tuple(data["values"]))
    while state[0] < len(data["instructions"]):
        state = after(data["instructions"][state[0]], state)
    return list(state[2])


def values_after(instructions: list[Instruction], values: list[Any]) -> list[Any]:
    """Return the values array after a program of the slide's instructions."""
    return _executed(Case("", {"instructions": instructions, "values": values}))


def _judge_execute(case: Case, outcome: Outcome) -> Wrong | None:
    if _given_back(outcome):
        return Wrong("a new list", "the very list that was passed as `values`")
    return expect(_executed)(case, outcome)


def _given_back(outcome: Outcome) -> bool:
    value = outcome.value if isinstance(outcome, Returned) else None
    return isinstance(value, dict) and GIVEN_BACK in value


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


def _program(text: str) -> list[Instruction]:
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
    def case(name: str, program: list[Instruction], values: list[Any], part: str) -> Case:
        return Case(name, {"instructions": program, "values": values}, part)

    cases = [case(name, _program(text), values, part) for name, text, values, part in _PROGRAMS]
    for number in range(1, 31 if more else 4):
        cases.append(case(f"random program {number}", *_random_program(generator), "right"))
    if more:
        name = f"BINARY_{''.join(generator.choices('AEIKLMNOPRST', k=6))}"
        cases.append(case("a drawn name", _program(f"l0 l0 {name} s0"), [2], "unknown"))
    for number in range(1, 9 if more else 2):
        cases.append(case(f"random loop {number}", *_random_loop(generator), "jumps"))
    for number in range(1, 4 if more else 2):
        name = generator.choice(("UNARY", "LOAD", "BUILD")) + f"_{generator.randint(100, 999)}"
        program = [("LOAD_FAST", 0), (name, None), ("STORE_FAST", 0)]
        cases.append(
            case(f"a made-up name {number}", program, [generator.randint(0, 9)], "unknown")
        )
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
                instructions.append((generator.choice(list(OPERATORS)), None))
                depth -= 1
        while depth > 1:
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
    return _program(text), [generator.randint(-9, 9), 0]


def _execute_symptom(case: Case, outcome: Outcome) -> object:
    """Return the usual symptom; for an unknown instruction, whether a ValueError named it."""
    if case.part == "unknown":
        if not isinstance(outcome, Raised) or "ValueError" not in outcome.bases:
            return "no ValueError"
        return any(name in outcome.message for name, _ in case.data["instructions"])
    if _given_back(outcome):
        return "given back"
    return symptom(case, outcome)


_EXECUTE = Exercise(
    name="execute",
    parts={"right": 1, "jumps": 1, "unknown": 1},
    cases=_execute_cases,
    judge=_judge_execute,
    symptom=_execute_symptom,
    observe=new_or_given_back,
)


Effect = tuple[int, "int | None", bool]


def _deepest(case: Case) -> int:
    """Return the largest stack depth by propagating depths to all successors to a fixed point."""
    instructions: list[Effect] = case.data["instructions"]
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
        case("nothing at all", []),
        case("the last instruction goes deepest", [push, (3, None, False)]),
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
    if more:
        pushes = generator.randint(3, 9)
        cases.append(case("a drawn stack", [*[push] * pushes, *[pop] * pushes, (0, None, False)]))
    for number in range(25 if more else 3):
        size = generator.randint(4, 40 if more else 10)
        program = _random_effects(generator, size)
        cases.append(case(f"random program {number + 1}", program, "jumps"))
    return cases


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


def _depth_symptom(case: Case, outcome: Outcome) -> object:
    """Return the usual symptom, but the same one for every way to fail in an endless loop."""
    if isinstance(outcome, NoAnswer) or (
        isinstance(outcome, Raised) and outcome.type in ("RecursionError", "MemoryError")
    ):
        return "never ends"
    return symptom(case, outcome)


_MAX_STACK_DEPTH = Exercise(
    name="max_stack_depth",
    parts={"right": 1, "jumps": 2},
    cases=_depth_cases,
    judge=expect(_deepest),
    symptom=_depth_symptom,
    core=False,
    seconds=1.0,
)


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
    if more:
        cases.append(Case("a few drawn values", {"values": mixed(6)}))
    for number in range(10 if more else 1):
        values = mixed(2 * generator.randint(30, 60))
        cases.append(Case(f"random values {number + 1}", {"values": values}, "fewer"))
    return cases


def _judge_fewer(case: Case, outcome: Outcome) -> Wrong | None:
    right = sum(value**3 for value in case.data["values"] if value in range(1, 100))
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
            f"at most {most} instructions, three quarters of `given`'s {seen['given']}",
            f"the right sum with {seen['instructions']} instructions",
        )
    return None


def _fewer_symptom(case: Case, outcome: Outcome) -> object:
    """Return the result and whether anything was called, without the number of instructions."""
    if isinstance(outcome, Returned) and isinstance(outcome.value, dict):
        seen = outcome.value
        return [seen["result"], bool(seen["calls"]), sorted(outcome.changed)]
    return symptom(case, outcome)


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
