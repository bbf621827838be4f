"""A notebook alone, in an empty folder, with hpml installed from its wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LABS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that holds nothing but the installed wheel."""
    wheels, target = (tmp_path_factory.mktemp(name) for name in ("wheels", "installed"))
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "-w", str(wheels), str(ROOT)]
    subprocess.run([*pip, *build], check=True)
    (wheel,) = wheels.glob("*.whl")
    assert wheel.stat().st_size < 3e6
    subprocess.run([*pip, "install", "--no-deps", "--target", str(target), str(wheel)], check=True)
    return target


def alone(installed: Path, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return run_with(installed, folder, "-m", *command)


def run_with(installed: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(installed), "HPML_QUICK": "1"}
    for name in ("HPML_HOME", "HPML_RESULTS"):
        environment.pop(name, None)
    return subprocess.run(
        [sys.executable, *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("lab", [LABS[0], LABS[6]], ids=lambda lab: lab.stem)
def test_a_lone_notebook_runs(lab: Path, installed: Path, tmp_path: Path) -> None:
    shutil.copy(lab, tmp_path)
    done = alone(installed, tmp_path, "jupyter", "execute", "--inplace", lab.name)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "results").is_dir()


@pytest.mark.thorough
@pytest.mark.parametrize("lab", [*LABS[1:6], *LABS[7:]], ids=lambda lab: lab.stem)
def test_every_other_lone_notebook_runs(lab: Path, installed: Path, tmp_path: Path) -> None:
    test_a_lone_notebook_runs(lab, installed, tmp_path)


@pytest.mark.parametrize("command", [["doctor"], ["run", "00"], ["bench"], ["grade", "00"]])
def test_commands_work_without_a_clone(command: list[str], installed: Path, tmp_path: Path) -> None:
    done = alone(installed, tmp_path, "hpml", *command)
    assert done.returncode == 0, done.stderr


def test_lab_writes_the_course_beside_and_overwrites_nothing(
    installed: Path, tmp_path: Path
) -> None:
    program = "from hpml.course.server import own_course; print(own_course())"

    def written() -> subprocess.CompletedProcess[str]:
        return run_with(installed, tmp_path, "-c", program)

    course = tmp_path / "hpml-course"
    assert written().stdout.splitlines()[-1] == str(course)
    first = course / "notebooks" / LABS[0].name
    assert first.read_text(encoding="utf-8") == LABS[0].read_text(encoding="utf-8")
    first.write_text("mine", encoding="utf-8")
    assert written().stdout.strip() == str(course)
    assert first.read_text(encoding="utf-8") == "mine"
    shutil.rmtree(course / "data")
    assert "CourseFileError" in written().stderr
