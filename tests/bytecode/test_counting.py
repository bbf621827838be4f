from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType

import pytest

from hpml.base.errors import describe
from hpml.bytecode import BytecodeError, count_instructions, counting, trace
from hpml.bytecode.watching import NoFreeToolError
from tests.parts import raises


def loop(n: int) -> int:
    total = 0
    for number in range(n):
        total += square(number) if number % 2 else number
    return total


def square(x: int) -> int:
    return x * x


@pytest.mark.parametrize("n", [0, 1, 7, 50])
def test_as_many_as_the_stack_machine_takes_steps(n: int) -> None:
    assert count_instructions(loop, n) == len(trace(loop, n))


@pytest.mark.parametrize("names", [10, 300, 66_000])
def test_long_functions_count_as_many_as_the_stack_machine_takes_steps(names: int) -> None:
    """Their arguments need one or two EXTENDED_ARG."""
    space: dict[str, Callable[[], object]] = {}
    last = "\n    ".join(f"x = {number}.5" for number in range(names - 5, names))
    unused = "".join(f"\n        {number}.5," for number in range(names - 5))
    exec(f"def long(skip=True):\n    if not skip:\n        (x,{unused})\n    {last}", space)
    steps = trace(space["long"])
    assert ("EXTENDED_ARG" in {step.opname for step in steps}) == (names > 256)
    assert count_instructions(space["long"]) == len(steps)


def test_only_chosen_code_counts() -> None:
    def named(name: str) -> int:
        return count_instructions(loop, 10, within=lambda code: code.co_name == name)

    assert named("loop") + named("square") == count_instructions(loop, 10)
    assert named("square") == 5 * count_instructions(square, 3)


def test_nothing_counted_is_an_error_and_no_number() -> None:
    with raises(BytecodeError, object=describe(len), received="none", remedy="Python"):
        count_instructions(len, "abc")
    with raises(BytecodeError, object=describe(loop), expected="within", remedy="within"):
        count_instructions(loop, 3, within=lambda code: False)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="needs python3.12 or newer")
def test_without_a_free_place_it_says_what_to_do() -> None:
    monitoring = sys.monitoring
    taken = [tool for tool in range(6) if monitoring.get_tool(tool) is None]
    for tool in taken:
        monitoring.use_tool_id(tool, "test")
    try:
        with raises(BytecodeError, object="sys.monitoring", received="none", remedy="profiler"):
            count_instructions(square, 1)
    finally:
        for tool in taken:
            monitoring.free_tool_id(tool)


def test_without_a_free_tool_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise NoFreeToolError

    monkeypatch.setattr(counting, "watch_instructions", full)
    with raises(BytecodeError, object="sys.monitoring", received="none", remedy="profiler"):
        count_instructions(square, 1)


def test_generators_count_where_they_run() -> None:
    def total() -> int:
        return sum(i for i in range(30))

    codes: set[CodeType] = set()

    def noted(code: CodeType) -> bool:
        codes.add(code)
        return True

    assert count_instructions(total, within=noted) > 30 * 4
    assert len(codes) == 2
