"""No text tells anyone to install `hpml`, which is another project on the package index."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import hpml
from hpml.course.release.address import DISTRIBUTION
from tests.project.notebooks import ROOT

SUFFIXES = {
    *("", ".cff", ".css", ".html", ".ipynb", ".j2", ".js"),
    *(".md", ".py", ".sh", ".toml", ".txt", ".yml"),
}
MADE = {"results", "build", "dist", "__pycache__", "tiny-imagenet-200"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
INSTALL = re.compile(
    r"\b(?:(?:pip3?|uv|pipx|conda|mamba) (?:install|add|download)|uv tool install)\b(.*)"
)
# A word that pip would look up as hpml: neither part of another name, nor of a path or a file.
FOREIGN = re.compile(r"(?<![\w./\\-])hpml(?![\w./\\-])(?:\[[\w,\s]*\])?")
LOOKED_UP = re.compile(r"""\b(?:version|distribution|requires|files|metadata)\(\s*["']hpml["']""")


def texts() -> list[Path]:
    """Return the files that people wrote."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [
            each
            for each in folders
            if each in {".ci", ".github"} or (not each.startswith(".") and each not in MADE)
        ]
        found += [Path(folder, each) for each in names]
    return [path for path in found if path.suffix in SUFFIXES and path.name != ".git"]


def wrong(text: str) -> list[str]:
    """Return what in a text installs or looks up the foreign distribution."""
    found = []
    for line in text.splitlines():
        installed = INSTALL.search(line)
        # What follows a command in the same line: a comment, the end of a quotation.
        words = re.split(r"\s#|[`;]|&&", installed[1])[0] if installed else ""
        if FOREIGN.search(words) or LOOKED_UP.search(line):
            found.append(line.strip())
    return found


@pytest.mark.parametrize(
    "text",
    [
        "%pip install hpml",
        "pip install 'hpml[lab]'",
        'pip3 install -q "hpml >= 1"',
        "pip install -U torch hpml",
        "uv pip install hpml==1.0",
        "metadata.version('hpml')",
        "pipx install hpml",
    ],
)
def test_a_text_that_installs_the_other_project_is_found(text: str) -> None:
    assert wrong(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "%pip install ./hpml_labs-1.0.0-py3-none-any.whl",
        'pip install "hpml-labs @ git+https://localhost/hpml"',
        "pip install -e .  # then hpml lab",
        "conda env create -n hpml && hpml lab",
        "/opt/hpml/bin/pip install -q numpy",
        "metadata.version('hpml-labs')",
    ],
)
def test_a_text_that_does_not_is_not(text: str) -> None:
    assert wrong(text) == []


def test_no_text_installs_another_project() -> None:
    paths = texts()
    assert {"README.md", "run", "00_start_here.ipynb", "server.py"} <= {path.name for path in paths}
    here = Path(__file__).resolve()
    found = {
        str(path.relative_to(ROOT)): lines
        for path in paths
        if path != here and (lines := wrong(path.read_text(encoding="utf-8", errors="replace")))
    }
    assert found == {}


def test_the_project_has_that_name_and_requires_itself_by_it() -> None:
    assert PROJECT["name"] == DISTRIBUTION
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {hpml.__version__}\n" in citation
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    names = {Requirement(text).name for group in groups for text in group}
    assert {name for name in names if name.startswith("hpml")} == {DISTRIBUTION}
