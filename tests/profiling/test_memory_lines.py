from __future__ import annotations

import linecache
import mmap
import sys
from typing import Any

import psutil
import pytest

from hpml.profiling import ProfilingError, memory_lines, memory_over_time

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
    with pytest.raises(ProfilingError):
        memory_lines(len, [])
    names: dict[str, Any] = {}
    exec(compile("def lost(): pass", "<nowhere>", "exec"), names)
    with pytest.raises(ProfilingError):
        memory_lines(names["lost"])
    sys.settrace(lambda *_: None)
    try:
        with pytest.raises(ProfilingError):
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
