from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, Self

import pytest

from hpml.bytecode import Step, disassemble, trace
from hpml.bytecode.safe_repr import short


def lecture(a: int, b: int, c: int) -> int:
    d = a + b * c
    return d


def test_a_step_shows_the_stack_before_and_after() -> None:
    steps = [step for step in trace(lecture, 2, 3, 4) if step.opname == "BINARY_OP"]
    assert [step.stack_before for step in steps] == [("2", "3", "4"), ("2", "12")]
    assert [step.stack_after for step in steps] == [("2", "12"), ("14",)]
    assert [(step.popped, step.pushed) for step in steps] == [(2, ("12",)), (2, ("14",))]
    assert [step.instruction.argrepr for step in steps] == ["*", "+"]


def test_a_step_names_its_line_and_shows_the_source() -> None:
    step = trace(lecture, 2, 3, 4)[2]
    assert step.instruction.source == "d = a + b * c"
    assert step.line == lecture.__code__.co_firstlineno + 1
    assert step.instruction.file == __file__


def test_a_trace_knows_its_function_and_how_it_ended() -> None:
    found = trace(lecture, 2, 3, 4)
    assert (found.function, found.value, found.exception) == ("lecture", "14", None)
    assert found[-1].returned == "14"
    assert [step.index for step in found] == list(range(len(found)))


def test_what_was_seen_does_not_change_afterwards() -> None:
    def grow() -> list[int]:
        values: list[int] = []
        values.append(1)
        values.append(2)
        return values

    seen = [step.locals["values"] for step in trace(grow) if "values" in step.locals]
    assert seen[0] == "[]"
    assert seen[-1] == "[1, 2]"
    assert list(dict.fromkeys(seen)) == ["[]", "[1]", "[1, 2]"]


def test_calls_and_returns_are_seen() -> None:
    def square(x: int) -> int:
        return x * x

    def call() -> int:
        return square(3) + 1

    found = trace(call)
    calling = next(step for step in found if step.called)
    assert calling.called == square.__qualname__
    inside = [step for step in found if step.depth == 1]
    assert {step.function for step in inside} == {square.__qualname__}
    assert inside[-1].returned == "9"
    following = found[inside[-1].index + 1]
    assert following.depth == 0
    assert following.stack_before[-1] == "9"


def test_a_raised_exception_and_its_handler_are_seen() -> None:
    def handled() -> str:
        try:
            return 1 // 0  # type: ignore[return-value]
        except ZeroDivisionError as error:
            return str(error)

    found = trace(handled)
    raising = next(step for step in found if step.raised)
    assert raising.raised is not None
    assert raising.raised.type == "ZeroDivisionError"
    assert raising.guard is not None
    assert raising.jumped_to == raising.guard.target == found[raising.index + 1].offset
    assert raising.guard.start <= raising.offset < raising.guard.end
    assert len(raising.stack_after) == raising.guard.depth + 1
    assert found.value == repr(raising.raised.text)


def test_an_uncaught_exception_is_in_the_trace() -> None:
    def fails(x: int) -> float:
        return 1 / x

    found = trace(fails, 0)
    assert found.value is None
    assert found.exception is not None
    assert (found.exception.type, found.exception.text) == ("ZeroDivisionError", "division by zero")
    assert found[-1].raised is not None
    assert found[-1].jumped_to is None


def test_jumps_are_seen() -> None:
    def choose(x: int) -> str:
        return "big" if x > 3 else "small"

    def branch(x: int) -> Step:
        return next(step for step in trace(choose, x) if "POP_JUMP" in step.opname)

    assert branch(5).jumped_to is None
    taken = branch(1)
    assert taken.jumped_to is not None
    assert taken.jumped_to > taken.offset


def test_output_is_passed_on_and_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    def speak() -> None:
        for n in range(2):
            print("n is", n)

    stdout = sys.stdout
    found = trace(speak)
    assert sys.stdout is stdout
    assert capsys.readouterr().out == found.printed == "n is 0\nn is 1\n"
    printing = [step for step in found if step.printed]
    assert [step.printed for step in printing] == ["n is 0\n", "n is 1\n"]


def test_cells_are_apart_from_local_variables() -> None:
    def outer() -> int:
        shared, own = 1, 2

        def inner() -> None:
            nonlocal shared
            shared += own * 0 + 1

        inner()
        return shared

    last = trace(outer)[-1]
    assert last.cells["shared"] == "2"
    assert set(last.locals) == {"inner"}


def test_steps_of_a_generator_are_deeper() -> None:
    def numbers():  # type: ignore[no-untyped-def]
        yield 1
        yield 2

    def total() -> int:
        return sum(numbers())

    found = trace(total)
    assert found.value == "3"
    yields = [step for step in found if step.opname == "YIELD_VALUE"]
    assert [(step.depth, step.returned) for step in yields] == [(1, "1"), (1, "2")]


class Wide:
    def __init__(self, x: int = 1) -> None:
        self.x = x

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> bool:
        return kind is ValueError

    def __call__(self) -> int:
        return self.x

    def __add__(self, other: Wide) -> Wide:
        return Wide(self.x + other.x)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return 3

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> int:
        return [self.x][index]

    def __iter__(self) -> Iterator[int]:
        return iter((self.x,))

    def __bool__(self) -> bool:
        return True

    def __format__(self, how: str) -> str:
        return "wide"

    def __del__(self) -> None:
        pass

    @property
    def twice(self) -> int:
        return 2 * self.x


def key(x: int) -> int:
    return -x


def handled(wide: Wide) -> None:
    with wide:
        raise ValueError


# What a function does, and the functions that CPython runs within its instructions.
RUN_BY_CPYTHON: list[tuple[Callable[[Wide], Any], set[str]]] = [
    (lambda w: w + w, {"Wide.__add__", "Wide.__init__"}),
    (lambda w: w == w, {"Wide.__eq__"}),
    (lambda w: {w}, {"Wide.__hash__"}),
    (lambda w: len(w), {"Wide.__len__"}),
    (lambda w: w[0], {"Wide.__getitem__"}),
    (lambda w: [*w], {"Wide.__iter__", "Wide.__len__"}),
    (lambda w: 1 if w else 2, {"Wide.__bool__"}),
    (lambda w: f"{w}", {"Wide.__format__"}),
    (lambda w: w.twice, {"Wide.twice"}),
    (lambda w: sorted([2, 1], key=key), {"key"}),
    (lambda w: [*map(key, [1])], {"key"}),
    (lambda w: Wide().x, {"Wide.__del__"}),
    (lambda w: w[1], {"Wide.__getitem__"}),
    (lambda w: key(1), set()),
    (lambda w: w(), set()),
    (handled, set()),
]


@pytest.mark.parametrize(("function", "names"), RUN_BY_CPYTHON)
def test_functions_of_the_program_that_cpython_runs_are_named(
    function: Callable[[Wide], Any], names: set[str]
) -> None:
    before = sys.getprofile()
    steps = trace(function, Wide())
    assert {name for step in steps for name in step.ran} == names
    assert sys.getprofile() is before
    assert all(name in str(steps) for name in names)


def test_special_methods_of_a_statement_or_a_call_are_stepped_into() -> None:
    functions = {step.function for step in trace(handled, Wide())}
    assert functions == {"handled", "Wide.__enter__", "Wide.__exit__"}
    assert "Wide.__call__" in {step.function for step in trace(lambda w: w(), Wide())}


def test_functions_that_cpython_runs_are_not_named_while_a_profiler_is_active() -> None:
    def profile(*_: object) -> None: ...

    sys.setprofile(profile)
    try:
        steps = trace(lambda w: w + w, Wide())
        assert sys.getprofile() is profile
    finally:
        sys.setprofile(None)
    assert not any(step.ran for step in steps)


def test_prints_as_a_table() -> None:
    text = str(trace(lecture, 2, 3, 4)).splitlines()
    assert text[0].split() == ["step", "line", "offset", "instruction", "stack", "after"]
    assert any("BINARY_OP *" in line and line.endswith("2 | 12") for line in text)
    assert text[-1].endswith("instructions; returned 14")


def test_the_table_shows_what_is_bound_and_what_is_printed() -> None:
    def program() -> None:
        first, second = [1], 2
        print(first, second)

        def inner() -> list[int]:
            return first

    lines = str(trace(program)).splitlines()
    assert any("STORE_DEREF first" in line and line.endswith("(first = [1])") for line in lines)
    assert any("STORE_FAST" in line and line.endswith("(second = 2)") for line in lines)
    assert any("CALL 2" in line and line.endswith(r"(prints '[1] 2\n')") for line in lines)


class Failing:
    def __repr__(self) -> str:
        raise RuntimeError("no text")


class Huge:
    def __repr__(self) -> str:
        return "x" * 10**6


class FakeTensor:
    shape = (2, 3)
    dtype = "float32"

    def __repr__(self) -> str:
        raise AssertionError("the numbers must not be read")


def test_objects_with_a_difficult_repr_do_not_break_a_trace() -> None:
    def juggle(*things: object) -> int:
        _, *rest = things
        return len(rest)

    found = trace(juggle, Failing(), Huge(), FakeTensor(), list(range(10**6)))
    assert found.value == "3"
    assert all(len(text) <= 60 for step in found for text in step.stack_after)


CIRCLE: list[object] = [1]
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (CIRCLE, "[1, [1, [1, [...]]]]"),
        (FakeTensor(), "<FakeTensor (2, 3) float32>"),
        (Failing(), "<Failing object>"),
        ([Failing(), 1], "[<Failing object>, 1]"),
        (10**60, "<int of 200 bits>"),
        ("é" * 100, "'" + "é" * 55 + "...'"),
        ({"a": [1, {"b": [2]}]}, "{'a': [1, {'b': [...]}]}"),
        ((1,), "(1,)"),
        (frozenset({1}), "frozenset({1})"),
        (int, "<class int>"),
        (len, "<builtin len>"),
        (sys, "<module sys>"),
        ("two\nlines", "'two\\nlines'"),
    ],
)
def test_short_texts(value: object, text: str) -> None:
    assert short(value) == text


class Quitting:
    def __init__(self, error: type[BaseException]) -> None:
        self.error = error

    def __repr__(self) -> str:
        raise self.error("in repr")


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, RecursionError])
def test_a_repr_that_raises_changes_nothing(error: type[BaseException]) -> None:
    def program(thing: object) -> str:
        held = [thing]
        return f"{len(held)} kept"

    found = trace(program, Quitting(error))
    assert found.value == "'1 kept'"
    assert "[<Quitting object>]" in {step.locals.get("held") for step in found}


def test_long_constants_are_cut() -> None:
    space: dict[str, Any] = {}
    exec(f"def f():\n    x = {'a' * 100_000!r}\n    return len(x), {10**20:#x} ** 400", space)
    f = space["f"]
    found = trace(f)
    assert found.value == short(f())
    assert len(str(found)) < 10_000
    assert len(str(disassemble(f))) < 20_000
