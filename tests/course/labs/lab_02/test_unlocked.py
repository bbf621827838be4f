from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hpml.course.files import recorded
from hpml.course.labs.lab_02_bytecode import unlocked
from hpml.course.lesson.cells import code_cells
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.execute import find_lab
from tests.parts import raises


def share(n: int) -> None:
    while n:
        n -= 1


def two_threads(n: int) -> float:
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(share, [n, n]))
    return 0.5


def broken(n: int) -> None:
    raise ValueError(n)


@pytest.fixture
def none_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(unlocked.VARIABLE, "no-such-python")


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program that takes `-X gil=...` and then runs this Python."""
    if sys.platform == "win32":
        pytest.skip("needs a shell")
    program = tmp_path / "python3.99t"
    program.write_text(f'#!/bin/sh\nshift 2\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv(unlocked.VARIABLE, str(program))


@pytest.mark.usefixtures("none_found")
def test_without_a_free_threaded_python_the_recorded_result_is_shown_as_recorded() -> None:
    both = unlocked.with_and_without_lock(share, two_threads, 100, rounds=6)
    assert [each.lock for each in both.free] == [True, False]
    assert both.recorded_on == recorded(unlocked.RECORDING)["machine"]
    assert both.here.returned == (0.5,) * 3
    assert both.unsure
    assert all("(recorded)" in name for name in list(both.named)[1:])
    assert unlocked.VARIABLE in both.note()
    assert both.recorded_on in str(both.draw())


@pytest.mark.usefixtures("found")
def test_a_free_threaded_python_is_run_with_its_lock_on_and_off() -> None:
    both = unlocked.with_and_without_lock(share, two_threads, 100, rounds=6)
    assert len(both.free) == 2
    assert both.recorded_on == ""
    assert "recorded" not in str(both.draw())
    assert both.kept == 0.5


@pytest.mark.parametrize(("two", "said"), [(1.9, True), (1.1, False)])
def test_a_busy_machine_is_named_and_the_recorded_result_shown(two: float, said: bool) -> None:
    samples = [[1.0] * 25, [two] * 25]
    found = {"python": "3.99", "lock": False, "samples": samples, "returned": [None]}
    result = unlocked.read_threads(found)
    both = unlocked.WithAndWithout(result, (result, result))
    assert bool(both.unsure) == said
    assert ("The recorded result is" in both.note()) == said


@pytest.mark.usefixtures("none_found")
def test_a_function_that_fails_there_is_reported() -> None:
    with raises(LabError, object=f"Python started by {sys.executable}", received="ValueError: 100"):
        unlocked.with_and_without_lock(share, broken, 100, rounds=6)


def test_the_recording_is_of_the_notebooks_functions() -> None:
    cells = code_cells(find_lab("02").read_text("utf-8")).values()
    script = Path(find_lab("02")).parents[1] / "data" / "recorded" / "record_free_threading.py"
    plain = script.read_text("utf-8").replace("  # type: ignore[no-untyped-def]", "")
    for start in ("def share(", "counter = [0]\n"):
        (source,) = (cell for cell in cells if cell.startswith(start))
        functions = ["def " + text.rstrip() for text in ("\n" + source).split("\ndef ")[1:]]
        for function in functions:
            assert function.partition("\n\n\n")[0] in plain


def test_the_recording_names_its_machine_its_command_and_how_it_was_built() -> None:
    data: dict[str, Any] = recorded(unlocked.RECORDING)
    assert "--disable-gil" in data["built"]
    assert data["command"].endswith("python3.13t python3.13")
    assert data["machine"] in unlocked.price()
