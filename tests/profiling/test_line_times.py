"""Time by line: what is counted, for which functions, and what is refused."""

from __future__ import annotations

import cProfile
import functools
import linecache
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hpml.base import optional
from hpml.profiling import ProfilingError, profile, time_lines
from tests.parts import raises


def work(n: int) -> int:
    light = 1
    heavy = sum(range(n))
    return light + heavy


def factorial(n: int) -> int:
    if n < 2:
        return 1
    return n * factorial(n - 1)


@pytest.fixture(autouse=True)
def nothing_is_left_on() -> Iterator[None]:
    codes = work.__code__, factorial.__code__
    yield
    assert sys.gettrace() is None
    assert sys.getprofile() is None
    if sys.version_info >= (3, 12):
        assert sys.monitoring.get_tool(sys.monitoring.PROFILER_ID) is None
    assert (work.__code__, factorial.__code__) == codes
    assert work.__code__ is codes[0]


def test_each_line_has_its_hits_and_the_heavy_one_most_of_the_time() -> None:
    found = time_lines(work, 1_000_000)
    assert found.result == work(1_000_000)
    assert [line.hits for line in found.lines] == [None, 1, 1, 1]
    seconds = [line.seconds or 0.0 for line in found.lines]
    assert seconds[2] > 0.9 * found.seconds
    assert [line.text.strip() for line in found.lines][2] == "heavy = sum(range(n))"
    table = found.table
    assert table.column("Hits") == (None, 1, 1, 1)
    assert "    heavy = sum(range(n))" in str(found).replace("\u00a0", " ")


def test_a_second_run_does_not_count_the_first() -> None:
    for _ in range(2):
        assert [line.hits for line in time_lines(work, 10).lines] == [None, 1, 1, 1]


def test_recursive_calls_count() -> None:
    found = time_lines(factorial, 5)
    assert found.result == 120
    assert [line.hits for line in found.lines] == [None, 5, 1, 4]


class Counter:
    def __init__(self) -> None:
        self.total = 0

    def add(self, n: int) -> int:
        self.total += n
        return self.total


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*arguments: Any) -> Any:
        return function(*arguments)

    return wrapper


@logged
def wrapped(n: int) -> int:
    return n + 1


def test_methods_wrapped_functions_and_closures_are_timed() -> None:
    add = Counter.add
    assert [line.hits for line in time_lines(Counter().add, 3).lines] == [None, 1, 1]
    assert Counter.add is add
    assert [line.hits for line in time_lines(wrapped, 3).lines][-1] == 1

    def closure() -> Any:
        return work

    assert time_lines(closure).result is work


def test_functions_of_a_cell_are_timed() -> None:
    """A cell is a file that exists only in linecache, under a name such as IPython gives it."""
    source = "def in_a_cell(n):\n    total = n\n    return total\n"
    name = "/tmp/ipykernel_1/123.py"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names: dict[str, Any] = {}
    exec(compile(source, name, "exec"), names)
    found = time_lines(names["in_a_cell"], 4)
    assert [(line.hits, line.text) for line in found.lines] == [
        (None, "def in_a_cell(n):"),
        (1, "    total = n"),
        (1, "    return total"),
    ]


def test_an_error_of_the_function_leaves_nothing_on() -> None:
    with pytest.raises(ZeroDivisionError):
        time_lines(lambda: 1 // 0)
    assert time_lines(work, 3).result == 4


def profiles_itself() -> None:
    with cProfile.Profile():
        pass


def traces_itself() -> None:
    sys.settrace(None)


def test_a_program_with_a_profiler_or_tracer_of_its_own_is_refused() -> None:
    if sys.version_info >= (3, 12):
        with raises(ProfilingError, object="time_lines", received="profiles_itself"):
            time_lines(profiles_itself)
    else:
        with raises(ProfilingError, object="time_lines", received="traces_itself"):
            time_lines(traces_itself)


def test_inside_another_profiler_it_is_refused() -> None:
    with pytest.raises(ProfilingError, match="another profiler"):
        profile(time_lines, work, 3)


@pytest.mark.parametrize("function", [sum, 3, (n for n in range(3)), iter])
def test_what_has_no_lines_is_refused(function: Any) -> None:
    with pytest.raises(ProfilingError):
        time_lines(function)


def test_without_the_library_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "line_profiler", None)
    monkeypatch.setattr(optional, "_FAILED", {})
    with raises(ProfilingError, object="time_lines", expected="line_profiler", remedy="pip"):
        time_lines(work, 3)
