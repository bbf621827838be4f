"""The cell magic."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from hpml.profiling import FunctionProfile, ProfilingError, load_ipython_extension, read_profile


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    shell = InteractiveShell()
    load_ipython_extension(shell)
    return shell


CELL = "def work(n):\n    return sum(range(n))\nfound = work(10)\n"


def test_a_cell_is_profiled_and_its_names_stay(shell: Any, tmp_path: Path) -> None:
    file = tmp_path / "cell.prof"
    found = shell.run_cell_magic("hpml_profile", f"-o {file}", CELL)
    assert isinstance(found, FunctionProfile)
    assert shell.user_ns["found"] == 45
    assert len(found.table(search="(work)")) == 1
    assert read_profile(file) == found


def test_bad_options_and_errors_in_the_cell_are_said(shell: Any) -> None:
    with pytest.raises(ProfilingError, match=r"used as %%hpml_profile \[-o FILE\]"):
        shell.run_cell_magic("hpml_profile", "--wrong", CELL)
    with pytest.raises(ZeroDivisionError):
        shell.run_cell_magic("hpml_profile", "", "1 / 0")
    assert shell.run_cell_magic("hpml_profile", "", CELL).calls > 1


def test_a_missing_folder_and_an_await_are_refused_before_the_cell_runs(
    shell: Any, tmp_path: Path
) -> None:
    for options, cell in (
        (f"-o {tmp_path}/none/p.prof", CELL),
        ("", f"{CELL}import asyncio\nawait asyncio.sleep(0)\n"),
    ):
        with pytest.raises(ProfilingError):
            shell.run_cell_magic("hpml_profile", options, cell)
    assert not (tmp_path / "none").exists()
    assert "found" not in shell.user_ns
