from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

import pytest

from hpml.base.system import process_tree
from hpml.course.grading.find import find
from hpml.course.grading.grader import Grader
from hpml.course.grading.judge import Item
from tests.course.grading.handed_in import CATALOGUE, LIMITS, PATIENT, RIGHT, hand_in
from tests.needs import require

Graded = Callable[..., dict[str, Item]]


@pytest.fixture(scope="module")
def graders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Grader]]:
    """A grader for each catalogue; at the end a right submission gets full points."""
    require("bubblewrap")
    right = hand_in(tmp_path_factory.mktemp("control") / "right", *RIGHT)
    with (
        Grader(limits=LIMITS, catalogue=CATALOGUE) as usual,
        Grader(limits=LIMITS, catalogue=PATIENT) as patient,
    ):
        yield {CATALOGUE.__name__: usual, PATIENT.__name__: patient}
        # After everything that the module tried, on the same machine and in the same process.
        for catalogue, grader in ((CATALOGUE, usual), (PATIENT, patient)):
            items = grader.grade(find(right, lab="06", catalogue=catalogue), 7).items
            assert [(item.status, item.text) for item in items] == [("right", "")] * 3


@pytest.fixture(autouse=True)
def nothing_is_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Fail a test after which a process or a file of a submission is still there."""
    own = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(own))
    monkeypatch.setattr(tempfile, "tempdir", None)
    # What PyTorch compiles of the course's own wrong answers is kept, as anywhere.
    cache = tmp_path_factory.getbasetemp() / "inductor"
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(cache))
    resource_tracker.ensure_running()  # the one that stays, of multiprocessing
    here, before = set(os.listdir()), {pid for pid, _ in process_tree(os.getpid())}
    yield
    # The kernel needs a moment to end a namespace.
    until = time.monotonic() + 30
    while {pid for pid, _ in process_tree(os.getpid())} - before and time.monotonic() < until:
        threading.Event().wait(0.01)
    assert {pid for pid, _ in process_tree(os.getpid())} <= before
    assert list(own.iterdir()) == []
    assert set(os.listdir()) == here


@pytest.fixture
def beside_a_right_one(graders: dict[str, Grader]) -> Graded:
    """Grade a submission; a right one follows when the module's are done, in the same process."""

    def graded(
        folder: Path, catalogue: Any = CATALOGUE, names: Sequence[str] | None = None
    ) -> dict[str, Item]:
        before = _content(folder)
        submission = find(folder, lab="06", catalogue=catalogue)
        items = graders[catalogue.__name__].grade(submission, 7, names).items
        graders[catalogue.__name__].close()
        assert _content(folder) == before
        return {item.name: item for item in items}

    return graded


def _content(folder: Path) -> dict[str, object]:
    return {
        str(path.relative_to(folder)): (path.lstat().st_mode, path.lstat().st_size)
        for path in folder.rglob("*")
    }
