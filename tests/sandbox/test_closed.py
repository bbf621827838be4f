"""The hook that keeps a worker's Python from the answers, called as the interpreter calls it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hpml.sandbox.closed import Guard, answers


def test_what_lies_in_a_closed_folder_is_refused_by_any_path(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    (tmp_path / "link").symlink_to(closed)
    hook = Guard([closed])
    for path in (closed, closed / "a", tmp_path / "link" / "a", f"{tmp_path}/x/../closed/a"):
        for name in (str(path), os.fsencode(path)):
            with pytest.raises(PermissionError, match="not available while a submission is graded"):
                hook("open", (name, "r", 0))
    with pytest.raises(PermissionError):
        hook("os.listdir", (str(closed),))


def test_everything_else_is_let_through(tmp_path: Path) -> None:
    hook = Guard([tmp_path / "closed"])
    hook("open", (str(tmp_path / "closed_not"), "r", 0))
    hook("open", (str(tmp_path), "r", 0))
    hook("open", (3, "r", 0))
    hook("os.listdir", (None,))
    hook("os.scandir", ())
    hook("import", (str(tmp_path / "closed"),))


def test_the_closed_folders_are_the_exercises_and_the_solutions() -> None:
    course, _, _, solutions = answers()
    assert (course / "exercises" / "judging.py").is_file()
    assert (solutions / "lab_06").is_dir()
