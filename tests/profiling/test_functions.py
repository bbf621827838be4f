from __future__ import annotations

import asyncio
import copy
import cProfile
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hpml.base.errors import describe
from hpml.profiling import (
    FunctionProfile,
    ProfilingError,
    allocation_lines,
    memory_lines,
    profile,
    read_profile,
)
from hpml.profiling.call_tree import CallTree, Entry, short_name, short_place
from hpml.profiling.icicle import icicle
from tests.parts import raises


def leaf(n: int) -> int:
    return sum(range(n))


def branch(n: int) -> int:
    return leaf(n) + leaf(n)


def down(n: int) -> int:
    return down(n - 1) if n else leaf(100)


def test_the_table_is_that_of_pstats() -> None:
    found = profile(branch, 1000)
    assert found.result == branch(1000)
    rows = {str(row[-1]): row for row in found.table(limit=None).rows}
    assert found.calls == found.primitive_calls
    calls = {key.rpartition("(")[2].rstrip(")"): row[0] for key, row in rows.items()}
    assert calls["branch"] == "1"
    assert calls["leaf"] == "2"
    assert rows["{built-in method builtins.sum}"][0] == "2"


def test_rows_are_sorted_and_searched() -> None:
    found = profile(branch, 20000)
    for name, column in (("tottime", "tottime"), ("cumtime", "cumtime")):
        values = [float(str(v)) for v in found.table(sort=name, limit=None).column(column)]
        assert values == sorted(values, reverse=True)
    assert len(found.table(search="no such function")) == 0
    assert len(found.table(limit=2)) == 2
    with raises(ProfilingError, object="sort of a profile", received="'size'"):
        found.table(sort="size")


def test_the_saved_file_opens_elsewhere(tmp_path: Path) -> None:
    found = profile(branch, 10)
    path = found.save(tmp_path / "run.prof")
    assert read_profile(path) == found
    command = [sys.executable, "-m", "pstats", str(path)]
    done = subprocess.run(command, input="stats 5\nquit\n", capture_output=True, text=True)
    assert done.returncode == 0
    assert "(branch)" in done.stdout
    with pytest.raises(OSError):
        found.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["run.prof"]


def test_the_profiler_is_off_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError):
        profile(lambda: 1 // 0)
    assert profile(leaf, 3).result == 3


def test_a_profiler_inside_another_is_refused() -> None:
    with raises(ProfilingError, object="profile", received="cProfile"):
        profile(lambda: profile(leaf, 3))
    with raises(ProfilingError, object="function of profile", received="3"):
        profile(leaf(3))  # type: ignore[arg-type]
    assert profile(leaf, 3).result == 3


def test_a_program_that_profiles_itself_is_refused() -> None:
    """Before Python 3.12 it ends this profile; since then it gets a ValueError."""

    def program() -> None:
        with cProfile.Profile():
            leaf(10)

    with raises(ProfilingError, object=describe(program), expected="no hook of its own"):
        profile(program)

    def wrong() -> None:
        raise ValueError("of the program itself")

    with pytest.raises(ValueError, match="of the program itself") as caught:
        profile(wrong)
    assert not isinstance(caught.value, ProfilingError)
    assert profile(leaf, 3).result == 3


def test_other_threads_are_not_in_it() -> None:
    """Each return of the other thread would end a call of this one: a kernel has such a thread."""
    over, turns = threading.Event(), 0

    def other() -> None:
        nonlocal turns
        while not over.wait(1e-4):
            turns += 1

    def program() -> None:
        before = turns
        while turns < before + 5:
            leaf(1000)

    thread = threading.Thread(target=other)
    thread.start()
    try:
        found = profile(program)
    finally:
        over.set()
        thread.join()
    calls = {name: entry for (_, _, name), entry in found.stats.items()}
    assert set(calls) == {"program", "leaf", "<built-in method builtins.sum>",
                          "<method 'disable' of '_lsprof.Profiler' objects>"}  # fmt: skip
    assert calls["program"][3] == pytest.approx(found.seconds, rel=0.05)


def test_a_function_that_has_not_run_when_it_returns_is_refused() -> None:
    def numbers() -> Iterator[int]:
        yield 1

    async def later() -> None:
        await asyncio.sleep(0)

    for function in (numbers, later):
        for profiler in (profile, memory_lines, allocation_lines):
            with raises(
                ProfilingError,
                object=f"function of {profiler.__name__}",
                received="generator or coroutine",
            ):
                profiler(function)


def test_a_keyword_may_have_the_name_of_our_own_argument() -> None:
    assert profile(dict, function=3).result == {"function": 3}


def test_the_tree_adds_up_and_keeps_its_callers() -> None:
    found = profile(branch, 200000)
    tree = found.tree
    names = [frame.name for _, frame in tree.walk()]
    assert names.index("branch") < names.index("leaf") < names.index("builtins.sum")
    assert tree.total == pytest.approx(found.seconds, rel=0.05)
    assert all(frame.own >= 0 for _, frame in tree.walk())
    pruned = tree.pruned(tree.total / 2)
    assert pruned.total == pytest.approx(tree.total)


def test_a_program_begun_by_a_function_that_it_uses_itself_is_in_the_tree_whole() -> None:
    """As every program under `python -m cProfile`: `exec` runs it, and the modules it imports."""
    imported = compile("sum(range(2_000_000))", "imported.py", "exec")
    program = compile("def outer():\n    exec(imported)\nouter()", "program.py", "exec")
    found = profile(exec, program, {"imported": imported})
    assert found.tree.total == pytest.approx(found.seconds, rel=0.01)
    (frame,) = (frame for _, frame in found.tree.walk() if frame.name == "outer")
    assert frame.total > 0.9 * found.tree.total


def test_recursion_does_not_grow_the_tree() -> None:
    tree = profile(down, 300).tree
    assert sum(1 for _ in tree.walk()) < 10
    assert all(frame.total <= tree.total * 1.0001 for _, frame in tree.walk())


def test_the_heaviest_functions_below_the_picture_have_the_tables_own_times() -> None:
    ping, pong = ("a.py", 1, "ping"), ("a.py", 5, "pong")
    stats: dict[tuple[str, int, str], Entry] = {
        ping: (1, 5, 3.0, 4.0, {pong: (4, 4, 2.5, 3.0)}),
        pong: (1, 4, 1.0, 3.5, {ping: (4, 1, 1.0, 3.5)}),
    }
    found = FunctionProfile(stats)
    _, _, folded = found.icicle().html.partition("Heaviest functions")
    assert [row[1] for row in found.table().rows] == [3.0, 1.0]
    assert re.findall(r">([\d.]+) s<", folded) == ["3.00", "1.00"]


def test_a_call_count_is_exact_or_absent_and_estimates_are_marked() -> None:
    """`helper` has two parents, so what it calls divides among them in an unknown way."""

    def costly() -> int:
        return sum(range(3_000_000))

    def cheap() -> int:
        return sum(range(10))

    def helper(n: int) -> int:
        return costly() if n else cheap()

    def first() -> int:
        return helper(1)

    def second() -> int:
        return sum([helper(0), helper(0), helper(0), helper(0), *(leaf(200_000) for _ in "abcd")])

    found = profile(lambda: (first(), second()))
    frames = [frame for _, frame in found.tree.walk()]
    table = {name: entry for (_, _, name), entry in found.stats.items()}
    for frame in frames:
        if frame.calls is not None:
            assert not frame.estimated
    by_name = {
        name: [f for f in frames if f.name == name] for name in ("first", "costly", "helper")
    }
    assert [frame.calls for frame in by_name["first"]] == [1]
    assert not by_name["first"][0].estimated
    # The pair (first, helper) is known: one call. What is below is not.
    assert {frame.calls for frame in by_name["helper"]} <= {1, 4}
    assert by_name["costly"]
    assert all(frame.estimated and frame.calls is None for frame in by_name["costly"])
    assert sum(f.own for f in by_name["helper"]) == pytest.approx(table["helper"][2], rel=0.3)
    known = profile(branch, 200_000)
    for page, estimated in ((found.icicle(), True), (known.icicle(), False)):
        assert ("≈" in page.plain) is estimated
        assert ('class="hpml-estimated"' in page.html) is estimated


def test_a_box_of_a_recursion_has_the_own_time_of_the_table() -> None:
    def ping(n: int) -> int:
        return pong(n) if n else 0

    def pong(n: int) -> int:
        return sum(range(400_000)) * 0 + ping(n - 1)

    found = profile(ping, 30)
    table = {name: entry for (_, _, name), entry in found.stats.items()}
    own: dict[str, float] = {}
    for _, frame in found.tree.walk():
        own[frame.name] = own.get(frame.name, 0.0) + frame.own
    for name in ("ping", "pong"):
        assert own[name] == pytest.approx(table[name][2])
    assert own["ping"] < 0.1 * found.seconds
    assert found.tree.total == pytest.approx(found.seconds, rel=0.01)
    assert all(f.estimated for _, f in found.tree.walk() if f.name in ("ping", "pong"))


def test_the_own_times_of_the_tree_are_those_of_the_table() -> None:
    rows = [[{n: [n]} for n in range(10)] for _ in range(200)]
    found = profile(copy.deepcopy, rows)
    table: dict[tuple[str, str], float] = {}
    for (file, line, name), entry in found.stats.items():
        key = short_name(name), short_place(file, line)
        table[key] = table.get(key, 0.0) + entry[2]
    for _, frame in found.tree.walk():
        if frame.name != "(small calls)":
            assert frame.own <= table[frame.name, frame.place] * 1.0001
    assert found.tree.total == pytest.approx(found.seconds, rel=0.02)


def test_a_tree_without_time_has_no_picture() -> None:
    with raises(ProfilingError, object="tree of an icicle", received="0", remedy="takes longer"):
        icicle(CallTree("f", "f.py:1", 0.0))
