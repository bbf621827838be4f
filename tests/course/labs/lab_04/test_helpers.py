from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hpml.course.labs.lab_04_extensions_and_numba import compiling
from hpml.course.lesson.cells import code_cells
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.execute import find_lab
from tests.parts import raises


def cells_of_c() -> dict[str, str]:
    """Return the C texts that the notebook assigns, by name."""
    names: dict[str, str] = {}
    for text in code_cells(find_lab("04").read_text("utf-8")).values():
        if text.startswith(("method =", "module =", "c_sum2d =")):
            exec(text.partition("\nhello_module =")[0], names)
    return names


@pytest.mark.needs("C compiler")
def test_the_modules_of_the_notebook_are_built_and_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path))
    names = cells_of_c()
    hello: Any = compiling.built(names["source"], "hello_module")
    assert hello.print_hello_world() is None
    assert capsys.readouterr().out == "Hello World\n"
    source = compiling.in_a_module(names["c_sum2d"], "sum2d")
    extension: Any = compiling.built(source, "sum2d", flags=["-O0"])
    a = np.arange(6.0).reshape(2, 3)
    assert extension.sum2d(a) == 15.0
    assert extension.sum2d(np.zeros((0, 3))) == 0.0
    for wrong in (a.astype(np.float32), a[0], np.arange(4).reshape(2, 2)):
        with pytest.raises(TypeError):
            extension.sum2d(wrong)
    with pytest.raises(ValueError):
        extension.sum2d(a.T)
    assert compiling.build_seconds(source, "sum2d") > 0


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


def add_up(a: Any) -> float:
    result = 0.0
    for row in a:
        for number in row:
            result += number
    return result


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
