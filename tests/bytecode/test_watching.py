from __future__ import annotations

import sys
import threading
from collections import Counter
from functools import partial
from types import CodeType

import pytest

from hpml.bytecode.watching import NoFreeToolError, watch_instructions

needs_monitoring = pytest.mark.skipif(
    sys.version_info < (3, 12), reason="needs python3.12, which has sys.monitoring"
)


def fresh() -> partial[int]:
    """Return a call of a function that never ran before: interpreters warm up."""
    scope: dict[str, object] = {}
    exec("def total(n):\n    t = 0\n    for i in range(n):\n        t += i\n    return t", scope)
    return partial(scope["total"], 5)  # type: ignore[arg-type]


def counted(run: partial[int]) -> Counter[str]:
    names: Counter[str] = Counter()

    def report(code: CodeType, offset: int) -> None:
        names[code.co_name] += 1

    watch_instructions(run, report)
    return names


def test_the_first_run_of_a_function_counts_as_many_as_the_next() -> None:
    run = fresh()
    first = counted(run)
    assert first["total"] > 5 * 4
    assert counted(run) == first


def test_a_turn_of_a_loop_adds_the_same_count_each_time() -> None:
    function = fresh().func
    counts = [counted(partial(function, n)).total() for n in (2, 3, 4)]
    assert counts[2] - counts[1] == counts[1] - counts[0] > 0


def test_only_the_thread_that_watches_is_counted() -> None:
    other = fresh()

    def run() -> int:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        return 1

    assert counted(partial(run))["total"] == 0


def test_an_error_passes_and_leaves_nothing_on() -> None:
    before = sys.gettrace()
    with pytest.raises(ZeroDivisionError):
        watch_instructions(partial(divmod, 1, 0), lambda code, offset: None)
    assert sys.gettrace() is before


@needs_monitoring
def test_tools_that_are_all_taken_are_named() -> None:
    taken = [number for number in range(6) if sys.monitoring.get_tool(number) is None]
    for number in taken:
        sys.monitoring.use_tool_id(number, "test")
    try:
        with pytest.raises(NoFreeToolError):
            watch_instructions(fresh(), lambda code, offset: None)
    finally:
        for number in taken:
            sys.monitoring.free_tool_id(number)
