"""A program with a compiler's name counts as one only if it compiles."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from hpml.base.files import cache_folder, write_atomically
from hpml.jit import compilers, find_compiler, find_cpp_compiler, why_not_inductor
from hpml.jit.compilers import why_no_compiler

if TYPE_CHECKING:
    from pathlib import Path

STUB = "echo 'xcode-select: note: No developer tools were found' >&2; exit 1"
WORKS = ": > made"
SILENT = "exit 0"  # reports success and makes nothing


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that writes a program; the path has nothing else."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("HPML_CACHE", str(tmp_path / "cache"))
    for variable in ("CC", "CXX"):
        monkeypatch.delenv(variable, raising=False)

    def write(name: str, text: str) -> Path:
        path = folder / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    return write


def test_stubs_are_passed_over_and_the_first_that_compiles_is_found(put: Any) -> None:
    put("cc", STUB)
    put("gcc", SILENT)
    put("clang", WORKS)
    assert find_compiler() == "clang"
    assert why_no_compiler() == ""


def test_the_words_of_a_stub_are_the_reason(put: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    put("cc", STUB)
    put("my++", STUB)
    monkeypatch.setenv("CXX", "my++")
    assert (find_compiler(), find_cpp_compiler()) == (None, None)
    for command, reason in (("cc", why_no_compiler()), ("my++", why_not_inductor())):
        assert command in reason
        assert "No developer tools were found" in reason


def test_a_compiler_is_tried_once_and_again_when_it_is_replaced(put: Any) -> None:
    counting = 'echo x >> "${0%/*}/count"; '
    place = put("cc", counting + STUB)
    for _ in range(2):
        assert find_compiler() is None
    assert (place.parent / "count").read_text(encoding="ascii") == "x\n"
    # The tools are installed while the notebook is open.
    put("cc", WORKS + "\n# longer")
    stat = place.stat()
    compilers.os.utime(place, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert find_compiler() == "cc"


@pytest.fixture
def inductor(put: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that sets what compiling in another process answers; it counts the runs."""
    put("my++", WORKS)
    monkeypatch.setenv("CXX", "my++")
    monkeypatch.setattr(compilers, "unlinkable_path", lambda: "")
    compilers._inductor_refusal.cache_clear()
    run = compilers.ask
    runs: list[list[str]] = []

    def answers(code: int, output: str, errors: str = "") -> list[list[str]]:
        def ask(command: list[str], *rest: Any, **named: Any) -> Any:
            if command[1:2] != ["-P"]:
                return run(command, *rest, **named)
            runs.append(command)
            return subprocess.CompletedProcess(command, code, output, errors)

        monkeypatch.setattr(compilers, "ask", ask)
        return runs

    yield answers
    compilers._inductor_refusal.cache_clear()


def test_that_inductor_works_is_remembered_for_the_next_process(inductor: Any) -> None:
    runs = inductor(0, "compiled\n")
    for _ in range(2):
        assert why_not_inductor() == ""
        compilers._inductor_refusal.cache_clear()  # as in another process
    assert len(runs) == 1
    kept = json.loads((cache_folder("compilers") / "inductor.json").read_text(encoding="utf-8"))
    assert len(kept) == 1


def test_why_inductor_fails_is_said_and_tried_again_by_the_next_process(inductor: Any) -> None:
    runs = inductor(1, "", "Traceback\nlink.cpp:1:1: error: no omp.h\nmore\n")
    for _ in range(2):
        assert "no omp.h" in why_not_inductor()
    assert len(runs) == 1
    compilers._inductor_refusal.cache_clear()
    inductor(0, "compiled\n")
    assert why_not_inductor() == ""


def test_a_space_in_the_temporary_folder_has_a_remedy(
    inductor: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inductor(1, "", "g++: fatal error: input file\n")
    spaced = tmp_path / "with space"
    spaced.mkdir()
    monkeypatch.setattr(compilers.tempfile, "tempdir", str(spaced))
    assert "set TMPDIR" in why_not_inductor()


def test_what_is_kept_of_earlier_probes_may_be_damaged(inductor: Any) -> None:
    write_atomically(cache_folder("compilers") / "inductor.json", "{")
    inductor(0, "compiled\n")
    assert why_not_inductor() == ""


@pytest.mark.thorough
@pytest.mark.skipif(find_cpp_compiler() is None, reason="needs a C++ compiler, such as g++")
def test_a_space_in_the_temporary_folder_is_found_by_compiling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spaced = tmp_path / "with space"
    spaced.mkdir()
    monkeypatch.setenv("TMPDIR", str(spaced))
    monkeypatch.setattr(compilers.tempfile, "tempdir", None)
    compilers._inductor_refusal.cache_clear()
    assert "set TMPDIR" in why_not_inductor()
