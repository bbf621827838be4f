"""``hpml grade`` as it is typed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hpml.base.files import course_folder
from hpml.cli import main
from hpml.grading.isolation import below, processes
from tests.grading.handed_in import DOUBLE, hand_in


@pytest.fixture
def ada(tmp_path: Path) -> Path:
    return hand_in(tmp_path / "ada", "def count_calls(parents, output, remember):\n    return 0")


def test_a_lab_of_the_course_by_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", "6", "--seed", "5"]) == 0
    shown = capsys.readouterr().out
    assert "notebooks: 0 of" in shown
    assert "06.1 count_calls" in shown
    assert "not done" in shown
    assert "seed 5" in shown


def test_a_folder_with_a_report_for_gradescope(
    ada: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", str(ada), "--lab", "06", "--report", str(tmp_path / "r.json")]) == 0
    assert "not right yet" in capsys.readouterr().out
    names = [test["name"] for test in json.loads((tmp_path / "r.json").read_text())["tests"]]
    assert names[0] == "06.1 count_calls"
    assert names[-1].endswith("explanation")


def test_a_class_with_its_table_and_csv(
    ada: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(tmp_path / "class" / "bob", DOUBLE)
    (tmp_path / "class" / "cy").mkdir()
    ada.rename(tmp_path / "class" / "ada")
    words = ["grade", "--class", str(tmp_path / "class"), "--jobs", "2"]
    words += ["--reports", str(tmp_path / "reports"), "--csv", str(tmp_path / "points.csv")]
    assert main(words) == 0
    shown = capsys.readouterr()
    assert "3 graded" in shown.out
    assert "3/3" in shown.err
    assert "look at these: cy." in shown.out
    assert (tmp_path / "points.csv").read_text().splitlines()[1].startswith("ada,0,wrong")
    assert main(words) == 0
    assert "0 graded; 3 taken from an earlier run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--csv", "x.csv"], "--csv is for a class; add --class FOLDER"),
        (["06", "--class", "x"], "expected PATH or --class FOLDER, received both"),
        (["--class", "x", "--report", "r.json"], "a class has --reports DIR"),
        (["--seed", "-1"], "expected a whole number from 0"),
        (["--jobs", "0", "--class", "x"], "expected a whole number from 1 to 256"),
    ],
)
def test_arguments_that_make_no_sense(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no such folder"], "Nothing is at 'no such folder'"),
        (["--lab", "99"], "has no exercises"),
        (["06", "--lab", "05"], "expected the lab once"),
        (["--class", "no such folder"], "expected the folder of a class"),
    ],
)
def test_what_cannot_be_graded(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", *words]) == 1
    assert said in capsys.readouterr().err


def test_a_system_that_cannot_isolate_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert main(["grade", "06"]) == 1
    assert "needs Linux" in capsys.readouterr().err


# Says so when the attack runs, and lets an orphan loop for ever.
WAITS = """
def count_calls(parents, output, remember):
    import os, pathlib, time
    if os.fork() == 0:
        os.setsid()
        while True:
            time.sleep(0.01)
    pathlib.Path({mark!r}).touch()
    while True:
        time.sleep(0.01)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_end_from_outside_leaves_nothing_behind(number: int, tmp_path: Path) -> None:
    mark = tmp_path / "running"
    folder = hand_in(tmp_path / "ada", WAITS.format(mark=str(mark)))
    with subprocess.Popen(
        [sys.executable, "-m", "hpml", "grade", str(folder)],
        cwd=course_folder(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as grading:
        while not mark.exists():
            assert grading.poll() is None
            os.sched_yield()
        started = {process.pid for process in below(grading.pid)}
        assert len(started) >= 3, "a warden, a worker, an orphan"
        grading.send_signal(number)
        assert grading.wait() == (130 if number == signal.SIGINT else -number)
        # The kernel and the warden need a moment; a test that waits for ever is the failure.
        while any(pid in started and process.state != "Z" for pid, process in processes().items()):
            os.sched_yield()
    assert list(Path(os.environ["TMPDIR"]).iterdir()) == []
