from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest

from hpml.widgets import stepper
from tests.bytecode.cases import from_text


def said(body: str, **names: Any) -> list[str]:
    """Return the sentences of a function's body."""
    text = f"def program({', '.join(names)}):\n{textwrap.indent(body, '    ')}\n"
    return [keyframe.line for keyframe in stepper(from_text(text, "<body>"), **names).keyframes]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("y = x * 3", r"BINARY_OP \* takes 2 and 3 off the stack and pushes 6\."),
        ("x += 3", r"BINARY_OP \+= takes 2 and 3 off the stack and pushes 5\."),
        ("y = x", r"LOAD_FAST x reads x \(index 0 of the values array\) and pushes 2\."),
        ("y = 7.5", r"LOAD_CONST 7\.5 pushes the constant 7\.5\."),
        ("y = 7", r"LOAD_(CONST|SMALL_INT) 7 pushes (the constant )?7\."),
        ("y = 7", r"STORE_FAST y takes 7 off the stack and stores it in y \(index 1 .*\)\."),
        ("y = len", r"LOAD_GLOBAL len looks up the name len and pushes builtin len"),
        ("y = x.real", r"LOAD_ATTR real looks up real of 2 and pushes 2\."),
        ("y = [x, x]", r"BUILD_LIST 2 takes 2 and 2 off the stack and pushes \[2, 2\]\."),
        ("y = [[]]; y[0] = x", r"takes all three off the stack and stores 2 in \[\[\]\] at 0\."),
        ("a, b = x, 3; a, b = [a, b]", r"takes \[2, 3\] off the stack and pushes 3 and 2\."),
        ("y = abs(x)", r"CALL 1 calls builtin abs with 2 and pushes the returned value, 2\."),
        ("abs(x)", r"POP_TOP discards 2\."),
        ("y = 1 if x > 9 else 0", r"takes False off the stack; it is not true: jumps to \d+\."),
        ("y = 1 if x < 9 else 0", r"takes True off the stack; it is true: no jump\."),
        ("y = 1 if x is None else 0", r"takes 2 off the stack; it is not None: jumps to \d+\."),
        ("while x: x -= 1", r"it is true: jumps back to \d+\.|jumps back to \d+\."),
        ("for y in [x]: pass", r"asks the iterator for its next value and pushes 2\."),
        ("for y in [x]: pass", r"it is exhausted: jumps to \d+\."),
        ("for y in [x]: pass", r"GET_ITER takes .* off the stack and pushes an iterator over it"
                                 r"|GET_ITER 0 adds the index of the next item, 0\."),
        ("for y in {x}: pass", r"GET_ITER.* takes .* off the stack and pushes an iterator over it"),
        ("y = x < 3 < 9", r"COPY 2 pushes 3 a second time\."),
        ("y = z = x", r"pushes 2 a second time\.|STORE_FAST_"),
        ("y = [n for n in [x]]", r"LIST_APPEND \d takes 2 off the stack and appends it to the "),
        ("y = x; del y", r"DELETE_FAST y deletes y\."),
        ("y = lambda: x", r"MAKE_CELL x puts x into a cell, which inner functions can share\."),
        ("y = lambda: x", r"LOAD_CONST <code <lambda>> pushes the constant code <lambda>\."),
        ("return x", r"RETURN_VALUE takes 2 off the stack: program returns 2\."),
        ("yield x", r"creates generator program; none of its lines has run yet\."),
        ("y = x / 0", r"BINARY_OP / raises ZeroDivisionError: division by zero"
                      r"; nothing here catches it: it leaves program\."),
        ("raise KeyError(x)", r"RAISE_VARARGS 1 raises KeyError: 2;"),
        ("assert x > 5, 'small'", r"raises AssertionError: small; nothing here catches it"),
        ("try: x / 0\nexcept ZeroDivisionError: x = 1",
         r"raises ZeroDivisionError: division by zero; caught: the exception table leads to \d+\."),
        ("try: x / 0\nexcept ZeroDivisionError: x = 1",
         r"tests whether .* matches class ZeroDivisionError and pushes the answer, True\."),
        ("try: x / 0\nexcept ZeroDivisionError: x = 1", r"POP_EXCEPT ends the handling"),
        ("try: x / 0\nexcept ZeroDivisionError: x = 1", r"PUSH_EXC_INFO makes ZeroDivisionError"),
        ("try: x / 0\nfinally: x = 1",
         r"RERAISE 0 raises .* again; caught: the exception table leads to \d+\."),
        ("class P:\n    def __init__(self): self.x = 1\nP()",
         r"Back in program: CALL 0 pushes the new object, .*P object\."),
    ],
)  # fmt: skip
def test_each_family_of_instructions_is_said_in_words(body: str, sentence: str) -> None:
    lines = said(body, x=2)
    assert [line for line in lines if re.search(sentence, line)], "\n".join(lines)


class Weight:
    def __init__(self, kilos: int) -> None:
        self.kilos = kilos

    def __add__(self, other: Weight) -> Weight:
        return Weight(self.kilos + other.kilos)

    def __enter__(self) -> int:
        return self.kilos

    def __exit__(self, *_: object) -> None: ...


def test_special_methods_that_cpython_runs_are_named() -> None:
    animation = stepper(lambda: (Weight(1) + Weight(2)).kilos)
    (added,) = [frame.line for frame in animation.keyframes if "BINARY_OP" in frame.line]
    assert added.endswith("and CPython ran Weight.__add__ and Weight.__init__ here.")


def test_special_methods_of_a_with_statement_are_stepped_into() -> None:
    def program() -> int:
        with Weight(3) as kilos:
            return kilos

    animation = stepper(program)
    assert {"Weight.__enter__", "Weight.__exit__"} <= {
        event.step.function for event in animation.events
    }
    backs = [frame.line for frame in animation.keyframes if frame.line.startswith("Back in")]
    assert any("pushes the value returned by Weight.__enter__, 3" in line for line in backs)


def gen(n: int) -> Iterator[int]:
    for i in range(n):
        yield i + 0


def pair() -> list[int]:
    return [*gen(2)]


def outer() -> str:
    try:
        middle()
    except KeyError:
        return "caught"
    return "not"


def middle() -> None:
    inner()


def inner() -> None:
    raise KeyError("deep")


def square(n: int) -> int:
    return n * n


def down(n: int) -> int:
    return 0 if n == 0 else down(n - 1)


def test_the_value_of_a_call_arrives_in_an_event_of_its_own() -> None:
    animation = stepper(lambda: square(3) + 1)
    back = next(event for event in animation.events if event.kind == "back")
    assert back.stack == ("9",)
    assert back.new == {0}
    assert back.step.called == "square"
    before = animation.events[animation.events.index(back) - 1]
    assert [caller.function.endswith("<lambda>") for caller in before.callers] == [True]


def test_the_body_of_a_class_is_no_generator() -> None:
    def with_a_class() -> type:
        class Kept:
            y = 1

        return Kept

    lines = [keyframe.line for keyframe in stepper(with_a_class).keyframes]
    assert sum("runs the body of the class" in line for line in lines) == 1
    assert not any("runs a generator" in line for line in lines)


def test_a_generator_runs_between_being_asked_and_having_answered() -> None:
    animation = stepper(pair)
    lines = [keyframe.line for keyframe in animation.keyframes]
    asks = next(n for n, line in enumerate(lines) if "runs a generator" in line)
    hands = next(n for n, line in enumerate(lines) if "yields 0; gen is suspended" in line)
    assert asks < hands
    asked = animation.events[asks].step
    answers = [n for n, m in enumerate(animation.events) if m.step is asked and n != asks]
    assert len(answers) == 1
    assert answers[0] > hands
    assert animation.events[asks].stack == asked.stack_before
    assert animation.events[answers[0]].stack == asked.stack_after
    assert lines[-1] == "RETURN_VALUE takes [0, 1] off the stack: pair returns [0, 1]."


def test_an_exception_that_leaves_several_functions_names_them() -> None:
    animation = stepper(outer)
    raises = next(n for n, event in enumerate(animation.events) if event.raised is not None)
    assert "it leaves inner and middle; caught in outer" in animation.keyframes[raises].line
    lands = animation.events[raises + 1]
    assert (lands.kind, lands.step.function) == ("lands", "outer")
    assert lands.stack[-1] == "KeyError('deep')"
    assert animation.events[-1].step.returned == "'caught'"


def test_recursion_shows_each_that_waits_with_its_stack() -> None:
    animation = stepper(down, 9)
    deepest = max(range(len(animation.events)), key=lambda n: len(animation.events[n].callers))
    assert len(animation.events[deepest].callers) == 9
    pieces = animation.keyframes[deepest].pieces
    line = down.__code__.co_firstlineno + 1
    for depth in range(9):
        assert f"<summary>down waits in line {line}</summary>" in pieces[f"q{depth}"]
        assert f"variables: n = {9 - depth}<" in pieces[f"q{depth}"]
    assert pieces["calls"].startswith("<b>down</b>")
