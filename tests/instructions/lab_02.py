from __future__ import annotations

from typing import Any

from hpml.bytecode import disassemble
from hpml.widgets import stepper
from tests.causes.shown import OwnedBy
from tests.instructions.kinds import (
    ADVICE,
    CHALLENGED,
    EXPLAINED,
    NONE,
    Change,
    Followed,
    seen,
)

PRESSED = OwnedBy(
    "tests/browser/test_instructions.py", "test_after_a_click_on_the_stepper_the_right_arrow_steps"
)


def even_sum(n: int) -> int:
    """The function of section 4."""
    total = 0
    for i in range(n):
        if i % 2:
            continue
        total += i
    return total


def two_blocks_lead_to_two_others() -> None:
    """The ends of blocks that jump on a condition, and fall through otherwise."""
    forks = [
        each.opname
        for each in disassemble(even_sum).instructions
        if each.opname == "FOR_ITER" or ("JUMP" in each.opname and "IF" in each.opname)
    ]
    assert len(forks) == 2


def forever() -> int:
    n = 0
    while True:
        n += 1
        if n == 3:
            break
    return n


def nested(n: int) -> int:
    def inner(k: int) -> int:
        return k + n

    return inner(2)


def with_a_generator(n: int) -> list[int]:
    squares = (k * k for k in range(n))
    return list(squares)


def failing(n: int) -> float:
    return n / 0


def each_suggested_function_is_stepped_through() -> None:
    """`while True` with a `break`, a nested function, a generator in a list, one that fails."""
    suggested: dict[Any, tuple[Any, ...]] = {
        forever: (),
        nested: (3,),
        with_a_generator: (3,),
        failing: (1,),
    }
    for function, arguments in suggested.items():
        assert len(stepper(function, *arguments, title="Your function").keyframes) >= 5


FOLLOWED: Followed = {
    "Then step through the same function.": PRESSED,
    "Click on the stepper.": PRESSED,
    "Before each step, say what it will push and pop; then press the right arrow key.": PRESSED,
    "In the words of the lecture: read the next instruction; evaluate its *oparg* and *opcode*; "
    "switch to the C code that executes it.": NONE,
    "Find the jump that leads back.": seen("02-22", r"16 +JUMP +4"),
    "Find the two places where execution can continue in two ways.": (
        seen("02-26", r"even_sum: \d+ instructions in \d+ basic blocks"),
        two_blocks_lead_to_two_others,
    ),
    "Step through both functions.": seen("02-29", "double_square returns 35"),
    "Stop when `square` has just begun: how many values are on the stack that `square` uses?": seen(
        "02-29", "calls function square with 5: a new frame begins, with an empty stack"
    ),
    "Watch the stack when the division fails.": seen("02-32", "Zero ?Division", "emptied|handler"),
    "Write any function and call it.": each_suggested_function_is_stepped_through,
    "Once it passes, compare your result with the number that the compiler has stored.": seen(
        "02-39", r"double_square +(\d+) +\1\b", r"larger +(\d+) +\1\b"
    ),
    "Write a function that needs a stack of depth 10.": Change(
        "02-39",
        "    return a + (b * (a - b))  # change this line",
        "    return (a, a, a, a, a, a, a, a, a, b)",
        r"deep +10 +10",
    ),
    "Try methods (`x.copy()`), indices, calls, comparisons.": (
        Change(
            "02-48",
            "    return x[0] + x[1]  # change this line",
            "    return len(x.copy()) < x[0] + x[1]",
            "LOAD_GLOBAL_BUILTIN",
        ),
        Change("02-48", "    return x[0] + x[1]  # change this line", "    return x[-1]"),
    ),
    "It describes one compiler; compare counts only within one version.": ADVICE,
    "So: count to understand *what* is done, measure to know *how long* it takes.": ADVICE,
    "Then write `yours`: it returns the counts that `letters` returns, for any text, and is at "
    "least eight times as fast on this one.": CHALLENGED,
    "Write its number in place of `None` and run the cell.": EXPLAINED,
}
