"""The stack machine does what CPython does: on this Python, and on the others installed."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hpml.bytecode import run, tracebacks
from hpml.bytecode.opcodes import operators
from hpml.bytecode.opcodes.versions import HANDLERS
from hpml.bytecode.program import version
from tests.bytecode import offsets
from tests.bytecode.against_cpython import SECTIONS, result_of
from tests.bytecode.cases import corpus
from tests.bytecode.outcome import differences, outcome_of

ROOT = Path(__file__).parents[2]


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


@pytest.mark.parametrize("release", [release for release in HANDLERS if release != version()])
def test_agrees_on_the_other_pythons(release: str) -> None:
    python = _interpreter(release)
    if python is None:
        pytest.skip(f"python{release} is not installed; with it this test would run")
    found = subprocess.run(
        [python, "-W", "error", "-m", "tests.bytecode.against_cpython", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert found.stdout, found.stderr
    result = json.loads(found.stdout)
    assert result["python"] == release
    assert set(result["sections"]) == set(SECTIONS)
    for section, its in result["sections"].items():
        assert its["cases"] > 0, section
        assert its["disagreements"] == {}, section


def test_the_comparison_notices_a_wrong_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(operators.BINARY, "+", operators.BINARY["-"])
    function = corpus()["expressions.every_binary_operator"]
    assert set(differences(outcome_of(function), outcome_of(run, function))) == {"value"}


def test_the_comparison_notices_a_wrong_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracebacks, "add", lambda error, frame: None)
    function = corpus()["failing.uncaught_in_a_nested_call"]
    assert set(differences(outcome_of(function), outcome_of(run, function))) == {"error", "report"}


def test_the_comparison_notices_a_wrong_order(monkeypatch: pytest.MonkeyPatch) -> None:
    function = corpus()["flow.for_with_else"]
    codes = offsets.codes_of(function.__code__)
    native = offsets.by_cpython(function, codes)
    assert offsets.by_machine(function, codes) == native
    monkeypatch.setattr(offsets, "NEVER_REPORTED", {version(): {}})
    assert offsets.by_machine(function, codes) != native


def test_the_corpus_has_every_kind_of_construct() -> None:
    assert len(corpus()) >= 200


def _interpreter(release: str) -> str | None:
    """Return an interpreter of that release: on the path, or where pyenv keeps them."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    candidates = [shutil.which(f"python{release}")]
    candidates += [
        str(path) for path in sorted((pyenv / "versions").glob(f"{release}.*/bin/python{release}"))
    ]
    for candidate in filter(None, candidates):
        answer = subprocess.run(
            [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
            capture_output=True,
            text=True,
        )
        if answer.stdout.strip() == release:
            return candidate
    return None
