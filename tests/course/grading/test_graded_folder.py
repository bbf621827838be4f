"""``pytest tests/graded`` as one types it, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest

from hpml.course.files import course_folder
from tests.course.grading.handed_in import hand_in

COUNT_CALLS = Path("tests", "solutions", "lab_06", "count_calls", "right.py")


def _pytest(folder: Path, *words: str) -> tuple[int, str]:
    own = ["-p", "no:cacheprovider", "--basetemp", folder / "own"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *own, *words],
        cwd=course_folder(),
        capture_output=True,
        text=True,
        check=False,
        # HPML_CI is for the suite that is running; this is a person's pytest.
        env={name: value for name, value in os.environ.items() if name != "HPML_CI"},
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[Path]:
    """A submission that is full of what Python and pytest run by themselves; none of it ran."""
    right = (course_folder() / COUNT_CALLS).read_text(encoding="utf-8")
    stub = "def lazy_forward(parents, operations, inputs, output):\n    ..."
    folder = hand_in(tmp_path / "ada", right, stub)
    mark = tmp_path / "ran"
    for name in ("conftest.py", "sitecustomize.py", "evil.py", "pytest.py", "argparse.py"):
        (folder / name).write_text(f"open({str(mark)!r}, 'w')\n")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p evil\npythonpath = .\n")
    yield folder
    assert not mark.exists()


@pytest.mark.needs("bubblewrap")
def test_a_submission_passes_where_it_is_right_and_fails_where_it_is_not_done(
    hostile: Path, tmp_path: Path
) -> None:
    junit = tmp_path / "junit.xml"
    words = [f"--submission={hostile}", "--seed", "5", "--junitxml", str(junit), "-n1"]
    code, text = _pytest(tmp_path, "tests/graded", *words, "-m", "count_calls or lazy_forward")
    assert code == 1
    assert "grading ada with seed 5" in text
    assert "1 failed, 1 passed" in text
    assert "06.2 lazy_forward: not done, 0 of" in text
    assert "Traceback" not in text
    assert "conftest.py" not in text
    cases = {case.get("name"): case for case in ElementTree.parse(junit).iter("testcase")}
    assert sorted(cases) == ["test_exercise[06.1 count_calls]", "test_exercise[06.2 lazy_forward]"]
    properties = cases["test_exercise[06.1 count_calls]"].iter("property")
    assert {each.get("name"): each.get("value") for each in properties}["seed"] == "5"


@pytest.mark.needs("bubblewrap")
def test_a_submission_before_the_folder_is_data_to_pytest_as_well(hostile: Path) -> None:
    words = [f"--submission={hostile}/", "tests/graded", "-m", "count_calls"]
    code, text = _pytest(hostile.parent, *words)
    assert "1 passed" in text
    assert code == 0


@pytest.mark.parametrize(
    "words", [["tests/graded", "--submission", "{}"], ["--submission", "{}", "tests/graded"]]
)
def test_a_path_of_its_own_is_refused_before_anything_there_runs(
    words: list[str], hostile: Path
) -> None:
    # What pytest reads before it knows the option: the settings nearest to the first path.
    if words[0] == "--submission":
        (hostile / "pytest.ini").unlink()
    code, text = _pytest(hostile.parent, *(word.format(hostile) for word in words))
    assert code == 4
    assert "expected --submission=PATH" in text


def test_plain_pytest_passes_the_folder_over(tmp_path: Path) -> None:
    # All but the folder of the exercises.
    folder = course_folder() / "tests"
    others = [f"--ignore={each}" for each in folder.iterdir() if each.name != "graded"]
    code, text = _pytest(tmp_path, "--collect-only", "-q", "tests", *others)
    assert code == 5, text


def test_a_notebook_whose_name_does_not_say_its_lab_is_graded_with_the_advice(
    tmp_path: Path,
) -> None:
    path = hand_in(tmp_path / "ada") / "06_forward_order.ipynb"
    words = ["tests/graded", f"--submission={path.rename(path.with_name('mine.ipynb'))}"]
    code, text = _pytest(tmp_path, *words)
    assert (code, "--lab" in text) == (4, True)
    code, text = _pytest(tmp_path, *words, "--lab", "6", "--collect-only", "-q")
    assert (code, "06.1 count_calls" in text) == (0, True)


def test_what_is_no_submission_is_said(tmp_path: Path) -> None:
    code, text = _pytest(tmp_path, "tests/graded", f"--submission={tmp_path / 'none'}")
    assert code == 4
    assert str(tmp_path / "none") in text
