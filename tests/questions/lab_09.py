from __future__ import annotations

import cProfile
import math
import sys
from collections import Counter
from collections.abc import Callable

import pytest

from tests.questions.answers import ratio_of_times, solution

SOURCES = {
    5: "https://docs.python.org/3/library/profile.html: the profiler modules provide an execution "
    "profile and are not for benchmarking; they add overhead for Python code"
}


def question_1() -> object:
    events = [
        ("enter", "main", 0), ("enter", "load", 10), ("leave", "load", 35), ("enter", "load", 40),
        ("leave", "load", 50), ("leave", "main", 70),
    ]  # fmt: skip
    return solution("lab_09/self_times")(events)["main"]


def question_2() -> None:
    assert 5_000 / 50 == 100
    assert 6.0 / 10.0 == 0.6
    assert 9.5 > 6.0 > 1.0, "search has most of the time, and the time of deepcopy is in it"


def _calls(count: int, work: int) -> Callable[[], None]:
    def function() -> None:
        for _ in range(work):
            pass

    def program() -> None:
        for _ in range(count):
            function()

    return program


def question_3() -> object:
    """Two programs with the same iterations, in many short calls or in few long ones."""

    def events(program: Callable[[], None]) -> int:
        seen = []
        before = sys.getprofile()
        sys.setprofile(lambda *event: seen.append(1))
        try:
            program()
        finally:
            sys.setprofile(before)
        return len(seen)

    assert events(_calls(1000, 1)) > 40 * events(_calls(10, 100))
    return "P makes many short calls, Q few long ones"


@pytest.mark.thorough
def question_3_timed() -> None:
    def slowdown(program: Callable[[], None]) -> tuple[float, float]:
        def profiled() -> None:
            profiler = cProfile.Profile()
            profiler.runcall(program)

        return ratio_of_times(profiled, program)

    short, long = slowdown(_calls(20_000, 1)), slowdown(_calls(20, 1_000))
    assert short[0] > long[1]


def question_4() -> object:
    return 100 * math.sqrt(0.2 * 0.8 / 400)


def question_6() -> None:
    def f() -> None: ...

    def g() -> None: ...

    def trace(program: Callable[[], None]) -> list[str]:
        seen: list[str] = []
        before = sys.getprofile()
        sys.setprofile(lambda frame, event, arg: seen.append(f"{event} {frame.f_code.co_name}"))
        try:
            program()
        finally:
            sys.setprofile(before)
        return [name for name in seen if name[-2:] in (" f", " g")]

    one, other = trace(lambda: (f(), g())), trace(lambda: (g(), f()))  # type: ignore[func-returns-value]
    assert one != other
    assert Counter(one) == Counter(other), "counting does not tell them apart"
    assert [*Counter(one)] != [*Counter(other)], "but in which order its entries were made"
    again = trace(lambda: (f(), g(), f()))  # type: ignore[func-returns-value]
    assert [*Counter(again)] == [*Counter(one)], "of the first calls only"
    longer = trace(lambda: [f() for _ in range(50)])  # type: ignore[func-returns-value]
    assert len(longer) == 100
    assert len(Counter(longer)) == 2
