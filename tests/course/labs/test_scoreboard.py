"""The scoreboard keeps versions of the student's engine, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hpml.base.tables import format_seconds
from hpml.benchmark import Comparison, compare
from hpml.course import lab_head, mine
from hpml.course.labs import scoreboard as board
from hpml.course.labs.catalogue import find
from hpml.course.lesson.racing import engine_name


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path))
    monkeypatch.setattr(board, "notebook_shell", object)
    monkeypatch.delenv("HPML_HEADLESS", raising=False)
    lab_head(6, "Lazy or precomputed forward order")
    return tmp_path


def raced(*names: str) -> Comparison:
    runs: dict[str, Callable[[], Any]] = {name: lambda: sum(range(50)) for name in names}
    return compare(runs, baseline="by hand", rounds=9, min_sample_time=1e-5)


def written(source: str, name: str = "ordered_forward") -> Callable[..., Any]:
    """A function from a file, as that of a notebook's cell is."""
    import linecache

    place = f"<cell {hash(source)}>"
    linecache.cache[place] = (len(source), None, source.splitlines(True), place)
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, place, "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function


FIRST = "def ordered_forward(order, parents, operations, inputs, output):\n    return 1\n"
SECOND = FIRST.replace("1", "help_with(2)") + "\ndef help_with(n):\n    return n\n"


def test_a_change_gets_a_row_and_a_repetition_replaces_its_own(results: Path) -> None:
    race = raced("by hand", "your ordered_forward")
    for source in (FIRST, SECOND, SECOND, FIRST):
        shown = board.scoreboard(race, "block", [written(source)])
    names = [row[0] for row in shown.rows]
    assert names == ["ordered_forward, version 1", "ordered_forward, version 2"], "its place"
    shown = board.scoreboard(race, "250 layers", [written(FIRST)])
    assert [row[1] for row in shown.rows] == ["250 layers", "block", "block"]
    changed = SECOND.replace("return n\n", "return n + 1\n")
    shown = board.scoreboard(race, "block", [written(changed)])
    assert shown.rows[-1][0] == "ordered_forward, version 3", "a helper belongs to a version"
    text = (results / "engine.json").read_text(encoding="utf-8")
    rows = json.loads(text)["labs"]["all"]["rows"]
    assert [row["lab"] for row in rows] == ["06"] * 4
    assert "return n + 1" in rows[-1]["source"]
    ratio = race.ratio("your ordered_forward")
    assert rows[-1]["ratio"] == ratio.with_interval
    took = format_seconds(race["your ordered_forward"].median)
    seen = [took, f"{ratio.with_interval} × by hand", ratio.answer]
    assert [str(each) for each in shown.rows[-1][2:5]] == seen


def test_a_comment_makes_no_version_and_a_changed_network_a_row(results: Path) -> None:
    race = raced("by hand", "your ordered_forward", "your ordered_forward, rewritten")
    commented = "# Mine.\n" + FIRST.replace("return 1", "# The answer.\n    return  1  # one")
    for source in (FIRST, commented):
        shown = board.scoreboard(race, "block", [written(source)])
    assert [row[:2] for row in shown.rows] == [
        ("ordered_forward, version 1", "block"),
        ("ordered_forward, version 1", "block, rewritten"),
    ]


def test_what_was_drawn_comes_before_the_scoreboard(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import matplotlib.pyplot as plt

    shown: list[str] = []
    monkeypatch.setattr(plt, "show", lambda: shown.append("drawn"))
    board.scoreboard(raced("by hand"), "block", [])
    assert shown == ["drawn"]


def test_the_courses_own_version_is_named_so() -> None:
    assert engine_name(mine("ordered_forward")) == "the course's ordered_forward"
    assert engine_name(written(FIRST)) == "your ordered_forward"


def test_who_did_not_take_part_and_the_courses_own_version_have_no_row(results: Path) -> None:
    provided = mine("ordered_forward")
    assert provided is find("ordered_forward").provided
    race = raced("by hand", "your ordered_forward")
    for raced_now, function in ((race, provided), (raced("by hand"), written(FIRST))):
        (row,) = board.scoreboard(raced_now, "block", [function]).rows
        assert row == ("none of your functions has taken part yet", *[""] * 5)
    assert json.loads((results / "engine.json").read_text())["labs"]["all"]["rows"] == []


def test_what_passed_its_check_is_the_version_of_the_notebook(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    race = raced("by hand", "your ordered_forward")
    (results / "passed").mkdir()
    (results / "passed" / "ordered_forward.py").write_text(SECOND, encoding="utf-8")
    board.scoreboard(race, "block", [written(SECOND)])
    shown = board.scoreboard(race, "block", [mine("ordered_forward")])
    assert [row[0] for row in shown.rows] == ["ordered_forward, version 1"]


def test_a_run_without_a_student_and_a_folder_that_cannot_be_written_still_show_theirs(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    race = raced("by hand", "your ordered_forward")
    monkeypatch.setenv("HPML_HEADLESS", "1")
    assert len(board.scoreboard(race, "block", [written(FIRST)]).rows) == 1
    assert not (results / "engine.json").exists()
    monkeypatch.delenv("HPML_HEADLESS")
    (results / ".engine.json.lock").unlink(missing_ok=True)
    (results / ".engine.json.lock").mkdir()
    with pytest.warns(UserWarning, match="scoreboard was not kept"):
        shown = board.scoreboard(race, "block", [written(FIRST)])
    assert len(shown.rows) == 1
