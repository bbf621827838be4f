"""What some tests need of the machine: how it is tried, and which command installs it.

A test says what it needs by a marker, ``@pytest.mark.needs("bubblewrap", "git")``; a fixture calls
``require("Chromium")``. A tool is tried when the first test of a process needs it: a program that
exists may still not work. The end of a run names each missing tool once. With ``HPML_CI=1`` no test
may be skipped for want of one.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

MISSING = "is missing"


@dataclass(frozen=True)
class Tool:
    """A program: what is wrong with it here ("" if it works), and the command that installs it."""

    trouble: Callable[[], str]
    install: Callable[[], str]


def _run(*command: str, folder: str | None = None) -> str:
    """Run a command; return "" if it succeeds, otherwise what is wrong."""
    if shutil.which(command[0]) is None:
        return MISSING
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=120,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not work ({error})"
    if done.returncode == 0:
        return ""
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return f"does not work ({said[0][:200] if said else f'exit code {done.returncode}'})"


def _bubblewrap() -> str:
    from hpml.course.grading import CannotIsolate
    from hpml.course.grading.sandbox import require_isolation

    first = _run("bwrap", "--unshare-all", "--ro-bind", "/", "/", sys.executable, "-c", "")
    if first:
        return first
    try:
        require_isolation("bubblewrap")  # the whole sandbox, of which the above is a part
    except CannotIsolate as error:
        return f"does not work ({str(error).splitlines()[0]})"
    return ""


def _chromium() -> str:
    from tests.browser.chromium import chromium  # a student's copy has none

    program = chromium()
    if program is None:
        return MISSING
    with tempfile.TemporaryDirectory() as profile:
        options = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}")
        return _run(program, *options, "--dump-dom", "about:blank")


def _compiles(compiler: str | None, file: str) -> str:
    """Compile a module that does nothing, as extensions and `torch.compile` do."""
    if compiler is None:
        return MISSING
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, file).write_text("#include <Python.h>\n", encoding="utf-8")
        include = sysconfig.get_path("include")
        return _run(
            compiler, f"-I{include}", "-shared", "-fPIC", "-o", "empty.so", file, folder=folder
        )


def _c_compiler() -> str:
    from hpml.jit import find_compiler

    there = next(filter(shutil.which, ("cc", "gcc", "clang")), None)
    return _compiles(find_compiler() or there, "empty.c")  # one that does not work says why


def _cpp_compiler() -> str:
    from hpml.jit.compilers import find_cpp_compiler, unlinkable_path

    # `torch.compile` quotes no path for the compiler.
    folder = os.environ.get("TORCHINDUCTOR_CACHE_DIR") or tempfile.gettempdir()
    if " " in folder and sys.platform != "win32":
        return f"does not work (for torch.compile, with the space in {folder}: set TMPDIR)"
    if path := unlinkable_path():
        return f"does not work (for torch.compile, with the space in {path})"
    return _compiles(find_cpp_compiler() or shutil.which("g++"), "empty.cpp")


def _another_user() -> str:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return MISSING
    user = ("--reuid=65534", "--regid=65534", "--clear-groups")
    return _run("setpriv", *user, "true")


def _packages(*names: str) -> Callable[[], str]:
    return lambda: f"apt-get install {' '.join(names)}"


def _compiler(package: str) -> Callable[[], str]:
    """Return how to install a compiler and, where they are missing, the headers of Python."""

    def install() -> str:
        if sys.platform == "darwin":
            return "xcode-select --install"
        if Path(sysconfig.get_path("include"), "Python.h").exists():
            return f"apt-get install {package}"
        return f"apt-get install {package} python{sys.version_info[0]}.{sys.version_info[1]}-dev"

    return install


TOOLS = {
    "bubblewrap": Tool(_bubblewrap, _packages("bubblewrap")),
    "Chromium": Tool(
        _chromium,
        lambda: (
            f"{os.path.relpath(sys.executable)} -m playwright install chromium"
            if sys.platform != "linux"
            else "apt-get install chromium"
        ),
    ),
    "C compiler": Tool(_c_compiler, _compiler("gcc")),
    "C++ compiler": Tool(_cpp_compiler, _compiler("g++")),
    "git": Tool(lambda: _run("git", "--version"), _packages("git")),
    "ensurepip": Tool(
        lambda: _run(sys.executable, "-c", "import ensurepip; ensurepip.version()"),
        _packages("python3-venv"),
    ),
    "make": Tool(lambda: _run("make", "--version"), _packages("make")),
    "root": Tool(_another_user, lambda: "run the tests as root"),
}

EXAMPLES = {"hpml.jit.extension.build_extension": ("C compiler",)}
"""What the examples in docstrings need, by the name of the object."""

_CI = os.environ.get("HPML_CI") == "1"
# What a machine may lack that `.ci/run` cannot install.
_MAY_SKIP = re.compile(r"\b(GPU|CUDA)\b|\bpython3\.\d+\b")
_REASON = re.compile(rf"needs ({'|'.join(map(re.escape, TOOLS))}), which (.+); (.+)")


@functools.cache
def trouble(name: str) -> str:
    """Return "" if a tool works here, or what is wrong: it is missing, or does not work."""
    return TOOLS[name].trouble()


def require(name: str) -> None:
    """Skip the running test unless the tool works here."""
    if found := trouble(name):
        # On one line: reports and the summary are compared by it.
        found = " ".join(found.split())
        pytest.skip(f"needs {name}, which {found}; {TOOLS[name].install()}")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*tools): skipped, and reported so, without the tools")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.DoctestItem) and item.name in EXAMPLES:
            item.add_marker(pytest.mark.needs(*EXAMPLES[item.name]))
        if unknown := sorted(_needs(item) - TOOLS.keys()):
            known = ", ".join(TOOLS)
            raise pytest.UsageError(f"{item.nodeid} needs {', '.join(unknown)}: expected {known}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for name in sorted(_needs(item)):
        require(name)


def _needs(item: pytest.Item) -> set[str]:
    return {name for marker in item.iter_markers("needs") for name in marker.args}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Any:
    report = yield
    _refuse_skip(report)
    return report


def _reason(report: Any) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return str(text).removeprefix("Skipped: ")


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """With ``HPML_CI=1``, turn a skip for want of something installable into a failure."""
    if not (_CI and report.skipped) or hasattr(report, "wasxfail"):
        return
    reason = _reason(report)
    if _REASON.fullmatch(reason) or not _MAY_SKIP.search(reason):
        report.outcome = "failed"
        report.longrepr = f"Skipped with HPML_CI=1, though it could run here: {reason}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name each missing tool, and each other reason to skip, once."""
    counts: Counter[str] = Counter()
    first: dict[str, re.Match[str]] = {}
    for report in terminalreporter.stats.get("skipped", ()):
        reason = _reason(report)
        if found := _REASON.fullmatch(reason):
            reason = found[1]
            first.setdefault(reason, found)
        counts[reason] += 1
    if not counts:
        return
    terminalreporter.section("skipped")
    for reason, count in sorted(counts.items(), key=lambda each: (each[0] not in first, -each[1])):
        tests = f"{count} test{'s' if count > 1 else ''} skipped"
        if reason in first:
            _, found, install = first[reason].groups()
            terminalreporter.write_line(f"{reason} {found}: {tests}; {install}")
        else:
            terminalreporter.write_line(f"{tests}: {reason}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With ``HPML_CI=1``, a session in which nothing ran has failed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if _CI and reporter is not None and not reporter.stats.get("passed"):
        session.exitstatus = session.exitstatus or pytest.ExitCode.NO_TESTS_COLLECTED
