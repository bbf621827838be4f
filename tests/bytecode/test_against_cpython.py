"""The stack machine does what CPython does: on this Python, and on the others installed."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hpml.bytecode import run
from hpml.bytecode.disassembly.versions import SUPPORTED, python_version
from hpml.bytecode.machine import tracebacks
from hpml.bytecode.machine.opcodes import operators
from tests.bytecode import offsets
from tests.bytecode.against_cpython import SECTIONS, result_of
from tests.bytecode.cases import corpus
from tests.bytecode.outcome import differences, outcome_of
from tests.project.test_imports import interpreter

ROOT = Path(__file__).parents[2]
OTHERS = [release for release in SUPPORTED if release != python_version()]


@pytest.fixture(autouse=True)
def _no_loop_around() -> Iterator[None]:
    """Let a compared function start an event loop after Playwright has left its own running."""
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(running)


@pytest.mark.parametrize("section", SECTIONS)
def test_agrees_on_this_python(section: str) -> None:
    result = result_of(section)
    assert result["cases"] > 0
    assert result["disagreements"] == {}


@pytest.mark.parametrize("release", OTHERS)
def test_agrees_on_the_other_pythons(release: str) -> None:
    python = interpreter(release)
    if python is None:
        pytest.skip(f"python{release} is not installed; with it this test would run")
    printed = _printed(python, "tests.bytecode.against_cpython")
    # A generator that a program left open may say at the interpreter's end that it is closed.
    (line,) = [line for line in printed.splitlines() if line.startswith('{"python": ')]
    result = json.loads(line)
    assert result["python"] == release
    assert set(result["sections"]) == set(SECTIONS)
    for section, its in result["sections"].items():
        assert its["cases"] > 0, section
        assert its["disagreements"] == {}, section


@pytest.mark.parametrize("release", OTHERS)
def test_the_values_hold_on_the_other_pythons(release: str) -> None:
    python = interpreter(release)
    if python is None:
        pytest.skip(f"python{release} is not installed; with it this test would run")
    assert f"hold on {release}" in _printed(python, "tests.bytecode.plain_checks")


def _printed(python: str, module: str) -> str:
    """Return what a module prints, run by another interpreter with nothing installed."""
    done = subprocess.run(
        [python, "-s", "-W", "error", "-m", module],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.stdout, done.stderr
    return done.stdout


def test_the_comparison_notices_a_wrong_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(operators.BINARY, "+", operators.BINARY["-"])
    function = corpus()["expressions.every_binary_operator"]
    assert set(differences(outcome_of(function), outcome_of(run, function))) == {"value"}


def test_the_comparison_notices_a_wrong_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracebacks, "add_entry", lambda error, frame, **_: None)
    function = corpus()["failing.uncaught_in_a_nested_call"]
    assert set(differences(outcome_of(function), outcome_of(run, function))) == {"error", "report"}


def test_the_comparison_notices_a_wrong_order(monkeypatch: pytest.MonkeyPatch) -> None:
    function = corpus()["lines.lines_of_a_reraised_exception"]  # with cells, which are prepared
    codes = offsets.codes_of(function.__code__)
    native = offsets.by_cpython(function, codes)
    assert offsets.by_machine(function, codes) == native
    monkeypatch.setattr(offsets, "silent", lambda _: ())
    assert offsets.by_machine(function, codes) != native
