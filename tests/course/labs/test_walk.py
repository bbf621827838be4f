"""What CONTRIBUTING.md says of a new exercise and a new lab is all that it takes: it is done."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[3]


def blocks() -> list[str]:
    """Return the indented blocks of the walk."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    walk = text.partition("## A new exercise")[2].partition("\n## ")[0]
    found = re.findall(r"(?:^(?: {4}.*)?\n)+", walk, re.MULTILINE)
    return [textwrap.dedent(block).strip() + "\n" for block in found if block.strip()]


def course(folder: Path) -> Path:
    """Return the folder of labs in a copy of the course, with the tests of exercises."""
    left_out = shutil.ignore_patterns("__pycache__", "static")
    shutil.copytree(ROOT / "hpml", folder / "hpml", ignore=left_out)
    shutil.copytree(ROOT / "tests" / "solutions", folder / "tests" / "solutions")
    (folder / "tests" / "course" / "labs").mkdir(parents=True)
    for name in ("conftest.py", "test_solutions.py"):
        shutil.copy(ROOT / "tests" / "course" / "labs" / name, folder / "tests" / "course" / "labs")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n", encoding="utf-8")
    return folder / "hpml" / "course" / "labs"


def run_tests(folder: Path, which: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", which]
    ran = subprocess.run(
        [*command, "tests/course/labs/test_solutions.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


def test_an_exercise_touches_its_folder_the_notebook_and_the_right_solution(tmp_path: Path) -> None:
    folder = course(tmp_path) / "lab_00_start_here"
    declared, hints, wrong, *_ = blocks()
    exercises = folder / "exercises.py"
    edit(exercises, "EXERCISES: tuple[", f"{declared}\nEXERCISES: tuple[")
    edit(exercises, "= (_HELLO,)", "= (_HELLO, _TWICE)")
    with (folder / "texts.toml").open("a", encoding="utf-8") as texts:
        texts.write(hints)
    (folder / "wrong_answers" / "twice.py").write_text(wrong, encoding="utf-8")
    solution = tmp_path / "tests" / "solutions" / "lab_00" / "twice" / "right.py"
    solution.parent.mkdir()
    solution.write_text("def twice(n: int) -> int:\n    return n + n\n", encoding="utf-8")
    (notebook,) = (tmp_path / "notebooks").glob("00_*.ipynb")
    content = json.loads(notebook.read_text(encoding="utf-8"))
    stub = 'def twice(n: int) -> int:\n    """Return twice n."""\n    return None\n'
    stated = "**Exercise 00.2 `twice`** (1 point, core). Return twice n."
    content["cells"].append({"cell_type": "markdown", "source": stated, "metadata": {}})
    for source in (stub, "check(twice)"):
        content["cells"].append(
            {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
        )
    notebook.write_text(json.dumps(content), encoding="utf-8")
    run_tests(tmp_path, "twice or 00 or missing_exercise")


def test_an_empty_lab_is_a_copied_folder(tmp_path: Path) -> None:
    labs = course(tmp_path)
    shutil.copytree(labs / "lab_00_start_here", labs / "lab_98_yours")
    for path in (labs / "lab_98_yours").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("lab_00_start_here", "lab_98_yours"), encoding="utf-8")
    exercises = labs / "lab_98_yours" / "exercises.py"
    edit(exercises, "= (_HELLO,)", "= ()")
    shutil.rmtree(labs / "lab_98_yours" / "wrong_answers")
    run_tests(tmp_path, "98 or missing_exercise")
