from __future__ import annotations

import linecache
import mmap
import multiprocessing
import sys
from typing import Any

import psutil
import pytest

from hpml.profiling import ProfilingError, allocation_lines, memory_lines, memory_over_time
from tests.parts import raises

MIB = 2**20


def pages(n: int) -> mmap.mmap:
    """Return new memory, in use; malloc would take what earlier tests freed, of any size."""
    found = mmap.mmap(-1, n)
    found[::4096] = bytes(n // 4096)
    return found


def fill(n: int) -> int:
    kept = pages(n)
    size = len(kept)
    del kept
    if size < 0:
        size = 0
    return size


def test_lines_show_what_grew_and_what_was_not_executed() -> None:
    found = memory_lines(fill, 64 * MIB)
    assert found.result == 64 * MIB
    by_text = {line.text.strip(): line for line in found.lines}
    assert by_text["kept = pages(n)"].increment == pytest.approx(64, abs=4)
    assert by_text["del kept"].increment == pytest.approx(-64, abs=4)
    assert by_text["size = 0"].usage is None
    assert "–" in str(found)
    assert "\u00a0" * 8 + "size\u00a0=\u00a00" in found._repr_html_()
    assert sys.gettrace() is None


def test_a_function_of_a_cell_is_seen() -> None:
    text = "def cell(n):\n    kept = pages(n)\n    return [len(kept) for _ in range(3)]\n"
    name = "<ipython-input-1-0>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"pages": pages}
    exec(compile(text, name, "exec"), names)
    found = memory_lines(names["cell"], 64 * MIB)
    assert [line.text for line in found.lines] == text.splitlines()
    assert found.lines[1].increment == pytest.approx(64, abs=4)
    assert found.lines[1].occurrences == 1


def test_what_cannot_be_looked_into_is_refused() -> None:
    with raises(ProfilingError, object="function of memory_lines", received="len"):
        memory_lines(len, [])
    names: dict[str, Any] = {}
    exec(compile("def lost(): pass", "<nowhere>", "exec"), names)
    with raises(ProfilingError, object="source of lost", received="<nowhere>"):
        memory_lines(names["lost"])
    sys.settrace(lambda *_: None)
    try:
        with raises(ProfilingError, object="memory_lines", received="test_what_cannot_be_looked"):
            memory_lines(fill, 1)
    finally:
        sys.settrace(None)


def test_memory_over_time_rises_and_keeps_other_children() -> None:
    def work() -> int:
        kept = pages(64 * MIB)
        return sum(kept[:: 2**4])  # for longer than between two looks

    found = memory_over_time(work)
    assert found.result == 0
    assert max(found.usage) - found.usage[0] > 50
    assert list(found.seconds) == sorted(found.seconds)

    other = psutil.Popen([sys.executable, "-c", "input()"], stdin=-1)
    try:
        with pytest.raises(ZeroDivisionError):
            memory_over_time(lambda: 1 // 0)
        assert other.poll() is None
    finally:
        other.kill()
        other.communicate()


def again(n: int, held: list[mmap.mmap]) -> int:
    if n:
        again(n - 1, held)
    held.append(pages(32 * MIB))
    return n


def test_a_function_that_is_entered_again_is_followed_once() -> None:
    """Nothing is freed, so no line may show a decrease; memory_profiler shows −366 MiB."""
    held: list[mmap.mmap] = []
    found = memory_lines(again, 3, held)
    by_text = {line.text.strip(): line for line in found.lines}
    assert by_text["again(n - 1, held)"].increment == pytest.approx(96, abs=6)
    assert by_text["held.append(pages(32 * MIB))"].increment == pytest.approx(32, abs=4)
    assert all(line.increment > -1 for line in found.lines if line.increment is not None)
    assert [line.occurrences for line in found.lines] == [1, 1, 1, 1, 1]
    assert sum(line.increment or 0 for line in found.lines) == pytest.approx(128, abs=8)


def test_increments_of_a_loop_that_frees_sum_to_the_net_change() -> None:
    def loop() -> None:
        for size in (64, 1, 32):
            kept = pages(size * MIB)
            del kept

    found = memory_lines(loop)
    increments = [line.increment or 0 for line in found.lines]
    assert sum(increments) == pytest.approx(0, abs=8)
    assert increments[2] == pytest.approx(97, abs=8)
    assert increments[3] == pytest.approx(-97, abs=8)


def test_a_program_that_sets_its_own_trace_function_is_refused() -> None:
    def own() -> None:
        sys.settrace(None)

    for tool in (memory_lines, allocation_lines):
        with raises(ProfilingError, object=f"program of {tool.__name__}", received="sys.settrace"):
            tool(own)
        assert sys.gettrace() is None


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_memory_over_time_ends_with_the_program(error: type[BaseException]) -> None:
    """The child that takes the samples would run for ever, and Python wait for it at its end."""

    def work() -> None:
        raise error

    before = set(multiprocessing.active_children())
    with pytest.raises(error):
        memory_over_time(work)
    assert set(multiprocessing.active_children()) == before
