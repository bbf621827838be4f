"""Every command of INSTRUCTORS.md is run, in a copy of the course with lab 00, cut short.

What says ``# needs ...`` is not: of ``make`` the plan is made, of ``hpml`` the words are read.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hpml
from hpml.course.lesson.execute import labs
from tests.needs import require

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "INSTRUCTORS.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^ {4}(\S.*)$", GUIDE, re.MULTILINE)
# The cells that opening, checking, explaining, the tests and the result table need.
CELLS = (
    "lab_head(",
    "**Exercise 00.1",
    "def hello",
    "check(hello)",
    "explain(explanation)",
    "calibration()",
)
WHEEL = f"hpml_labs-{hpml.__version__}-py3-none-any.whl"
ROSTER = "submission,Student,ID,Email address\nada,Ada,1,ada@localhost\nbob,Bob,2,bob@localhost\n"
LEFT = {
    "hpml release ../students": (
        *("students/README.md", "students.zip"), f"students/notebooks/{WHEEL}",
    ),
    "--message=\"Second release\"": ("students/.git/HEAD",),
    "ADDRESS": ("address/HEAD",),
    "--csv points.csv": ("points.csv", "results/grading"),
    "--canvas canvas.csv": ("canvas.csv",),
    "--moodle moodle.csv": ("moodle.csv",),
    "--gradescope": ("lab00.zip",),
    "hpml progress --class": ("results/class/observed.md", "results/class/observed.csv"),
    "hpml book ../pages": ("pages/index.html", "pages/00_start_here.html"),
}  # fmt: skip


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the course, its submissions beside it, and an address to push to."""
    home = tmp_path_factory.mktemp("instructor") / "course"
    keep = shutil.ignore_patterns(".*", "__pycache__", "results", "notebooks")
    shutil.copytree(ROOT, home, ignore=keep)
    shutil.copy(ROOT / ".gitignore", home)
    (lab,) = (path for path in labs() if path.stem.startswith("00"))
    notebook = json.loads(lab.read_text(encoding="utf-8"))
    cells = notebook["cells"]
    notebook["cells"] = [
        cell for cell in cells if any(part in "".join(cell["source"]) for part in CELLS)
    ]
    for place in ("notebooks", "../submissions/ada", "../submissions/bob"):
        (home / place).mkdir(parents=True)
        (home / place / lab.name).write_text(json.dumps(notebook), encoding="utf-8")
    record = {"version": 1, "labs": {"00": {"opened": "2026-10-05T09:00:00+02:00"}}}
    (home / "../submissions/ada/progress.json").write_text(json.dumps(record), encoding="utf-8")
    (home / "roster.csv").write_text(ROSTER, encoding="utf-8")
    corrections = "student,exercise,points,comment\nada,00.2,1,said it aloud\n"
    (home / "corrections.csv").write_text(corrections, encoding="utf-8")
    for command in (["init", "-q", "--bare", "../address"], ["init", "-q"], ["add", "--all"]):
        subprocess.run(["git", *command], cwd=home, check=True)
    programs = home.parent / "bin"
    programs.mkdir()
    for name in ("hpml", "pytest"):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {name} "$@"\n')
        (programs / name).chmod(0o755)
    return home


def shell(course: Path, command: str) -> subprocess.CompletedProcess[str]:
    who = {
        f"GIT_{role}_{part}": "teacher@localhost"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HPML_")}
    environment = {
        **kept, **who, "HPML_QUICK": "1", "PYTHONPATH": str(course), "VENV": sys.prefix,
        "PATH": f"{course.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    # The environment of these tests is as it should be; nothing is to be installed into it.
    command = command.replace("make ", f"make -o {sys.prefix}/.installed ")
    command = command.replace("ADDRESS", (course.parent / "address").as_uri())
    return subprocess.run(
        command,
        shell=True,
        cwd=course,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.needs("git")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_works_as_it_is_printed(command: str, course: Path) -> None:
    words, _, needs = command.partition("# needs ")
    if "--class" in words or "--sandbox" in words:
        require("bubblewrap")
    if words.startswith("make"):
        require("make")
    if needs:
        words = words.replace("make ", "make -n ")
        words = f"{words} --help" if words.startswith("hpml") else words
    ran = shell(course, words)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for part, files in LEFT.items():
        for file in files if part in words and not needs else ():
            there = (course / file).exists() or (course.parent / file).exists()
            assert there, f"{words} left no {file}"


@pytest.mark.needs("git", "bubblewrap")
def test_the_commands_left_what_the_guide_says(course: Path) -> None:
    """Runs after the commands, in the order of this file."""
    if not (course / "points.csv").exists():
        pytest.skip("needs the commands above to have run: choose the whole file")
    first = (course / "points.csv").read_text(encoding="utf-8").splitlines()[1]
    assert first.startswith("ada,")
    assert ",1,1,0," in first, "the override counts"
    log = subprocess.run(
        ["git", "log", "--format=%s", "main"],
        cwd=course.parent / "address",
        capture_output=True,
        text=True,
    )
    assert log.stdout.split("\n")[:2] == ["Second release", "First release"]


def test_the_guide_is_short_and_its_links_lead_somewhere() -> None:
    assert len(GUIDE.split()) < 2350
    for file, place in re.findall(r"\]\((?!http)([^)#]+)#?([^)]*)\)", GUIDE):
        text = (ROOT / file).read_text(encoding="utf-8")
        headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        slugs = {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}
        assert not place or place in slugs, f"{file}#{place}"
    opened = re.findall(r"urlpath=lab/tree/(?:REPOSITORY/)?([\w/.]+)", GUIDE)
    assert len(opened) == 2
    assert all((ROOT / path).is_file() for path in opened)
