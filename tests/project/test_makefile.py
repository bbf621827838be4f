"""What `make` says to who asks it for a Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
THIS = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.mark.needs("make")
@pytest.mark.parametrize("made_with", [THIS, "3.99"])
def test_an_environment_of_another_python_than_asked_for_is_not_taken_silently(
    made_with: str, tmp_path: Path
) -> None:
    program = tmp_path / "bin" / "python"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho {made_with}\n", encoding="utf-8")
    program.chmod(0o755)
    command = ["make", "-o", f"{tmp_path}/.installed", ".venv", f"VENV={tmp_path}"]
    done = subprocess.run(
        [*command, f"PYTHON={sys.executable}"], cwd=ROOT, capture_output=True, text=True
    )
    told = f"has Python {made_with}, not '{sys.executable}'. One beside it: add VENV=.venv-2"
    assert (told in done.stderr) == (made_with != THIS)
    assert (done.returncode != 0) == (made_with != THIS)


def make_environment(venv: Path, python: str) -> subprocess.CompletedProcess[str]:
    command = ["make", ".venv", f"VENV={venv}", f"PYTHON={python}"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.needs("make")
def test_a_python_that_cannot_make_environments_is_said_with_the_package_that_helps(
    tmp_path: Path,
) -> None:
    """Debian's python3 has no ensurepip without another package."""
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *ensurepip*) exit 1; esac\nexec "{sys.executable}" "$@"\n',
        encoding="utf-8",
    )
    python.chmod(0o755)
    done = make_environment(tmp_path / "venv", str(python))
    assert done.returncode != 0
    assert f"apt-get install python{THIS}-venv" in done.stderr
    assert not (tmp_path / "venv").exists()


@pytest.mark.needs("make")
def test_where_no_environment_can_be_made_another_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = make_environment(tmp_path / "file" / "venv", sys.executable)
    assert done.returncode != 0
    assert "make lab VENV=" in done.stderr
