"""The student's copy holds no answer, runs on its own, and a second one keeps a student's cells."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest

import hpml
from hpml.base.errors import UsageError
from hpml.course.labs.catalogue import LABS, exercises
from hpml.course.lesson.execute import find_lab
from hpml.course.release import student_copy, wheel
from hpml.course.release.address import address_of
from hpml.course.release.folder import ReleaseError
from tests.needs import require
from tests.parts import raises

ROOT = Path(__file__).resolve().parents[3]
SOLUTIONS = sorted((ROOT / "tests" / "solutions").rglob("right*.py"))


WHEEL = f"hpml_labs-{hpml.__version__}-py3-none-any.whl"
ADDRESS = "https://github.com/OWNER/REPOSITORY"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if (ROOT / ".git").exists():  # what git tracks is handed out; without it, all that is there
        require("git")
    out = tmp_path_factory.mktemp("release") / "students"
    student_copy.release(out)
    return out


@pytest.fixture(scope="module")
def unpacked(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the files of the wheel that is in the copy."""
    folder = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(copy / "notebooks" / WHEEL) as archive:
        archive.extractall(folder)
    return folder


def run(folder: Path, *command: str) -> str:
    """Run a program in a student's copy, which finds the copy's own package and no other."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "HPML_RESULTS": str(folder / "results")}
    environment.pop("HPML_HOME", None)
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def code_of(path: Path) -> str:
    """Return the text of a file; of a notebook, that of its cells."""
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8", errors="replace")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells)


def lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines()}


def test_no_distinctive_line_of_a_solution_is_in_it_or_in_its_wheel(
    copy: Path, unpacked: Path
) -> None:
    """Distinctive: in no wrong answer, no reference and no stub, and at least 20 characters."""
    course = [*(ROOT / "hpml").rglob("*.py"), *(ROOT / "tests" / "graded").rglob("*.py")]
    known = set().union(*(lines(code_of(path)) for path in course))
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            if "exercise" in cell["metadata"].get("tags", []):
                known |= lines("".join(cell["source"]))
    files = [path for folder in (copy, unpacked) for path in folder.rglob("*") if path.is_file()]
    there = set().union(*(lines(code_of(path)) for path in files))
    distinctive = {
        path: {line for line in lines(code_of(path)) - known if len(line) >= 20}
        for path in SOLUTIONS
    }
    assert sum(map(len, distinctive.values())) > len(SOLUTIONS)
    assert {path.name: found for path, own in distinctive.items() if (found := own & there)} == {}


def test_nothing_for_instructors_and_no_other_test_is_in_it(copy: Path) -> None:
    assert {path.name for path in copy.iterdir()} == {
        "LICENSE", "Makefile", "README.md", "conftest.py", "constraints.txt", "data", "hpml",
        "environment.yml", "notebooks", "pyproject.toml", "tests", ".gitignore", ".gitattributes",
        ".hpml-files.json",
    }  # fmt: skip
    assert {path.name for path in (copy / "tests").iterdir()} == {"graded", "needs.py"}
    readme = (copy / "README.md").read_text(encoding="utf-8")
    assert "make lab" in readme
    assert not {"hpml book", "--class", "INSTRUCTORS", "CONTRIBUTING"} & set(readme.split())
    assert "## For instructors" not in readme
    for link in re.findall(r"\]\((?!http)([^)#]+)", readme):
        assert (copy / link).exists(), link


def test_the_wheel_is_built_from_the_released_files(copy: Path, unpacked: Path) -> None:
    assert not [*unpacked.rglob("wrong_answers/*.py"), *unpacked.rglob("texts.toml")]
    assert not [*unpacked.rglob("*.whl"), *unpacked.rglob("solutions")]
    inside = unpacked / "hpml" / "_course"
    places = ((copy / "hpml", unpacked / "hpml"),)
    places += tuple((copy / name, inside / name) for name in ("notebooks", "data"))
    for released, installed in places:
        for path in released.rglob("*"):
            if path.is_file() and path.suffix not in {".whl", ".pyc"}:
                same = installed / path.relative_to(released)
                assert same.read_bytes() == path.read_bytes(), path
    names = {path.name for path in inside.glob("notebooks/*.ipynb")}
    assert names == {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}


def test_an_address_is_in_its_readme_project_and_first_cells_and_no_other_is(
    copy: Path, tmp_path: Path
) -> None:
    student_copy.release(tmp_path / "students", ADDRESS)
    for folder, times in ((tmp_path / "students", 1), (copy, 0)):
        for path in folder.glob("notebooks/*.ipynb"):
            assert code_of(path).count(f"git+{ADDRESS}") == times, path
        readme, project = (
            (folder / name).read_text(encoding="utf-8") for name in ("README.md", "pyproject.toml")
        )
        assert readme.count(f'pip install "hpml-labs @ git+{ADDRESS}"') == times
        assert readme.count("[![") == 2 * times
        assert address_of(project) == ADDRESS * times


def test_without_hatchling_it_says_what_to_install_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheel.importlib.util, "find_spec", lambda name: None)
    with raises(ReleaseError, object="hatchling", remedy="-m pip install hatchling"):
        student_copy.release(tmp_path / "students")
    assert list(tmp_path.iterdir()) == []


def test_an_address_is_checked_before_anything_is_written(tmp_path: Path) -> None:
    with raises(UsageError, object="--address", received="'../students'"):
        student_copy.release(tmp_path / "students", "../students")
    assert list(tmp_path.iterdir()) == []


def test_a_second_time_gives_the_same_bytes(copy: Path, tmp_path: Path) -> None:
    archive = student_copy.release(tmp_path / "again")
    assert archive.read_bytes() == copy.with_name("students.zip").read_bytes()
    with zipfile.ZipFile(archive) as opened:
        inside = {
            name.removeprefix("hpml-course/"): opened.read(name) for name in opened.namelist()
        }
    for name, content in inside.items():
        assert (copy / name).read_bytes() == content


def test_a_notebook_that_holds_an_answer_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = tmp_path / "00_start_here.ipynb"
    text = find_lab("00").read_text(encoding="utf-8")
    answered.write_text(
        text.replace("return None  # your line here", "return f'Hello, {name}!'").replace(
            "explanation = None", "explanation = 2"
        )
    )
    monkeypatch.setattr(student_copy, "labs", lambda: (answered,))
    with raises(ReleaseError, object=answered.name, received="hello, explanation", remedy="git"):
        student_copy.release(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.needs("git")
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the course as a git repository")
def test_a_notebook_of_ones_own_is_not_handed_out_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git does not know it; where git does, it holds no answer of any lab."""
    home = tmp_path / "course"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{ROOT}", str(home))
    notes = home / "notebooks" / "16_notes.ipynb"
    answer = nbformat.v4.new_code_cell("def lazy_forward(*given):\n    return given[0]")
    nbformat.write(nbformat.v4.new_notebook(cells=[answer]), notes)
    monkeypatch.setenv("HPML_HOME", str(home))
    assert student_copy.not_handed_out(home) == ["notebooks/16_notes.ipynb"]
    assert "notebooks/16_notes.ipynb" not in student_copy.student_files(home)
    git(home, "add", "notebooks")
    with raises(ReleaseError, object="16_notes.ipynb", received="lazy_forward"):
        student_copy.student_files(home)
    (home / ".git" / "HEAD").unlink()
    with raises(ReleaseError, object=str(home), expected="git", received="fatal", remedy="clone"):
        student_copy.student_files(home)


def test_what_tells_the_answers_is_packed_and_known_all_the_same(copy: Path) -> None:
    assert not [*copy.rglob("wrong_answers/*.py"), *copy.rglob("texts.toml")]
    program = (
        "from hpml.course.lesson.exercises.wrong_answers import wrong_answers\n"
        "from hpml.course.labs.catalogue import choice, find\n"
        "exercise = find('dead_nodes')\n"
        "print(len(wrong_answers(exercise)) > 1, bool(exercise.hints), choice('05').best > 0)"
    )
    assert run(copy, sys.executable, "-c", program) == "True True True\n"


def test_it_grades_every_stub_as_not_done(copy: Path) -> None:
    graded = run(copy, sys.executable, "-m", "hpml", "grade", "notebooks")
    names = {each.name for lab in LABS for each in exercises(lab)}
    assert names
    for name in names:
        (line,) = re.findall(rf".*\b{name}\b.*", graded)[:1]
        assert "not done" in line, line
    assert run(copy, sys.executable, "-c", "import hpml; print(hpml.__file__)").startswith(
        str(copy)
    )


@pytest.mark.needs("make")
def test_make_test_runs_what_is_in_it_and_lints_nothing(copy: Path) -> None:
    shown = run(copy, "make", "-n", "test", "VENV=.venv")
    assert "-m pytest" in shown
    assert "ruff" not in shown
    collected = run(
        copy, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "hpml/base"
    )
    assert "passed" in collected


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=student", "-c", "user.email=student@localhost"]
    command = ["git", *who, "-c", "init.defaultBranch=main", *words]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def edit(path: Path, change: Any) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    change(notebook["cells"])
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


@pytest.mark.needs("git")
def test_a_second_release_never_loses_the_cells_of_a_student(copy: Path, tmp_path: Path) -> None:
    """Played as nbgitpuller does: fetch, bring back what was deleted, commit, merge -Xours."""
    server, student = tmp_path / "server", tmp_path / "student"
    shutil.copytree(copy, server)
    git(server, "init", "-q")
    git(server, "add", "-A")
    git(server, "commit", "-qm", "first release")
    git(tmp_path, "clone", "-q", str(server), str(student))
    (done,) = (student / "notebooks").glob("00_*")
    (open_, renamed) = ((student / "notebooks" / f"{find_lab(lab).name}") for lab in ("05", "06"))

    def work(cells: list[Any]) -> None:
        for cell in cells:
            if cell["cell_type"] == "code":
                cell["execution_count"] = 1
                cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": ["mine\n"]}]
            if "def hello" in "".join(cell["source"]):
                cell["source"] = ["def hello(name):\n", "    return f'Hello, {name}!'"]
        cells.insert(
            1, {"cell_type": "markdown", "id": "mine", "metadata": {}, "source": "A note."}
        )

    edit(done, work)
    mine = done.read_bytes()
    renamed.rename(renamed.with_name("06_mine.ipynb"))

    def second(cells: list[Any]) -> None:
        for cell in cells:
            cell["source"] = ["Of the second release.\n", *cell["source"]]

    for path in (server / "notebooks").glob("*.ipynb"):
        edit(path, second)
    git(server, "commit", "-qam", "second release")

    git(student, "fetch", "-q")
    for name in git(student, "ls-files", "--deleted").split():
        git(student, "checkout", "--", name)
    git(student, "commit", "-qam", "WIP", "--allow-empty")
    git(student, "merge", "-q", "-Xours", "origin/main", "-m", "merged")
    assert done.read_bytes() == mine
    for path in (open_, renamed):
        assert "Of the second release." in code_of(path)
    assert "Of the second release." not in code_of(renamed.with_name("06_mine.ipynb"))
