from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hpml.grading.crew import Crew
from hpml.grading.isolation import processes
from hpml.grading.report import Item
from hpml.grading.submission import find
from tests.grading.handed_in import CATALOGUE, LIMITS, RIGHT, hand_in

Graded = Callable[..., dict[str, Item]]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


@pytest.fixture(autouse=True)
def nothing_is_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Fail a test after which a process or a file of a submission is still there."""
    # A folder of this test's own, so that graders of other test workers do not show up in it.
    own = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(own))
    monkeypatch.setattr(tempfile, "tempdir", None)
    children = {process.pid for process in processes().values() if process.parent == os.getpid()}
    here = set(os.listdir())
    yield
    left = {
        process.pid: process
        for process in processes().values()
        if process.parent == os.getpid() and process.pid not in children
    }
    assert not left, f"still running: {left}"
    # Workers know no other folder than theirs, and it lies in this one.
    astray = [
        pid
        for pid in processes()
        if pid != os.getpid() and str(own) in _environment(pid) + _folder(pid)
    ]
    assert not astray, f"still running elsewhere: {[_command(pid) for pid in astray]}"
    assert list(own.iterdir()) == []
    assert set(os.listdir()) == here


def _environment(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def _folder(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


@pytest.fixture
def beside_a_right_one(tmp_path: Path) -> Graded:
    """Grade a submission, and after it, in the same run, a right one, which gets full points."""

    def graded(folder: Path, catalogue: str = CATALOGUE) -> dict[str, Item]:
        right = hand_in(tmp_path / "right", *RIGHT)
        before = _content(folder)
        tasks = [find(path, labs=["06"], catalogue=catalogue).task(7) for path in (folder, right)]
        with Crew(1, limits=LIMITS, catalogue=catalogue) as crew:
            found = {place: items for place, items, _ in crew.grade(tasks)}
        assert [(item.status, item.text) for item in found[1]] == [("right", "")] * 3
        assert _content(folder) == before
        return {item.name: item for item in found[0]}

    return graded


def _content(folder: Path) -> dict[str, object]:
    return {
        str(path.relative_to(folder)): (path.lstat().st_mode, path.lstat().st_size)
        for path in folder.rglob("*")
    }
