"""A test for want of a tool is skipped, the tool is named once, and `HPML_CI=1` refuses that."""

from __future__ import annotations

import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import EXAMPLES, TOOLS

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pytest
from tests.needs import require

TOOLS = {tools!r}
each = pytest.mark.parametrize("tool", [pytest.param(t, marks=pytest.mark.needs(t)) for t in TOOLS])

@pytest.fixture(params=TOOLS)
def required(request):
    require(request.param)

@pytest.mark.parametrize("number", range(3))
@each
def test_with_a_marker(tool, number):
    pass

def test_with_a_fixture(required):
    pass

def test_without():
    pass
"""
PROGRAMS = {
    "bubblewrap": ["bwrap"], "Chromium": ["chromium"], "C compiler": ["cc", "gcc", "clang"],
    "C++ compiler": ["g++"], "git": ["git"], "make": ["make"],
}  # fmt: skip


def run(folder: Path, tools: list[str], *words: str, ci: str = "0") -> tuple[int, str]:
    """Run the tests above with `folder/bin` as the path; return the exit code and the output."""
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n", encoding="utf-8")
    (folder / "test_it.py").write_text(TESTS.format(tools=tools), encoding="utf-8")
    environment = {name: text for name, text in os.environ.items() if name not in ("CC", "CXX")} | {
        "HPML_CI": ci,
        "PATH": str(folder / "bin"),
        "PLAYWRIGHT_BROWSERS_PATH": str(folder / "none"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "tests.needs"]
    ran = subprocess.run(
        [*command, *words, "test_it.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout + ran.stderr


def test_a_missing_tool_is_named_once_with_its_tests_and_what_installs_it(tmp_path: Path) -> None:
    code, output = run(tmp_path, [*PROGRAMS], "-p", "xdist.plugin", "-n2")
    for tool in PROGRAMS:
        install = TOOLS[tool].install()
        assert re.findall(rf"(?m)^.*needs {re.escape(tool)}.*$", output) == []
        assert re.findall(rf"(?m)^{re.escape(tool)} .*$", output) == [
            f"{tool} is missing: 4 tests skipped; {install}"
        ]
    assert f"1 passed, {4 * len(PROGRAMS)} skipped" in output
    assert code == 0


@pytest.mark.skipif(os.name != "posix", reason="needs a system whose scripts are programs")
def test_a_program_that_only_exists_is_no_tool(tmp_path: Path) -> None:
    """As the stubs of macOS, and of Ubuntu for Chromium, which ask to install something."""
    (tmp_path / "bin").mkdir()
    for name in (name for names in PROGRAMS.values() for name in names):
        stub = tmp_path / "bin" / name
        stub.write_text("#!/bin/sh\necho first install it >&2\nexit 1\n", encoding="utf-8")
        stub.chmod(0o755)
    code, output = run(tmp_path, [*PROGRAMS])
    for tool in PROGRAMS:
        (line,) = re.findall(rf"(?m)^{re.escape(tool)} .*$", output)
        assert "does not work (first install it): 4 tests skipped" in line
    assert code == 0


def test_continuous_integration_refuses_to_skip_for_want_of_a_tool(tmp_path: Path) -> None:
    code, output = run(tmp_path, ["git"], ci="1")
    assert "1 passed, 4 errors" in output
    assert code == 1


def test_an_unknown_tool_is_an_error_that_names_the_known_ones(tmp_path: Path) -> None:
    code, output = run(tmp_path, ["bublewrap"])
    assert code == pytest.ExitCode.USAGE_ERROR
    assert all(tool in output for tool in TOOLS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_an_example_needs_is_said_of_an_example(name: str) -> None:
    module = importlib.import_module(name.rpartition(".")[0])
    found = {test.name for test in doctest.DocTestFinder().find(module) if test.examples}
    assert name in found
    assert set(EXAMPLES[name]) <= TOOLS.keys()
