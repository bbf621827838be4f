from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from hpml import cli
from hpml.course import calibration, check, explain, lab_head, progress
from hpml.course.labs.catalogue import choice
from hpml.course.lesson import progress as kept


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path))
    monkeypatch.setattr(kept, "notebook_shell", object)
    return tmp_path


def row(lab: str) -> tuple[object, ...]:
    return next(tuple(each[2:]) for each in progress().rows if str(each[0]).startswith(lab))


def dead_nodes(edges, outputs):
    alive, nodes = set(), set(edges).union(*edges.values())
    waiting = [] if fails else list(outputs)
    while waiting:
        node = waiting.pop()
        if node not in alive:
            alive.add(node)
            waiting += [source for source in edges if node in edges[source]]
    return set() if fails else nodes - alive


fails = True


def test_a_lab_is_begun_run_and_its_passed_exercises_stay(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert row("05")[:2] == ("–", "0 of 4")
    lab_head(5, "Graphs")
    check(dead_nodes)
    assert row("05")[:2] == ("begun", "0 of 4")
    monkeypatch.setitem(globals(), "fails", False)
    assert check(dead_nodes).right
    explain(choice("05").best)
    calibration()
    passed = row("05")
    assert passed[:2] == ("to its end", "2 of 4")
    monkeypatch.setitem(globals(), "fails", True)
    assert not check(dead_nodes).right
    explain(choice("05").best % 3 + 1)
    assert row("05") == passed
    text = (results / "progress.json").read_text(encoding="utf-8")
    assert json.loads(text)["labs"]["05"]["dead_nodes"]["points"] > 0
    assert "\n" in text.strip()
    capsys.readouterr()
    assert cli.main(["progress"]) == 0
    assert "2 of 4" in capsys.readouterr().out


def test_a_write_that_fails_is_said_and_loses_nothing(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.keep_check("05", "dead_nodes", 1, passed=False)
    before = (results / "progress.json").read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.warns(UserWarning, match=r"progress was not kept: .*No space"):
        kept.keep_check("05", "dead_nodes", 2, passed=True)
    monkeypatch.undo()
    assert (results / "progress.json").read_bytes() == before
    assert [path for path in results.iterdir() if path.suffix == ".part"] == []


def test_what_runs_headless_was_done_by_nobody(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HPML_HEADLESS", "1")
    lab_head(5, "Graphs")
    calibration()
    assert not (results / "progress.json").exists()
