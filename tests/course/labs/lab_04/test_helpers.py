from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from hpml.base.optional import why_unavailable
from hpml.course.labs.lab_04_extensions_and_numba import binding, compiling
from hpml.course.lesson.errors import LabError
from hpml.jit import build_extension
from tests.parts import raises


def add_up(a: Any) -> float:
    result = 0.0
    for row in a:
        for number in row:
            result += number
    return result


@pytest.mark.needs("C compiler")
def test_the_modules_of_the_notebook_are_built_and_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path))
    hello: Any = compiling.built(binding.source("hello_module.c"), "hello_module")
    assert hello.print_hello_world() is None
    assert capsys.readouterr().out == "Hello World\n"
    source = binding.source("sum2d.c")
    extension: Any = compiling.built(source, "sum2d", flags=["-O0"])
    _accepts_what_it_can_add_up(extension)
    with pytest.raises(ValueError):
        extension.sum2d(np.ones((2, 3)).T)
    assert compiling.build_seconds(source, "sum2d") > 0


def _accepts_what_it_can_add_up(module: Any) -> None:
    a = np.arange(6.0).reshape(2, 3)
    for function in (module.sum2d, module.sum2d_nogil):
        assert function(a) == 15.0
        assert function(np.zeros((0, 3))) == 0.0
        for wrong in (a.astype(np.float32), a[0], np.arange(4).reshape(2, 2), [[1.0]]):
            with pytest.raises(TypeError):
                function(wrong)


@pytest.mark.needs("C compiler")
def test_two_threads_are_in_the_loops_at_once_only_without_the_lock(tmp_path: Path) -> None:
    extension = build_extension(binding.source("sum2d.c"), "sum2d", folder=tmp_path)
    plain, released = (numba.njit(nogil=nogil)(add_up) for nogil in (False, True))
    for held, free in ((extension.sum2d, extension.sum2d_nogil), (plain, released)):
        assert _counted_during(held) == 0 < _counted_during(free)


def _counted_during(function: Any) -> int:
    """Return how far another thread counts in Python while calls of the function last."""
    a, counted, done, before = np.ones((100, 100_000)), [0], threading.Event(), 0
    function(a[:1])  # compiled here

    def count() -> None:
        while not done.is_set():
            counted[0] += 1
            time.sleep(0)  # gives up the lock

    interval = sys.getswitchinterval()
    sys.setswitchinterval(60.0)  # otherwise Python itself gives the lock to the other thread
    thread = threading.Thread(target=count)
    thread.start()
    try:
        while not counted[0]:
            time.sleep(0)
        before = counted[0]
        for _ in range(20):
            function(a)
        return counted[0] - before
    finally:
        done.set()
        sys.setswitchinterval(interval)
        thread.join()


def test_it_is_said_when_two_threads_have_no_second_core(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "left the two threads 0." in compiling.why_one_core(lambda: time.sleep(0.01))
    monkeypatch.setattr(compiling, "_TWO", -1.0)
    assert compiling.why_one_core(lambda: None) == ""
    monkeypatch.setattr(compiling, "usable_cores", lambda: 1)
    assert compiling.why_one_core(lambda: None) == "there is only one core here."


def test_a_module_is_built_with_nanobind_or_it_is_said_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HPML_CACHE", str(tmp_path))
    module: Any = binding.with_nanobind()
    if module is not None:
        _accepts_what_it_can_add_up(module)
        again: Any = binding.with_nanobind()
        assert again.__file__ == module.__file__
    else:
        said = capsys.readouterr().out
        assert said.startswith("No module is built with nanobind here: ")
        assert why_unavailable("nanobind") == "" or "nanobind`, then this cell again." in said
    monkeypatch.setattr(binding, "why_unavailable", lambda name: f"{name} is missing")
    assert binding.with_nanobind() is None
    assert "pip install" in capsys.readouterr().out


def test_only_the_wanted_paragraphs_of_a_source_are_returned() -> None:
    whole = binding.source("sum2d.c")
    part = binding.source("sum2d.c", "*sum2d_nogil(")
    assert part in whole
    assert part.startswith("static PyObject *sum2d_nogil(")
    assert part.endswith("}")
    assert "#include" not in part


def test_the_record_of_building_names_its_machine_and_each_way() -> None:
    table = binding.building_times()
    assert len(table.rows) == 4
    assert "Recorded, not measured here: " in str(table.caption)
    assert "nanobind 3" in str(table.caption)


def test_without_a_compiler_it_is_said_and_a_record_is_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    assert compiling.built("PyInit_one", "one") is None
    assert capsys.readouterr().out.startswith("No extension is built here: ")
    text = str(compiling.recorded())
    assert text.startswith("recorded: ")
    assert "C, -O0" in text
    assert "Recorded, not measured here: " in text


def test_the_second_process_takes_the_machine_code_from_the_cache() -> None:
    table = compiling.in_new_processes(add_up, "@numba.njit(cache=True)", 2)
    assert table.column("machine code from") == ("source", "cache")
    assert "*.nbc, *.nbi" in str(table.caption)
    eager = compiling.in_new_processes(add_up, "@numba.njit('float64(float64[:, ::1])')", 1)
    (definition,), (first,) = eager.column("definition"), eager.column("first call")
    assert definition > first  # type: ignore[operator]
    assert "cache afterwards: none" in str(eager.caption)


def not_typed(x):
    return eval("x")


def test_a_program_that_fails_in_its_process_is_shown() -> None:
    with raises(LabError, object="the program", received="exit code 1") as caught:
        compiling.in_new_processes(not_typed, "@numba.njit", 1)
    assert "eval" in str(caught.value)
