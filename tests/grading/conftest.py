from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from hpml.grading.errors import CannotIsolate
from hpml.grading.pool import WorkerPool
from hpml.grading.reports.report import Item
from hpml.grading.sandbox import require_isolation
from hpml.grading.submission import find
from hpml.grading.worker_client import family
from tests.grading.handed_in import CATALOGUE, LIMITS, PATIENT, RIGHT, hand_in

Graded = Callable[..., dict[str, Item]]


@pytest.fixture(scope="session", autouse=True)
def _bubblewrap() -> None:
    try:
        require_isolation("bubblewrap")
    except CannotIsolate as error:
        pytest.skip(f"needs a working bubblewrap: {error}")


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, WorkerPool]]:
    """A worker pool for each catalogue; at the end a right submission gets full points."""
    right = hand_in(tmp_path_factory.mktemp("control") / "right", *RIGHT)
    with (
        WorkerPool(limits=LIMITS, catalogue=CATALOGUE) as usual,
        WorkerPool(limits=LIMITS, catalogue=PATIENT) as patient,
    ):
        yield {CATALOGUE: usual, PATIENT: patient}
        # After everything that the module tried, on the same machine and in the same process.
        for catalogue, pool in ((CATALOGUE, usual), (PATIENT, patient)):
            task = find(right, labs=["06"], catalogue=catalogue).task(7)
            ((_, items, _),) = pool.grade([task])
            assert [(item.status, item.text) for item in items] == [("right", "")] * 3


@pytest.fixture(autouse=True)
def nothing_is_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Fail a test after which a process or a file of a submission is still there."""
    own = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(own))
    monkeypatch.setattr(tempfile, "tempdir", None)
    here, before = set(os.listdir()), {pid for pid, _ in family(os.getpid())}
    interval = sys.getswitchinterval()
    yield
    assert sys.getswitchinterval() == interval
    # The kernel needs a moment to end a namespace; a test that waits for ever is the failure.
    while {pid for pid, _ in family(os.getpid())} - before:
        threading.Event().wait(0.01)
    assert list(own.iterdir()) == []
    assert set(os.listdir()) == here


@pytest.fixture
def beside_a_right_one(pools: dict[str, WorkerPool]) -> Graded:
    """Grade a submission; a right one follows when the module's are done, in the same process."""

    def graded(
        folder: Path, catalogue: str = CATALOGUE, names: Sequence[str] | None = None
    ) -> dict[str, Item]:
        before = _content(folder)
        task = find(folder, labs=["06"], catalogue=catalogue).task(7, names)
        ((_, items, _),) = pools[catalogue].grade([task])
        assert _content(folder) == before
        return {item.name: item for item in items}

    return graded


def _content(folder: Path) -> dict[str, object]:
    return {
        str(path.relative_to(folder)): (path.lstat().st_mode, path.lstat().st_size)
        for path in folder.rglob("*")
    }
