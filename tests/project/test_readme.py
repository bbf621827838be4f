"""README.md: the programs of its library section run without the course, and its links lead on."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hpml
from hpml.course.release.address import with_readme_address
from tests.project.layers import LIBRARY
from tests.project.notebooks import ADDRESS, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAMS = dict(
    re.findall(r"^\*\*`hpml\.(\w+)`\*\*.*?^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that holds the library and nothing of the course."""
    folder = tmp_path_factory.mktemp("library")
    ignored = shutil.ignore_patterns("__pycache__", "course")
    shutil.copytree(ROOT / "hpml", folder / "hpml", ignore=ignored)
    return folder


def test_each_package_of_the_library_has_a_program_of_about_ten_lines() -> None:
    assert sorted(PROGRAMS) == sorted(itertools.chain(*LIBRARY))
    assert [name for name, text in PROGRAMS.items() if len(text.strip().splitlines()) > 11] == []


@pytest.mark.parametrize("package", PROGRAMS)
def test_a_program_runs_where_there_is_no_course(
    package: str, library: Path, tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAMS[package], encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": str(library),
        "PYTHONWARNINGS": "error",
        "HPML_QUICK": "1",
    }
    for name in ("HPML_HOME", "HPML_RESULTS"):
        environment.pop(name, None)
    ran = subprocess.run(
        [sys.executable, str(program)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert f"from hpml.{package} import" in PROGRAMS[package]
    assert len(ran.stdout.splitlines()) >= PROGRAMS[package].count("\nprint(")
    assert [path.name for path in tmp_path.iterdir()] == ["program.py"]


def test_it_shows_the_stepper_before_the_plot_before_the_commands_before_the_links() -> None:
    order = ["stepper.png", "deep_linear.png", "make lab", "(#for-students)", "(INSTRUCTORS.md)"]
    places = [README.index(each) for each in (*order, "(CONTRIBUTING.md)")]
    assert places == sorted(places)
    assert README[places[-1] :].count("## ") == README.count("## "), "below all, the first heading"


def test_its_links_lead_somewhere() -> None:
    headings = re.findall(r"^#+ (.+)$", README, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}
    for file, place in re.findall(r"\]\((?!http)([^)#]*)#?([^)]*)\)", README):
        assert not file or (ROOT / file).exists(), file
        assert file or place in slugs, place


def test_it_names_the_wheel_of_this_version_and_the_projects_address() -> None:
    named = set(re.findall(r"hpml_labs-[\w.]+-py3-none-any\.whl", README))
    assert named == {f"hpml_labs-{hpml.__version__}-py3-none-any.whl"}
    assert with_readme_address(README, ADDRESS) == README, "`make tidy` writes the address"
