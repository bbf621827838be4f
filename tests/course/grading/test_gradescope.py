"""Gradescope's autograder, run as Gradescope runs it: unpacked, with a submission beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hpml.cli import main
from hpml.course.files import course_folder
from hpml.course.grading.platforms.gradescope import write_autograder
from tests.course.grading.handed_in import LAB, notebook
from tests.project.test_imports import interpreter

RIGHT = course_folder() / "tests" / "solutions" / "lab_06" / "count_calls" / "right.py"


@pytest.mark.needs("bubblewrap")
def test_it_grades_what_lies_in_the_submissions_folder(tmp_path: Path) -> None:
    assert main(["grade", "--gradescope", str(tmp_path / "out.zip"), "--lab", "6"]) == 0
    root = tmp_path / "autograder"
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        archive.extractall(root / "source")
        assert not [name for name in archive.namelist() if "solutions" in name]
    (root / "results").mkdir()
    (root / "submission").mkdir()
    cells = (RIGHT.read_text(encoding="utf-8"), "explanation = None")
    (root / "submission" / LAB).write_text(notebook(*cells), encoding="utf-8")
    environment = {**os.environ, "AUTOGRADER_ROOT": str(root), "AUTOGRADER_PYTHON": sys.executable}
    ran = subprocess.run(
        ["bash", str(root / "source" / "run_autograder")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    result = json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))
    assert result["score"] == 2.0, ran.stdout + ran.stderr
    assert result["tests"][0]["status"] == "passed"
    assert "isolation: bubblewrap" in ran.stdout
    setup = (root / "source" / "setup.sh").read_text(encoding="utf-8")
    assert "bubblewrap" in setup
    write_autograder(tmp_path / "other.zip", "13")
    assert {"torch", "numpy", "nbformat", "ipython"} <= set(packages(tmp_path / "other.zip"))


def packages(path: Path) -> list[str]:
    """Return what the autograder installs with pip."""
    with zipfile.ZipFile(path) as archive:
        lines = archive.read("setup.sh").decode().splitlines()
    (install,) = [line for line in lines if 'bin/pip" install' in line]
    return install.split()[3:]


APT = r"""#!/bin/sh
echo "$@" >> "$TRIED"
for each; do
    case "$each" in
        python3.*)
            case " $PACKAGED " in *" $each "*) ;; *) exit 100 ;; esac
            printf '#!/bin/sh\nexec "$REAL" "$@"\n' > "$PROGRAMS/$each" ;;
    esac
done
"""


@pytest.mark.needs("ensurepip")
@pytest.mark.parametrize(
    ("packaged", "chosen"), [("python3.11 python3.11-venv", "python3.11"), ("", "")]
)
def test_an_image_with_an_old_python_gets_a_newer_one_or_says_so_at_the_build(
    packaged: str, chosen: str, tmp_path: Path
) -> None:
    """Ubuntu 22.04, whose own Python is 3.10."""
    programs, root = tmp_path / "programs", tmp_path / "autograder"
    programs.mkdir()
    write_autograder(tmp_path / "lab.zip", "06")
    with zipfile.ZipFile(tmp_path / "lab.zip") as archive:
        archive.extractall(root / "source")
    old = '#!/bin/sh\n[ "$1" = --version ] && echo Python 3.10.12 || exit 1\n'
    names = [f"python3.{minor}" for minor in range(11, 16)]
    for name, text in {
        "python3": old,
        "apt-get": APT,
        **dict.fromkeys(names, "#!/bin/sh\nexit 127\n"),
    }.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "AUTOGRADER_ROOT": str(root),
        "AUTOGRADER_ENVIRONMENT": str(tmp_path / "environment"),
        "PIP_NO_INDEX": "1",
        "PROGRAMS": str(programs),
        "PACKAGED": packaged,
        "REAL": sys.executable,
        "TRIED": str(tmp_path / "tried"),
    }
    ran = subprocess.run(
        ["bash", str(root / "source" / "setup.sh")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode != 0  # there is no package index
    if chosen:
        assert (tmp_path / "environment" / "bin" / "python").exists(), ran.stderr
        assert "No matching distribution" in ran.stderr
    else:
        assert "needs Python 3.11 or newer" in ran.stderr
        assert "Python 3.10.12" in ran.stderr
        assert not (tmp_path / "environment").exists()
    tried = (tmp_path / "tried").read_text()
    assert "install -qy --no-install-recommends python3.13 python3.13-venv" in tried


HANDED_IN = {
    "06_forward_order.ipynb": 2.0,
    "Copy of 06_forward_order.ipynb": 2.0,
    "nothing_06_forward_order.ipynb": 0.0,
}


@pytest.mark.thorough
@pytest.mark.needs("bubblewrap")
@pytest.mark.needs("ensurepip")
def test_the_zip_has_all_that_it_needs_on_another_python(tmp_path: Path) -> None:
    version = "3.12" if sys.version_info[:2] != (3, 12) else "3.13"
    python = interpreter(version)
    if python is None:
        pytest.skip(f"needs python{version} on the search path or under pyenv")
    write_autograder(tmp_path / "lab.zip", "06")
    environment = tmp_path / "environment"
    subprocess.run([python, "-m", "venv", str(environment)], check=True)
    pip = [str(environment / "bin" / "pip"), "install", "-q"]
    subprocess.run([*pip, *packages(tmp_path / "lab.zip")], check=True)
    for number, (name, points) in enumerate(HANDED_IN.items()):
        root = tmp_path / str(number)
        with zipfile.ZipFile(tmp_path / "lab.zip") as archive:
            archive.extractall(root / "source")
        for folder in ("results", "submission"):
            (root / folder).mkdir()
        cells = (RIGHT.read_text(encoding="utf-8"),) if points else ("pass",)
        (root / "submission" / name).write_text(notebook(*cells, "explanation = None"))
        ran = subprocess.run(
            ["bash", str(root / "source" / "run_autograder")],
            env={
                **{k: v for k, v in os.environ.items() if not k.startswith(("HPML", "PYTHON"))},
                "AUTOGRADER_ROOT": str(root),
                "AUTOGRADER_PYTHON": str(environment / "bin" / "python"),
            },
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        result = json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))
        assert result["score"] == points, f"{name}: {ran.stdout}{ran.stderr}"
        assert "isolation: bubblewrap" in ran.stdout
