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
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    result = json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))
    assert result["score"] == 2.0, ran.stdout + ran.stderr
    assert result["tests"][0]["status"] == "passed"
    assert "isolation: bubblewrap" in ran.stdout
    setup = (root / "source" / "setup.sh").read_text(encoding="utf-8")
    assert "bubblewrap" in setup
    write_autograder(tmp_path / "other.zip", "13")
    with zipfile.ZipFile(tmp_path / "other.zip") as archive:
        (install,) = [line for line in archive.read("setup.sh").decode().splitlines()
                      if "pip install" in line]  # fmt: skip
    assert {"torch", "numpy", "nbformat", "ipython"} <= set(install.split())
